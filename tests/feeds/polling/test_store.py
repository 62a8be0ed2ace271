"""The feed tables on every database: leases, what polls write, the outbox, counts and retention run on all alike."""

from __future__ import annotations

import asyncio
import threading
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import select

from tearsheet.feeds.catalogue import fetch_history, stories_by_day, top_counts
from tearsheet.feeds.catalogue.changing import fetch_soon, fetch_source_soon
from tearsheet.feeds.catalogue.listing import all_feeds
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.feeds.polling import store
from tearsheet.feeds.polling.daily_rss import write_daily_rss
from tearsheet.feeds.polling.poller import Poller
from tearsheet.feeds.polling.retention import prune
from tearsheet.feeds.polling.story_store import mark_queued, unqueued_stories
from tearsheet.feeds.tables import feed_paces, feeds
from tearsheet.fetch import FetchRequest, FetchResponse
from tearsheet.settings import FeedSettings
from tearsheet.work import ThreadReader
from tests.support.databases import DATABASES
from tests.support.feed_fakes import NOW, FakeClient, response, rss


@pytest.fixture(params=DATABASES)
def database(request, tmp_path: Path):
    harness = request.param()
    harness.prepare(tmp_path)
    database = harness.open()
    database.migrate()
    yield database
    database.close()
    harness.remove()


def poll(database, body_of, now=NOW, **settings) -> Poller:
    client = FakeClient(lambda request: response(body_of(request.url)))
    poller = Poller(
        database,
        client,
        ThreadReader(),
        FeedSettings(interval_seconds=0, **settings),
        clock=now.timestamp,
        random=lambda: 0.0,
    )
    asyncio.run(poller.run(asyncio.Event(), once=True))
    return poller


def test_polls_stories_and_the_outbox(database) -> None:
    add_feeds(database, [NewFeed(f"http://{n}.example/rss", collections=("All",)) for n in "ab"], NOW)
    counters = poll(database, lambda url: rss("http://a.example/1", url.replace("rss", "own"))).counters
    assert (counters["stories.ok"], counters["stories.dup_url"]) == (3, 1)
    later = NOW + timedelta(hours=7)
    assert (
        poll(database, lambda url: rss("http://a.example/1", "http://a.example/2"), later).counters["stories.ok"] == 1
    )
    waiting = unqueued_stories(database, 10)
    assert len(waiting) == 4
    assert waiting[0].fetched_at == NOW
    mark_queued(database, [story.id for story in waiting], later)
    assert unqueued_stories(database, 10) == []
    notes = [event["note"] for event in fetch_history(database, 1)]
    assert notes[1::2] == [None, None]
    assert stories_by_day(database, "fetched_at") == [("2026-11-15", 4)]
    assert top_counts(database, "domain", NOW, 1) == [("a.example", 3)]
    assert len(all_feeds(database)) == 2


def test_a_title_is_one_story_of_a_source_for_some_days(database) -> None:
    add_feeds(database, [NewFeed("http://a.example/rss")], NOW)
    item = "<rss version='2.0'><channel><item><title>{}</title><link>http://a.example/{}</link></item></channel></rss>"
    poll(database, lambda _: item.format("Same &amp; same", 1).encode())
    again = poll(database, lambda _: item.format("“SAME &amp; same”", 2).encode(), NOW + timedelta(days=2))
    assert again.counters["stories.dup_title"] == 1
    much_later = poll(database, lambda _: item.format("Same &amp; same", 3).encode(), NOW + timedelta(days=20))
    assert much_later.counters["stories.ok"] == 1


def test_days_and_files_and_pruning(database, tmp_path: Path) -> None:
    add_feeds(database, [NewFeed("http://a.example/rss")], NOW)
    poll(database, lambda _: rss("http://a.example/1"))
    assert write_daily_rss(database, tmp_path / "rss", NOW.date(), NOW) == 1
    mark_queued(database, [1], NOW)
    assert prune(database, FeedSettings(events_kept=1), NOW + timedelta(days=30)).stories == 1
    fetch_soon(database, 1, NOW)
    assert fetch_source_soon(database, 1, NOW) == 1


def test_many_threads_take_each_feed_once(database) -> None:
    add_feeds(database, [NewFeed(f"http://h{number % 20}.example/{number}") for number in range(200)], NOW)
    taken: list[tuple[str, str, int]] = []

    def take(owner: str) -> None:
        terms = store.LeaseTerms(owner, 30, timedelta(0), timedelta(hours=1), timedelta(minutes=5))
        misses = 0
        while misses < 3:
            leased, _ = store.lease_due(database, terms, NOW, NOW)
            taken.extend((owner, feed.host, feed.id) for feed in leased)
            misses = 0 if leased else misses + 1

    threads = [threading.Thread(target=take, args=(f"p{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(feed for _, _, feed in taken) == list(range(1, 201))
    holders = {host: {owner for owner, of, _ in taken if of == host} for _, host, _ in taken}
    assert all(len(owners) == 1 for owners in holders.values())


def test_ids_and_times_survive(database) -> None:
    add_feeds(database, [NewFeed("http://a.example/rss", id=2, sources_id=3)], NOW)
    with database.read() as connection:
        row = connection.execute(select(feeds)).one()
    assert (row.id, row.sources_id, row.created_at, row.active) == (2, 3, NOW, True)
    # A feed without an id of its own gets one even after ids that came from elsewhere.
    add_feeds(database, [NewFeed(f"http://{n}.example/rss") for n in range(3)], NOW)
    assert len(all_feeds(database)) == 4


class WatchedSource:
    """Answers after a moment; remembers when each request began and how many ran at once."""

    def __init__(self) -> None:
        self.starts: list[float] = []
        self.running = self.most = 0

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        self.starts.append(time.time())
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.375)
        self.running -= 1
        return response(rss(), url=request.url)


def test_several_pollers_keep_one_pace_for_a_source(database) -> None:
    """A source with feeds on many hosts, among others: three pollers, often late, ask it as one would."""
    gap = 0.25
    now = datetime.now(UTC)
    web, others = WatchedSource(), FakeClient(lambda _: response(rss()))
    add_feeds(database, [NewFeed(f"http://h{number}.example/one", sources_id=1) for number in range(12)], now)
    add_feeds(
        database,
        [NewFeed(f"http://o{n % 15}.example/{n}", sources_id=2 + n) for n in range(20)],
        now - timedelta(hours=1),
    )

    class Both:
        async def fetch(self, request: FetchRequest) -> FetchResponse:
            if request.url.endswith("/one"):
                return await web.fetch(request)
            await asyncio.sleep(0.32)  # so that a busy poller comes late to the turns that it has booked
            return await others.fetch(request)

    async def run() -> list[Poller]:
        settings = FeedSettings(interval_seconds=gap, per_host=2, concurrency=2)
        pollers = [Poller(database, Both(), ThreadReader(), settings) for _ in range(3)]
        await asyncio.gather(*(poller.run(asyncio.Event(), once=True) for poller in pollers))
        return pollers

    pollers = asyncio.run(run())
    assert (len(web.starts), len(others.requests)) == (12, 20)
    # On a busy machine a poll may begin some milliseconds after its turn; pollers that did not share a pace would begin together.
    assert min(later - sooner for sooner, later in pairwise(sorted(web.starts))) >= gap / 2
    assert web.most <= 2
    assert sum(poller.counters["feeds.fetch_succeeded"] for poller in pollers) == 32
    with database.read() as connection:
        assert connection.execute(select(feed_paces.c.key).where(feed_paces.c.owner.is_not(None))).all() == []
