"""When the stories of an iteration may be added."""

from tearsheet.topics import model
from tearsheet.topics.spider.stores import candidates, fetches, seeds, web_stories
from tests.support.topic_rows import web_story

STORIES = [web_story(number, f"Story {number}") for number in range(4)]


def wait(tools, topic) -> None:
    """All stories wait to be added."""
    for story in STORIES:
        web_stories.save_story(tools.database, story, None, None, [])
    seeds.route_seeds(tools.database, topic.id, [(story.id, False) for story in STORIES], [], [])


def states(tools, topic) -> list[str]:
    found = [candidates.get_candidate(tools.database, topic.id, story.id) for story in STORIES]
    return [candidate.state for candidate in found if candidate]


def decide(tools, topic, number: int, state: str) -> None:
    candidates.decide(tools.database, topic.id, STORIES[number].id, state=state, spidered=False, why="")


def test_stories_wait_for_all_pages_of_their_iteration(tools, topic):
    wait(tools, topic)
    new = seeds.unprocessed_seeds(tools.database, topic.id, 1)
    seeds.route_seeds(tools.database, topic.id, [], new, [new[0].url_key])
    candidates.release(tools.database, topic.id, 10)
    assert states(tools, topic) == [model.WAITING] * 4
    fetches.finish_fetch(tools.database, topic.id, new[0].url_key, model.NO_MATCH)
    candidates.release(tools.database, topic.id, 10)
    assert states(tools, topic) == [model.ADDING] * 4


def test_a_topic_takes_what_it_has_room_for_and_leaves_out_the_rest_as_over_budget(tools, topic):
    wait(tools, topic)
    candidates.release(tools.database, topic.id, 2)
    assert states(tools, topic) == [model.ADDING, model.ADDING, model.WAITING, model.WAITING]
    decide(tools, topic, 0, model.IN)
    decide(tools, topic, 1, model.OUT)
    candidates.release(tools.database, topic.id, 2)
    assert states(tools, topic) == [model.IN, model.OUT, model.ADDING, model.WAITING]
    decide(tools, topic, 2, model.IN)
    candidates.release(tools.database, topic.id, 2)
    assert states(tools, topic) == [model.IN, model.OUT, model.IN, model.OVER_BUDGET]


def test_the_links_of_a_full_topic_are_still_followed(tools, topic):
    wait(tools, topic)
    candidates.release(tools.database, topic.id, 1)
    decide(tools, topic, 0, model.IN)
    candidates.release(tools.database, topic.id, 1)
    with tools.database.read() as connection:
        assert list(connection.execute(candidates.stories_to_mine(topic.id)).scalars()) == [STORIES[0].id]


def test_a_merged_story_still_counts_so_that_another_run_finds_nothing_more(tools, topic):
    wait(tools, topic)
    candidates.release(tools.database, topic.id, 2)
    decide(tools, topic, 0, model.IN)
    decide(tools, topic, 1, model.MERGED)
    candidates.release(tools.database, topic.id, 2)
    assert states(tools, topic) == [model.IN, model.MERGED, model.OVER_BUDGET, model.OVER_BUDGET]


def test_what_the_topic_knows_already(tools, topic):
    wait(tools, topic)
    assert candidates.known_candidates(tools.database, topic.id, {STORIES[0].id, "other"}) == {STORIES[0].id}
