"""Asking the web for feeds: finding those of a site, and polling those that are due."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tearsheet.app.newsroom import require_newsroom
from tearsheet.app.running import run_to_its_end
from tearsheet.app.services import Services
from tearsheet.clock import utc_now
from tearsheet.feeds.catalogue import DiscoveredFeed, discover, fetch_soon
from tearsheet.feeds.polling import Poller


def discover_feeds(services: Services, site: str, limit: int) -> list[DiscoveredFeed]:
    """The feeds and news sitemaps of a site, most useful first. Where there is no data folder, none is made for looking."""
    require_newsroom(services, [site if "://" in site else f"https://{site}"])
    if not services.begun:
        with (
            TemporaryDirectory(prefix="tearsheet-") as folder,
            Services(replace(services.settings, data=Path(folder))) as apart,
        ):
            return _discover(apart, site, limit)
    return _discover(services, site, limit)


def _discover(services: Services, site: str, limit: int) -> list[DiscoveredFeed]:
    async def find() -> list[DiscoveredFeed]:
        async with AsyncExitStack() as stack:
            return await discover(services.open_polite(stack), services.open_reader(stack), site, limit=limit)

    return run_to_its_end(find())


def poll_feeds(services: Services, only: Sequence[int]) -> Mapping[str, int]:
    """Poll every feed that is due, once, or `only` these, due or not. Returns the poller's counters by name."""
    require_newsroom(services)
    for feed_id in only:
        fetch_soon(services.database, feed_id, utc_now())

    async def work() -> Mapping[str, int]:
        async with AsyncExitStack() as stack:
            client, reader = services.open_polite(stack), services.open_reader(stack)
            poller = Poller(services.database, client, reader, services.settings.feeds, only=only)
            await poller.run(asyncio.Event(), once=True)
            return poller.counters

    return run_to_its_end(work())
