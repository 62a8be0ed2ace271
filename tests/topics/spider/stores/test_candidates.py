"""When the stories of an iteration may be added."""

from tearsheet.topics import model
from tearsheet.topics.spider.links import MinedLink
from tearsheet.topics.spider.routing import Route
from tearsheet.topics.spider.stores import candidates, fetches, seeds, web_stories
from tearsheet.topics.spider.stores.links import RoutedLink, save_links
from tearsheet.topics.store import progress_of
from tests.support.topic_rows import add_members, web_story

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
    seeds.route_seeds(tools.database, topic.id, [], [(new[0].url_key, new[0].url, False)], [new[0].url_key])
    candidates.release(tools.database, topic.id, 10, 200)
    assert states(tools, topic) == [model.WAITING] * 4
    fetches.finish_fetch(tools.database, topic.id, new[0].url_key, model.NO_MATCH)
    candidates.release(tools.database, topic.id, 10, 200)
    assert states(tools, topic) == [model.ADDING] * 4


def test_a_topic_takes_what_it_has_room_for_and_leaves_out_the_rest_as_over_budget(tools, topic):
    wait(tools, topic)
    candidates.release(tools.database, topic.id, 2, 200)
    assert states(tools, topic) == [model.ADDING, model.ADDING, model.WAITING, model.WAITING]
    decide(tools, topic, 0, model.IN)
    decide(tools, topic, 1, model.OUT)
    candidates.release(tools.database, topic.id, 2, 200)
    assert states(tools, topic) == [model.IN, model.OUT, model.ADDING, model.WAITING]
    decide(tools, topic, 2, model.IN)
    candidates.release(tools.database, topic.id, 2, 200)
    assert states(tools, topic) == [model.IN, model.OUT, model.IN, model.OVER_BUDGET]


def test_the_links_of_a_full_topic_are_still_followed(tools, topic):
    wait(tools, topic)
    candidates.release(tools.database, topic.id, 1, 200)
    decide(tools, topic, 0, model.IN)
    candidates.release(tools.database, topic.id, 1, 200)
    with tools.database.read() as connection:
        assert list(connection.execute(candidates.stories_to_mine(topic.id)).scalars()) == [STORIES[0].id]


def test_a_merged_story_still_counts_so_that_another_run_finds_nothing_more(tools, topic):
    wait(tools, topic)
    candidates.release(tools.database, topic.id, 2, 200)
    decide(tools, topic, 0, model.IN)
    decide(tools, topic, 1, model.MERGED)
    candidates.release(tools.database, topic.id, 2, 200)
    assert states(tools, topic) == [model.IN, model.MERGED, model.OVER_BUDGET, model.OVER_BUDGET]


def test_what_the_topic_knows_already(tools, topic):
    wait(tools, topic)
    assert candidates.known_candidates(tools.database, topic.id, {STORIES[0].id, "other"}) == {STORIES[0].id}


def test_a_source_brings_no_more_than_its_cap_by_links_within_itself(tools, topic):
    trap = [web_story(number, f"Trap {number}", "trap.example") for number in range(10, 14)]
    cited = web_story(20, "Cited", "trap.example")
    first, other = web_story(1, "First", "trap.example"), web_story(2, "Other", "b.example")
    add_members(tools.database, topic, first, other, spidered=False)
    for story in (*trap, cited):
        web_stories.save_story(tools.database, story, None, None, [])

    def link_to(finder, *targets) -> None:
        mined = [MinedLink(story.url, story.id, "anchor") for story in targets]
        routed = [RoutedLink(link, Route.ADD_STORY, link.key) for link in mined]
        save_links(tools.database, topic.id, finder.id, 0, routed)

    def states_of_trap() -> list[str]:
        found = [candidates.get_candidate(tools.database, topic.id, story.id) for story in (*trap, cited)]
        return [candidate.state for candidate in found if candidate]

    link_to(first, *trap, cited)
    link_to(other, cited)
    candidates.release(tools.database, topic.id, 100, 2)
    assert states_of_trap() == [model.ADDING, model.ADDING, model.WAITING, model.WAITING, model.ADDING]
    for story, state in ((trap[0], model.IN), (trap[1], model.OUT), (cited, model.IN)):
        candidates.decide(tools.database, topic.id, story.id, state=state, spidered=True, why="")
    candidates.release(tools.database, topic.id, 100, 2)
    assert states_of_trap() == [model.IN, model.OUT, model.ADDING, model.WAITING, model.IN]
    candidates.decide(tools.database, topic.id, trap[2].id, state=model.IN, spidered=True, why="")
    candidates.release(tools.database, topic.id, 100, 2)
    assert states_of_trap() == [model.IN, model.OUT, model.IN, model.OVER_CAP, model.IN]
    assert progress_of(tools.database, topic).over_cap == 1
