"""Fetching an address of a topic: in its source's turn, and once."""

import asyncio

import pytest

from tearsheet.archive import Erased
from tearsheet.topics import model
from tearsheet.topics.model import Seed
from tearsheet.topics.spider.addresses import url_key
from tearsheet.topics.spider.job_workers import TurnLater
from tearsheet.topics.spider.seeds import route_new_seeds
from tearsheet.topics.spider.stores import fetches, media, web_stories
from tearsheet.topics.spider.stores.jobs import Taken
from tearsheet.topics.spider.stores.seeds import add_seeds
from tearsheet.topics.spider.topic_fetch_link import FetchLink
from tearsheet.topics.spider.web_story import WebStory

URLS = ("http://a.example/1", "http://a.example/2", "http://b.example/1")


def fetch(tools, topic, url: str, turn: float = 0.0) -> None:
    taken = Taken(topic.id, "topic_fetch_link", url_key(url), turn=turn)
    asyncio.run(FetchLink(tools).handle(topic, taken))


def test_an_item_reserves_its_turn_and_comes_back_for_it(tools, topic, clock):
    route_new_seeds(tools, topic)
    for source in ("a.example", "b.example"):
        assert media.take_turn(tools.database, source, clock.now, 10.0) == 0.0
    turns = []
    for url in URLS:
        with pytest.raises(TurnLater) as later:
            fetch(tools, topic, url)
        turns.append(later.value.turn - clock.now)
        assert later.value.after == pytest.approx(turns[-1])
    assert turns == [10.0, 20.0, 10.0]
    with pytest.raises(TurnLater) as later:  # before its turn, it waits for the rest, and reserves no other
        clock.now += 5
        fetch(tools, topic, URLS[0], turn=1010.0)
    assert later.value.turn == 1010.0
    with pytest.raises(AssertionError, match="nothing may be fetched"):
        clock.now += 5
        fetch(tools, topic, URLS[0], turn=1010.0)


def test_turns_that_were_missed_are_not_made_up_for_at_once(tools, topic, clock):
    route_new_seeds(tools, topic)
    assert media.take_turn(tools.database, "a.example", clock.now, 10.0) == 0.0
    for url in URLS[:2]:
        with pytest.raises(TurnLater):
            fetch(tools, topic, url)
    clock.now += 1_000
    with pytest.raises(AssertionError, match="nothing may be fetched"):
        fetch(tools, topic, URLS[0], turn=1010.0)
    with pytest.raises(TurnLater) as later:
        fetch(tools, topic, URLS[1], turn=1020.0)
    assert later.value.turn == clock.now + 10


def test_an_address_that_has_its_result_is_not_fetched(tools, topic):
    route_new_seeds(tools, topic)
    fetches.finish_fetch(tools.database, topic.id, url_key(URLS[0]), model.NO_MATCH)
    fetch(tools, topic, URLS[0])


@pytest.mark.parametrize(("defect", "state"), [(True, model.ERROR), (False, model.REQUEST_FAILED)])
def test_an_address_that_is_given_up_says_why(tools, topic, defect, state):
    route_new_seeds(tools, topic)
    key = url_key(URLS[0])
    FetchLink(tools).give_up(Taken(topic.id, "topic_fetch_link", key), "http-404: gone", defect=defect)
    row = fetches.get_fetch(tools.database, topic.id, key)
    assert row is not None
    assert (row.state, row.message) == (state, "http-404: gone")


def test_the_simplest_address_stands_for_a_page_whichever_came_first(tools, topic):
    page = b"<html><title>Flood</title><article><p>A flood came over the town.</p></article></html>"

    class Redirected:
        async def process(self, story):
            story.raw_html.html = page
            story.http_metadata.final_url = "http://a.example/story"
            return story

    key = url_key("http://a.example/story")
    known = WebStory(
        key, "http://www.a.example/story", "a.example", "Flood", "page", None, "undateable", text="A flood."
    )
    web_stories.save_story(tools.database, known, None, None, [])
    add_seeds(tools.database, topic.id, [Seed("http://short.example/1")])
    route_new_seeds(tools, topic)
    tools.fetcher = Redirected()
    fetch(tools, topic, "http://short.example/1")
    row = fetches.get_fetch(tools.database, topic.id, url_key("http://short.example/1"))
    assert row is not None
    assert (row.state, row.stories_id) == (model.STORY_MATCH, key)
    kept = web_stories.get_story(tools.database, key)
    assert kept is not None
    assert kept.url == "http://a.example/story"


def test_an_erased_address_is_not_fetched(tools, topic):
    route_new_seeds(tools, topic)
    Erased(tools.database).start("asked for", {url_key(URLS[0]): URLS[0]})
    fetch(tools, topic, URLS[0])
    row = fetches.get_fetch(tools.database, topic.id, url_key(URLS[0]))
    assert row is not None
    assert (row.state, row.message) == (model.IGNORED, "erased")


def test_a_page_that_is_known_by_the_address_it_was_had_from_is_no_second_story(tools, topic):
    page = (
        b"<html><title>Flood</title><link rel=canonical href=http://a.example/the-flood>"
        b"<article><p>A flood came over the town.</p></article></html>"
    )

    class Redirected:
        async def process(self, story):
            story.raw_html.html = page
            story.http_metadata.final_url = "http://a.example/story?id=7"
            return story

    collected = "http://a.example/story?id=7"
    known = WebStory(url_key(collected), collected, "a.example", "Flood", "index", None, "undateable", text="A flood.")
    web_stories.save_story(tools.database, known, None, None, [])
    add_seeds(tools.database, topic.id, [Seed("http://short.example/1")])
    route_new_seeds(tools, topic)
    tools.fetcher = Redirected()
    fetch(tools, topic, "http://short.example/1")
    row = fetches.get_fetch(tools.database, topic.id, url_key("http://short.example/1"))
    assert row is not None
    assert (row.state, row.stories_id) == (model.STORY_MATCH, known.id)
    assert tools.match([url_key("http://a.example/the-flood")]) == {url_key("http://a.example/the-flood"): known.id}


def test_a_page_that_turns_out_to_be_erased_is_not_kept(tools, topic):
    class Redirected:
        async def process(self, story):
            story.raw_html.html = b"<html><title>Flood</title><article><p>A flood came.</p></article></html>"
            story.http_metadata.final_url = "http://a.example/erased"
            return story

    tools.fetcher = Redirected()
    route_new_seeds(tools, topic)
    Erased(tools.database).start("asked for", {url_key("http://a.example/erased"): "http://a.example/erased"})
    fetch(tools, topic, URLS[0], turn=1.0)
    row = fetches.get_fetch(tools.database, topic.id, url_key(URLS[0]))
    assert row is not None
    assert (row.state, row.stories_id) == (model.IGNORED, None)
    assert web_stories.match_stories(tools.database, [url_key("http://a.example/erased"), url_key(URLS[0])]) == {}
