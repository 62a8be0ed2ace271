"""Feeds that move: after days, back again, together, and as podcasts say it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tearsheet.feeds.polling.moves import note_move, try_former
from tests.support.feed_fakes import rss
from tests.support.feed_site import FeedSite
from tests.support.poll_scene import PollScene

OLD, NEW, OTHER = "http://old.example/feed", "http://new.example/feed", "http://other.example/feed"


@pytest.fixture
def scene(tmp_path: Path):
    scene = PollScene(tmp_path)
    yield scene
    scene.database.close()


def news(scene: PollScene, extra: str = "") -> bytes:
    """A document with a story of this moment."""
    return rss(f"http://n.example/2026/{scene.now:%m/%d/story-%H-%M}.html", extra=extra)


def run(scene: PollScene, site: FeedSite, days: float, step: float = 1.02) -> None:
    """Poll for some days."""
    for _ in range(round(days / step)):
        asyncio.run(scene.poll(site.client))
        scene.later(days=step)


def columns(**more: Any) -> dict[str, Any]:
    row = {"url": OLD, "host": "old.example", "former_url": None, "moved_at": None, "former_checked": None}
    return row | {"redirect_url": None, "redirect_seen": 0, "redirect_since": None, "last_fetch_failures": 0.0} | more


@pytest.mark.parametrize(
    ("hours", "polls", "moves"), [(0, 50, False), (71, 50, False), (72, 3, True), (300, 2, False), (300, 3, True)]
)
def test_a_move_needs_days_and_polls(hours: float, polls: int, moves: bool) -> None:
    now, row = datetime(2026, 11, 15, tzinfo=UTC), columns()
    for poll in range(polls):
        note_move(row, NEW, now + timedelta(hours=hours) * (poll / (polls - 1)), days=3)
    assert (row["url"] == NEW, row["former_url"] == OLD) == (moves, moves)


@pytest.mark.parametrize(
    ("since_move", "since_check", "failures", "tries"),
    [
        (0.5, None, 0, False),
        (1, None, 0, True),
        (5, 0.5, 0, False),
        (5, 1, 0, True),
        (40, 5, 0, False),
        (40, 5, 2, True),
    ],
)
def test_a_former_address_is_tried_daily_for_a_month_and_longer_in_need(
    since_move: float, since_check: float | None, failures: float, tries: bool
) -> None:
    now = datetime(2026, 11, 15, tzinfo=UTC)
    checked = now - timedelta(days=since_check) if since_check is not None else None
    row = columns(former_url=OLD, moved_at=now - timedelta(days=since_move), former_checked=checked)
    assert try_former(row | {"last_fetch_failures": failures}, now) is tries
    assert not try_former(columns(former_url=OLD), now)


def test_half_an_hour_of_maintenance_moves_no_feed(scene: PollScene) -> None:
    site = FeedSite({OLD: (301, NEW), NEW: lambda _: news(scene)})
    scene.add(OLD)
    for _ in range(10):
        asyncio.run(scene.poll(site.client))
        scene.later(minutes=361)  # more than the three polls that once sufficed
    assert scene.row().url == OLD
    site.answers[OLD] = lambda _: news(scene)
    run(scene, site, 1)
    assert (scene.row().redirect_url, scene.row().redirect_since) == (None, None)


def test_a_feed_goes_back_when_its_old_address_works_again(scene: PollScene) -> None:
    site = FeedSite({OLD: (308, NEW), NEW: lambda _: news(scene)})
    scene.add(OLD)
    run(scene, site, 5)
    assert (scene.row().url, scene.row().former_url) == (NEW, OLD)
    run(scene, site, 2)
    assert scene.row().url == NEW  # it still leads elsewhere
    site.answers[OLD] = lambda _: news(scene)
    run(scene, site, 2)
    assert (scene.row().url, scene.row().former_url, scene.row().host) == (OLD, None, "old.example")
    run(scene, site, 3)
    assert scene.row().url == OLD
    assert scene.row().system_status == "Working"


def test_a_web_page_at_the_old_address_brings_no_feed_back(scene: PollScene) -> None:
    site = FeedSite({OLD: (301, NEW), NEW: lambda _: news(scene)})
    scene.add(OLD)
    run(scene, site, 5)
    site.answers[OLD] = b"<html><body>For sale</body></html>"
    run(scene, site, 3)
    assert scene.row().url == NEW
    assert scene.row().last_fetch_failures == 0


@pytest.mark.parametrize("known", [False, True])
def test_feeds_that_move_to_one_address_become_one(scene: PollScene, known: bool) -> None:
    site = FeedSite({OLD: (301, NEW), OTHER: (301, NEW), NEW: lambda _: news(scene)})
    scene.add(OLD, OTHER, *([NEW] if known else []))
    run(scene, site, 5)
    feeds = [scene.row(number) for number in range(1, 4 if known else 3)]
    polled = [row for row in feeds if row.system_enabled]
    assert [row.url for row in polled] == [NEW]
    assert all("moved to the address of feed" in row.next_fetch_reason for row in feeds if not row.system_enabled)
    before = len(site.asked)
    run(scene, site, 1)
    assert site.asked[before:].count(NEW) == 1
    assert len(scene.story_urls()) == len(set(scene.story_urls()))


def test_a_podcast_says_where_it_has_moved(scene: PollScene) -> None:
    extra = f"<i:new-feed-url xmlns:i='http://www.itunes.com/dtds/podcast-1.0.dtd'>{NEW}</i:new-feed-url>"
    site = FeedSite({OLD: lambda _: news(scene, extra), NEW: lambda _: news(scene, extra)})
    scene.add(OLD)
    run(scene, site, 2)
    assert scene.row().url == OLD
    run(scene, site, 3)
    assert (scene.row().url, scene.row().former_url) == (NEW, OLD)


def test_a_podcast_that_names_an_address_without_a_feed_stays(scene: PollScene) -> None:
    extra = f"<new-feed-url>{NEW}</new-feed-url>"
    site = FeedSite({OLD: lambda _: news(scene, extra), NEW: b"<html>soon</html>"})
    scene.add(OLD)
    run(scene, site, 8)
    assert scene.row().url == OLD
    assert scene.row().last_fetch_failures == 0
