"""Asking the web for feeds: finding those of a site, and polling those that are due."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
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


def discover_feeds(
    services: Services,
    site: str,
    limit: int,
    *,
    one_declared: bool = False,
    asking: Callable[[str], None] = lambda url: None,
) -> list[DiscoveredFeed]:
    """The feeds and news sitemaps of a site, most useful first; `catalogue.discover` says what the options mean.

    Where there is no data folder, none is made for looking.
    """
    require_newsroom(services, [site if "://" in site else f"https://{site}"])

    async def find(services: Services) -> list[DiscoveredFeed]:
        async with AsyncExitStack() as stack:
            client, reader = services.open_polite(stack), services.open_reader(stack)
            return await discover(client, reader, site, limit=limit, one_declared=one_declared, asking=asking)

    if services.begun:
        return run_to_its_end(find(services))
    with (
        TemporaryDirectory(prefix="tearsheet-") as folder,
        Services(replace(services.settings, data=Path(folder))) as apart,
    ):
        return run_to_its_end(find(apart))


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
