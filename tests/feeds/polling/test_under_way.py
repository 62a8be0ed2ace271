"""What people are told while feeds are polled: how many are done, and which one they wait for."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.feeds.polling import Poller, UnderWay
from tearsheet.fetch import FetchRequest, FetchResponse
from tearsheet.settings import FeedSettings
from tearsheet.work import ThreadReader
from tests.support.feed_fakes import NOW, FakeClient, new_database, response, rss


def test_what_is_waited_for_is_said_with_its_end_in_sight():
    assert str(UnderWay(3, 3)) == ""
    assert str(UnderWay(0, 1)) == "0 of 1 feed polled"
    url = "http://a.example/rss"
    assert str(UnderWay(1, 2, url, 12.4, 80.0)) == f"1 of 2 feeds polled; 12 s of at most 80 s at {url}"
    assert str(UnderWay(1, 2, url, 90.0, 80.0)) == f"1 of 2 feeds polled; 90 s at {url}", "it has several documents"


def test_a_poller_knows_which_feed_takes_longest(tmp_path: Path) -> None:
    database = new_database(tmp_path)
    add_feeds(database, [NewFeed("http://user:secret@a.example/rss"), NewFeed("http://b.example/rss")], NOW)
    now, seen = NOW.timestamp(), []

    def answer(request: FetchRequest) -> FetchResponse:
        nonlocal now
        now += 5
        seen.append(poller.under_way)
        return response(rss("http://news.example/a"))

    settings = FeedSettings(interval_seconds=0, timeout_seconds=60, concurrency=1)
    poller = Poller(database, FakeClient(answer), ThreadReader(), settings, clock=lambda: now)
    asyncio.run(poller.run(asyncio.Event(), once=True))
    database.close()
    assert str(seen[0]) == "0 of 2 feeds polled; 5 s of at most 80 s at http://a.example/rss"
    assert (seen[1].slowest, seen[1].seconds) == ("http://b.example/rss", 5)
    assert str(poller.under_way) == "", "all is done"
