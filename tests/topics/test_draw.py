from collections import Counter

from tearsheet.topics.draw import drawn

STORIES = [f"story {number}" for number in range(200)]


def test_the_same_topic_draws_the_same_whatever_order_things_come_in():
    first = drawn("Flood", STORIES, 20, str)
    assert drawn("Flood", reversed(STORIES), 20, str) == first
    assert drawn("Dams", STORIES, 20, str) != first


def test_drawing_more_adds_to_what_was_drawn():
    assert drawn("Flood", STORIES, 50, str)[:20] == drawn("Flood", STORIES, 20, str)
    gone = [story for story in STORIES if story != drawn("Flood", STORIES, 1, str)[0]]
    assert drawn("Flood", gone, 19, str) == drawn("Flood", STORIES, 20, str)[1:]


def test_every_story_has_the_same_chance():
    times = Counter(story for topic in map(str, range(2_000)) for story in drawn(topic, STORIES[:20], 5, str))
    assert min(times.values()) > 400 and max(times.values()) < 600  # 500 ± 5 standard deviations
