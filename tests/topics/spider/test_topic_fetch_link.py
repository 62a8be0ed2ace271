"""Fetching an address of a topic: in its source's turn, and once."""

import asyncio
from dataclasses import replace

import pytest

from tearsheet.archive import Erased
from tearsheet.topics import model, store
from tearsheet.topics.listing import list_stories
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


class Answers:
    """A web of a few pages; what leads elsewhere is told as the address that it ends at."""

    def __init__(self, pages, ends=()):
        self.pages, self.ends, self.asked = pages, dict(ends), []

    async def process(self, story):
        url = story.rss_entry.link
        self.asked.append(url)
        story.http_metadata.final_url = self.ends.get(url, url)
        story.raw_html.html = self.pages.get(story.http_metadata.final_url, b"<title>Copy</title>")
        return story


FLOOD = (
    b"<html><title>Flood</title><meta name=description content='A flood came.'>"
    b"<article><p>A flood came over the town.</p></article></html>"
)
VIDEO = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"


def outcome(tools, topic, url, *, assume_match=False):
    add_seeds(tools.database, topic.id, [Seed(url, assume_match=assume_match)])
    route_new_seeds(tools, topic)
    fetch(tools, topic, url, turn=1.0)
    row = fetches.get_fetch(tools.database, topic.id, url_key(url))
    assert row is not None
    return row


def test_a_topic_without_platforms_leaves_them_out_and_says_so(tools, topic):
    without = replace(topic, platforms=False)
    tools.fetcher = Answers({VIDEO: FLOOD}, [("https://bit.ly/x", VIDEO)])
    direct = outcome(tools, without, VIDEO)
    redirected = outcome(tools, without, "https://bit.ly/x")
    for row in (direct, redirected):
        assert (row.state, row.stories_id) == (model.IGNORED, None)
        assert (
            row.message
            == "www.youtube.com is a platform or a site without news, which this topic leaves out (--no-platforms)"
        )
    assert tools.fetcher.asked == ["https://bit.ly/x"]
    assert store.progress_of(tools.database, without).left_out == 2
    assert store.progress_of(tools.database, without).failed_requests == 0


def test_a_topic_follows_platforms_and_takes_a_video_for_a_story(tools, topic):
    tools.fetcher = Answers({VIDEO: FLOOD})
    assert outcome(tools, topic, VIDEO).state == model.STORY_ADDED


def test_a_seed_that_is_said_to_match_may_be_on_any_platform(tools, topic):
    tools.fetcher = Answers({VIDEO: FLOOD})
    assert outcome(tools, replace(topic, platforms=False), VIDEO, assume_match=True).state == model.STORY_ADDED


def test_a_page_of_a_platform_for_members_only_is_left_out_with_the_reason(tools, topic):
    tools.fetcher = Answers({VIDEO: b"<title>Log in to see flood</title>"})
    row = outcome(tools, topic, VIDEO)
    assert (row.state, row.message) == (model.IGNORED, "its page gives no title, description or text")


def test_a_way_that_ends_at_a_copy_goes_on_to_the_page_that_is_meant(tools, topic):
    copy = "https://paper-example.cdn.ampproject.org/c/s/paper.example/flood"
    tools.fetcher = Answers({"https://paper.example/flood": FLOOD}, [("https://t.co/x", copy)])
    row = outcome(tools, topic, "https://t.co/x")
    assert tools.fetcher.asked == ["https://t.co/x", "https://paper.example/flood"]
    assert (row.state, row.stories_id) == (model.STORY_ADDED, url_key("https://paper.example/flood"))


def test_a_way_from_copy_to_copy_ends(tools, topic):
    copies = [f"https://web.archive.org/web/2024/https://paper.example/{n}" for n in range(9)]
    ends = [("https://t.co/x", copies[0]), *((f"https://paper.example/{n}", copies[n + 1]) for n in range(8))]
    tools.fetcher = Answers({}, ends)
    assert outcome(tools, topic, "https://t.co/x").state == model.NO_MATCH
    assert len(tools.fetcher.asked) == 3


def test_accounts_of_one_site_share_its_pace(tools, topic, clock):
    add_seeds(tools.database, topic.id, [Seed(f"https://{name}.substack.com/p/1") for name in ("alice", "bob")])
    route_new_seeds(tools, topic)
    assert media.take_turn(tools.database, "substack.com", clock.now, 10.0) == 0.0
    for wait, name in ((10, "alice"), (20, "bob")):
        with pytest.raises(TurnLater) as later:
            fetch(tools, topic, f"https://{name}.substack.com/p/1")
        assert later.value.turn == clock.now + wait


def test_what_is_left_out_is_listed_with_its_reason(tools, topic):
    tools.fetcher = Answers({})
    outcome(tools, replace(topic, platforms=False), VIDEO)
    outcome(tools, topic, "https://t.me/share?url=x")
    FetchLink(tools).give_up(Taken(topic.id, "topic_fetch_link", url_key(URLS[0])), "http-404: gone", defect=False)
    found = [one for one in list_stories(tools.database, topic) if one.state in model.NOT_HAD]
    assert [(one.url, one.state, one.why) for one in found] == [
        ("https://t.me/share?url=x", model.IGNORED, "on the list of links that never lead to a story"),
        (
            VIDEO,
            model.IGNORED,
            "www.youtube.com is a platform or a site without news, which this topic leaves out (--no-platforms)",
        ),
        (URLS[0], model.REQUEST_FAILED, "http-404: gone"),
    ]
    assert {(one.iteration, one.links) for one in found} == {(0, 0)}
