"""Several pollers on one database: no feed is polled twice, and what a dead one held comes back."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from tearsheet.engines.database import open_database
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.feeds.polling import store
from tearsheet.feeds.polling.poller import Poller
from tearsheet.feeds.tables import feed_paces, feeds, fetch_events, stories
from tearsheet.settings import FeedSettings
from tearsheet.work import ThreadReader
from tests.support.feed_fakes import rss
from tests.support.loopback_web import Request, response, serve
from tests.support.poll_scene import START, PollScene, loopback_client

XML = "Content-Type: application/rss+xml"
TERMS = store.LeaseTerms("a", 100, timedelta(0), timedelta(seconds=30), timedelta(minutes=5))


@pytest.fixture
def scene(tmp_path: Path):
    scene = PollScene(tmp_path)
    yield scene
    scene.database.close()


@pytest.mark.parametrize("count", [120, pytest.param(300, marks=pytest.mark.slow)])
def test_pollers_share_the_work(scene: PollScene, count: int) -> None:
    async def answer(request: Request, writer) -> None:
        writer.write(response(rss(f"http://n.example{request.path}"), headers=(XML,)))

    async def test() -> None:
        async with serve(answer, "0.0.0.0") as web, loopback_client() as client:
            scene.add(*(f"http://127.0.{number % 7}.{1 + number // 7}:{web.port}/{number}" for number in range(count)))
            settings = FeedSettings(interval_seconds=0.0, concurrency=8, per_host=50)
            pollers = [
                Poller(scene.database, client, ThreadReader(), settings, clock=lambda: START.timestamp())
                for _ in range(3)
            ]
            await asyncio.gather(*(poller.run(asyncio.Event(), once=True) for poller in pollers))
            assert len(web.paths) == len(set(web.paths)) == count
            assert sum(poller.counters["feeds.fetch_succeeded"] for poller in pollers) == count
            assert sum(poller.counters["feeds.lost"] for poller in pollers) == 0

    asyncio.run(test())
    assert len(scene.story_urls()) == count


def test_a_lease_that_ran_out_writes_nothing(scene: PollScene) -> None:
    """A poller that was asleep for an hour finds its feed taken by another, and leaves it alone."""
    scene.add("http://127.0.0.1:9/feed")
    [mine], _ = store.lease_due(scene.database, TERMS, START, START)
    later = START + timedelta(hours=1)
    other = store.LeaseTerms("b", 100, timedelta(0), None, timedelta(minutes=5))
    [theirs], _ = store.lease_due(scene.database, other, later, later)
    assert mine.lease != theirs.lease
    with scene.database.begin() as connection:
        assert store.still_leased(connection, [mine]) == set()
        assert store.still_leased(connection, [theirs]) == {mine.id}


def test_a_source_belongs_to_one_poller_at_a_time(scene: PollScene) -> None:
    scene.add(*(f"http://127.0.0.1:9/{number}" for number in range(4)))
    few = store.LeaseTerms("a", 2, timedelta(0), None, timedelta(minutes=5))
    other = store.LeaseTerms("b", 10, timedelta(0), None, timedelta(minutes=5))
    assert len(store.lease_due(scene.database, few, START, START)[0]) == 2
    assert store.lease_due(scene.database, other, START, START) == ([], 0)
    store.let_sources_go(scene.database, "a", START, timedelta(0))
    assert len(store.lease_due(scene.database, other, START, START)[0]) == 2


POLLER = textwrap.dedent(
    """
    import asyncio, sys
    from pathlib import Path
    from tearsheet.settings import FeedSettings, FetchSettings
    from tearsheet.engines.database import open_database
    from tearsheet.feeds.polling import Poller
    from tearsheet.fetch.client import Client
    from tearsheet.work import ThreadReader

    async def main():
        database = open_database("feeds.db", Path(sys.argv[1]))
        client = Client(FetchSettings(allow_addresses=["127.0.0.0/8"]))
        settings = FeedSettings(interval_seconds=0.0, concurrency=16, per_host=50, timeout_seconds=20)
        await Poller(database, client, ThreadReader(), settings).run(asyncio.Event(), once=True)

    asyncio.run(main())
    """
)


@pytest.mark.parametrize("count", [90, pytest.param(200, marks=pytest.mark.slow)])
def test_what_a_killed_poller_held_comes_back(tmp_path: Path, count: int) -> None:
    """Killed again and again in the middle of its work; at the end every story is there once, and every feed was polled."""
    database = open_database("feeds.db", tmp_path)
    database.migrate()
    polled = 0

    async def answer(request: Request, writer) -> None:
        nonlocal polled
        polled += 1
        await asyncio.sleep(0.02)
        writer.write(response(rss(*(f"http://n.example{request.path}/{story}" for story in range(5))), headers=(XML,)))

    async def test() -> None:
        async with serve(answer, "0.0.0.0") as web:
            urls = [f"http://127.0.{number % 9}.{1 + number // 9}:{web.port}/{number}" for number in range(count)]
            add_feeds(database, [NewFeed(url) for url in urls], START)
            for kill_after in (20, 40, 10_000):
                goal = polled + kill_after
                child = subprocess.Popen([sys.executable, "-c", POLLER, str(tmp_path)], stderr=subprocess.DEVNULL)
                while child.poll() is None and polled < goal:
                    await asyncio.sleep(0.01)
                if child.poll() is None:
                    os.kill(child.pid, signal.SIGKILL)
                await asyncio.to_thread(child.wait)
                # The time of a lease passes.
                with database.begin() as connection:
                    held = feeds.update().where(feeds.c.queued)
                    connection.execute(held.values(due_at=START))
                    connection.execute(feed_paces.update().values(owner_until=START, next_start=START))
            assert child.returncode == 0

    asyncio.run(test())
    with database.read() as connection:
        done = connection.execute(
            select(func.count()).select_from(feeds).where(feeds.c.last_fetch_success.is_not(None))
        ).scalar()
        urls = connection.execute(select(stories.c.normalized_url)).scalars().all()
        successes = connection.execute(
            select(func.count()).select_from(fetch_events).where(fetch_events.c.event == "fetch_succeeded")
        ).scalar()
    assert done == count
    assert len(urls) == len(set(urls)) == 5 * count
    assert successes == count  # each poll is recorded once, and what was not recorded was polled again
    database.close()
