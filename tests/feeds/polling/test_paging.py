"""After an outage, older pages fill the gap: up to a limit, and what could not be filled is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tearsheet.fetch import FetchRequest
from tests.support.feed_fakes import rss
from tests.support.feed_site import FeedSite
from tests.support.poll_scene import PollScene

FEED = "http://n.example/feed"
PAGE = "http://n.example/feed?page=%d"


@pytest.fixture
def scene(tmp_path: Path):
    scene = PollScene(tmp_path)
    yield scene
    scene.database.close()


def document(stories: range, older: str | None = None, rel: str = "next") -> bytes:
    link = f"<atom:link xmlns:atom='http://www.w3.org/2005/Atom' rel='{rel}' href='{older}'/>" if older else ""
    return rss(*(f"http://n.example/2026/11/story-{number}.html" for number in reversed(stories)), extra=link)


def pages(newest: int, rel: str = "next", size: int = 5) -> FeedSite:
    """A feed of five stories, and the older ones on further pages."""
    site, page = FeedSite(), 1
    for end in range(newest, 0, -size):
        older = PAGE % (page + 1) if end > size else None
        site.answers[FEED if page == 1 else PAGE % page] = document(range(max(0, end - size), end), older, rel)
        page += 1
    return site


def poll(scene: PollScene, site: FeedSite) -> None:
    asyncio.run(scene.poll(site.client))
    scene.later(days=3)


@pytest.mark.parametrize("rel", ["next", "prev-archive"])
def test_a_gap_is_filled(scene: PollScene, rel: str) -> None:
    scene.add(FEED)
    poll(scene, pages(7, rel))
    assert len(scene.story_urls()) == 5  # the first poll takes what is there
    site = pages(22, rel)
    poll(scene, site)
    assert len(scene.story_urls()) == 5 + 15
    assert site.asked == [FEED, PAGE % 2, PAGE % 3, PAGE % 4]  # the fourth has stories that are known
    assert scene.counters["feeds.pages"] == 3
    assert "feeds.gaps" not in scene.counters


def test_links_that_rotate_are_no_gap(scene: PollScene) -> None:
    older = f"<a:link xmlns:a='http://www.w3.org/2005/Atom' rel='next' href='{PAGE % 2}'/>"

    def rotating(request: FetchRequest) -> bytes:
        items = "".join(
            f"<item><title>Story {number}</title><link>http://n.example/go/{scene.now:%d}-{number}</link>"
            f"<guid isPermaLink='false'>id-{number}</guid></item>"
            for number in range(3)
        )
        return f"<rss version='2.0'><channel><title>News</title>{older}{items}</channel></rss>".encode()

    site = FeedSite({FEED: rotating, PAGE % 2: rotating})
    scene.add(FEED)
    for _ in range(4):
        poll(scene, site)
    assert set(site.asked) == {FEED}
    assert len(scene.story_urls()) == 3
    assert "may have been missed" not in scene.row().next_fetch_reason


def test_pages_are_left_alone_while_something_is_known(scene: PollScene) -> None:
    scene.add(FEED)
    poll(scene, pages(10))
    site = pages(14)
    poll(scene, site)
    assert site.asked == [FEED]


def test_a_gap_that_is_too_long_is_told(scene: PollScene) -> None:
    scene.settings.gap_pages = 2
    scene.add(FEED)
    poll(scene, pages(5))
    site = pages(200)
    poll(scene, site)
    assert len(site.asked) == 3
    assert scene.counters["feeds.gaps"] == 1
    assert "may have been missed" in scene.row().next_fetch_reason
    assert scene.last_event() == ("fetch_succeeded", "0 skipped / 15 added")


@pytest.mark.parametrize("way", ["circle", "gone", "no pages"])
def test_pages_that_lead_nowhere_end_it(scene: PollScene, way: str) -> None:
    scene.add(FEED)
    poll(scene, pages(5))
    site = pages(200)
    if way == "circle":
        site.answers[PAGE % 2] = document(range(190, 195), FEED)
    elif way == "gone":
        del site.answers[PAGE % 2]
    else:
        site.answers[FEED] = document(range(195, 200))
    poll(scene, site)
    assert len(site.asked) == {"circle": 2, "gone": 2, "no pages": 1}[way]
    assert scene.counters["feeds.gaps"] == 1
    assert scene.row().system_status == "Working"
