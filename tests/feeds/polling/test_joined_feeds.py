"""Feeds that were joined because they led to one address, and are feeds of their own again."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from tearsheet.feeds.catalogue.changing import remove_feed
from tearsheet.feeds.polling.joined_feeds import wake_joined
from tests.support.feed_fakes import rss
from tests.support.feed_site import FeedSite
from tests.support.poll_scene import PollScene

OLD, NEW, OTHER = "http://old.example/feed", "http://new.example/feed", "http://other.example/feed"


@pytest.fixture
def scene(tmp_path: Path):
    scene = PollScene(tmp_path)
    yield scene
    scene.database.close()


def joined(scene: PollScene) -> FeedSite:
    """Two feeds that have led to one address for days, so that only the first is polled there."""
    site = FeedSite({OLD: (301, NEW), OTHER: (301, NEW), NEW: rss("http://n.example/2026/11/15/new.html")})
    scene.add(OLD, OTHER)
    days(scene, site, 5)
    assert [(scene.row(n).url, scene.row(n).system_enabled) for n in (1, 2)] == [(NEW, True), (OTHER, False)]
    return site


def days(scene: PollScene, site: FeedSite, count: int) -> None:
    for _ in range(count):
        wake_joined(scene.database, scene.now)
        asyncio.run(scene.poll(site.client))
        scene.later(days=1.02)


def test_a_joined_feed_is_polled_again_when_its_own_address_works_again(scene: PollScene) -> None:
    site = joined(scene)
    site.answers |= {
        OLD: rss("http://n.example/2026/11/15/old.html"), OTHER: rss("http://n.example/2026/11/15/other.html"),
    }  # fmt: skip
    days(scene, site, 3)
    assert [(scene.row(n).url, scene.row(n).system_enabled) for n in (1, 2)] == [(OLD, True), (OTHER, True)]
    assert "http://n.example/2026/11/15/other.html" in scene.story_urls()
    assert scene.row(2).redirect_url is None


def test_a_joined_feed_that_still_leads_elsewhere_is_asked_once_a_day_for_a_month(scene: PollScene) -> None:
    site = joined(scene)
    asked = site.asked.count(OTHER)
    days(scene, site, 2)
    assert site.asked.count(OTHER) == asked + 2
    assert not scene.row(2).system_enabled
    assert "joined with another" in scene.row(2).next_fetch_reason
    assert wake_joined(scene.database, scene.now - timedelta(hours=12)) == 0, "not so soon"
    assert wake_joined(scene.database, scene.now + timedelta(days=60)) == 0, "it has moved for good"


def test_a_joined_feed_takes_over_when_nobody_polls_the_other(scene: PollScene) -> None:
    site = joined(scene)
    scene.later(days=60)
    remove_feed(scene.database, 1)
    days(scene, site, 1)
    assert (scene.row(2).url, scene.row(2).system_enabled) == (NEW, True)


def test_a_feed_that_was_switched_off_for_failing_stays_off(scene: PollScene) -> None:
    site = FeedSite({OTHER: (301, NEW), NEW: rss("http://n.example/2026/11/15/new.html")})
    scene.add(OTHER)
    days(scene, site, 1)
    site.answers[OTHER] = 410
    days(scene, site, 5)
    assert (scene.row(1).system_enabled, scene.row(1).redirect_url) == (False, NEW)
    assert wake_joined(scene.database, scene.now) == 0
