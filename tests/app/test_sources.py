"""Whoever polls the feeds also keeps house: once when the run is to end, and at the start of one that is not."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest

from tearsheet.app.services import Services
from tearsheet.app.sources import source_of
from tearsheet.clock import utc_now
from tearsheet.feeds.tables import stories
from tearsheet.settings import Settings
from tests.support.feed_rows import add_stories, count, story


@pytest.mark.parametrize(
    ("once", "alone"), [(True, True), (False, True), (False, False)], ids=["once", "run", "worker"]
)
def test_daily_files_are_written_and_old_rows_removed(tmp_path, once, alone):
    settings = Settings(tmp_path)
    settings.feeds.story_days = 9
    settings.pipeline.parser_processes = 1

    async def collect(services: Services) -> None:
        async with AsyncExitStack() as stack:
            broker, stop = services.open_broker(), asyncio.Event()
            stack.push_async_callback(broker.close)
            source = source_of(services, services.pipelines["queue-fetcher"], alone=alone)
            running = asyncio.ensure_future(source.open(broker, stack, once=once)(stop))
            while not once and count(services.database, stories) and not running.done():
                await asyncio.sleep(0.01)
            stop.set() if not once else None
            await running

    with Services(settings) as services:
        old = utc_now() - timedelta(days=10)
        add_stories(services.database, story(1, fetched_at=old, seen_at=old))
        asyncio.run(collect(services))
        assert count(services.database, stories) == 0
        assert len(list((tmp_path / "rss").iterdir())) == 8
