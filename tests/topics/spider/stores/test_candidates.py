"""When the stories of an iteration may be added."""

from tearsheet.topics import model
from tearsheet.topics.spider.stores import candidates, fetches, seeds, web_stories
from tearsheet.topics.spider.stores.links import save_links
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


def test_stories_wait_for_all_pages_of_their_iteration(tools, topic):
    wait(tools, topic)
    new = seeds.unprocessed_seeds(tools.database, topic.id, 1)
    seeds.route_seeds(tools.database, topic.id, [], new, [new[0].url_key])
    assert not candidates.release(tools.database, topic.id, 10)
    assert states(tools, topic) == [model.WAITING] * 4
    fetches.finish_fetch(tools.database, topic.id, new[0].url_key, model.NO_MATCH)
    assert not candidates.release(tools.database, topic.id, 10)
    assert states(tools, topic) == [model.ADDING] * 4


def test_a_full_topic_stops_when_its_own_stories_have_been_mined(tools, topic):
    wait(tools, topic)
    assert not candidates.release(tools.database, topic.id, 2)
    assert states(tools, topic) == [model.ADDING, model.ADDING, model.WAITING, model.WAITING]
    for story in STORIES[:2]:
        candidates.decide(tools.database, topic.id, story.id, state=model.IN, spidered=False, why="")
    assert not candidates.release(tools.database, topic.id, 2)
    for story in STORIES[:2]:
        save_links(tools.database, topic.id, story.id, 0, ())
    assert candidates.release(tools.database, topic.id, 2)
    assert states(tools, topic) == [model.IN, model.IN, model.WAITING, model.WAITING]


def test_what_the_topic_knows_already(tools, topic):
    wait(tools, topic)
    assert candidates.known_candidates(tools.database, topic.id, {STORIES[0].id, "other"}) == {STORIES[0].id}
