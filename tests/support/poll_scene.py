"""Polling real servers on loopback: a database, a clock that the test moves, and the rows afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select

from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.feeds.polling import FeedClient
from tearsheet.feeds.polling.poller import Poller
from tearsheet.feeds.tables import feeds, fetch_events, stories
from tearsheet.fetch import HostStore, PoliteClient
from tearsheet.fetch.client import Client
from tearsheet.settings import FeedSettings, FetchSettings
from tearsheet.work import Reader, ThreadReader
from tests.support.feed_fakes import new_database

START = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


class PollScene:
    """A database with feeds, and polls of them at moments that the test names."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.database = new_database(folder)
        self.now = START
        self.settings = FeedSettings(**({"interval_seconds": 0.0, "timeout_seconds": 30.0} | settings))
        self.counters: dict[str, int] = {}

    def add(self, *urls: str, source: int | None = None) -> list[int]:
        return add_feeds(self.database, [NewFeed(url, sources_id=source) for url in urls], self.now).added

    def later(self, **time: float) -> None:
        self.now += timedelta(**time)

    async def poll(self, client: FeedClient | None = None, reader: Reader | None = None) -> None:
        """Poll everything that is due now."""
        async with AsyncExitStack() as stack:
            used: Any = client or await stack.enter_async_context(self._polite())
            poller = Poller(
                self.database, used, reader or ThreadReader(), self.settings, clock=self._clock, random=lambda: 0.0
            )
            await poller.run(asyncio.Event(), once=True)
            self.counters = dict(poller.counters)

    def _polite(self) -> PoliteClient:
        """With everything but a pace, since the clock stands still."""
        settings = FetchSettings(allow_addresses=["127.0.0.0/8"], manners_off={"*": "pace"})
        return PoliteClient(settings, HostStore(self.database), clock=self._clock)

    def _clock(self) -> float:
        return self.now.timestamp()

    def row(self, feed_id: int = 1) -> Any:
        with self.database.read() as connection:
            return connection.execute(select(feeds).where(feeds.c.id == feed_id)).one()

    def events(self, feed_id: int = 1) -> list[tuple[str, str | None]]:
        query = select(fetch_events).where(fetch_events.c.feed_id == feed_id).order_by(fetch_events.c.id)
        with self.database.read() as connection:
            return [(row.event, row.note) for row in connection.execute(query)]

    def last_event(self, feed_id: int = 1) -> tuple[str, str | None]:
        return self.events(feed_id)[-1]

    def story_urls(self) -> Sequence[str]:
        with self.database.read() as connection:
            return connection.execute(select(stories.c.url).order_by(stories.c.id)).scalars().all()


@asynccontextmanager
async def loopback_client(**settings: Any):
    client = Client(FetchSettings(allow_addresses=["127.0.0.0/8"], **settings))
    try:
        yield client
    finally:
        await client.close()
