"""Asking the web for feeds: finding those of a site, and polling those that are due."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tearsheet.app.newsroom import require_newsroom
from tearsheet.app.running import run_to_its_end
from tearsheet.app.services import Services
from tearsheet.app.telling import told_all_along
from tearsheet.clock import utc_now
from tearsheet.feeds.catalogue import DiscoveredFeed, FailingFeed, discover, failing_feeds, list_feeds, poll_now
from tearsheet.feeds.polling import Poller, next_poll


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


@dataclass(slots=True, frozen=True)
class Polled:
    """What came of polling once."""

    counters: Mapping[str, int]
    """The poller's, by name."""
    left_out: Mapping[int, str]
    """The feeds that were named and not polled, and why."""
    failed: Sequence[FailingFeed] = ()
    """The feeds that were polled and could not be read."""


def poll_feeds(services: Services, only: Sequence[int], *, telling: Callable[[str], None]) -> Polled:
    """Poll every feed that is due, once, or `only` these, due or not. Nothing about them is reset.

    `telling` is told how far it has got, in words, again and again; nothing when every poll is over.
    """
    require_newsroom(services)
    database, begun = services.database, utc_now()
    left_out = {feed: why for feed in only if (why := poll_now(database, feed, begun))}
    wanted = [feed for feed in only if feed not in left_out]
    if only and not wanted:
        return Polled({}, left_out)

    async def work() -> Mapping[str, int]:
        async with AsyncExitStack() as stack:
            client, reader = services.open_polite(stack), services.open_reader(stack)
            poller = Poller(database, client, reader, services.settings.feeds, only=wanted)
            async with told_all_along(lambda: telling(str(poller.under_way))):
                await poller.run(asyncio.Event(), once=True)
            return poller.counters

    counters = run_to_its_end(work())
    rows = list_feeds(database, ids=wanted, limit=len(wanted)).rows if wanted else []
    late = [row for row in rows if row["last_fetch_attempt"] is None or row["last_fetch_attempt"] < begun]
    failed = [feed for feed in failing_feeds(database, since=begun) if not only or feed.id in wanted]
    return Polled(counters, left_out | {row["id"]: next_poll(row, utc_now()) for row in late}, failed)
