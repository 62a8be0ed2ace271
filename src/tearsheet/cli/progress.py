"""Progress of a run: a live table on a terminal, a log line now and then elsewhere."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress

from rich.live import Live
from rich.table import Table

from tearsheet.cli.context import Globals, err
from tearsheet.collect import Collector
from tearsheet.pipeline.journey import input_queue

log = logging.getLogger(__name__)
_FRAME_SECONDS = 0.5
_LINE_SECONDS = 15.0


class Progress:
    """Shows how a collector is doing, until it stops."""

    def __init__(self, collector: Collector, headline: str = "") -> None:
        self._collector = collector
        self._headline = headline
        self._started = time.monotonic()

    async def run(self, stop: asyncio.Event) -> None:
        """Show progress until stopped."""
        if Globals.quiet:
            await stop.wait()
        elif err.is_terminal:
            await self._live(stop)
        else:
            await self._lines(stop)

    async def _live(self, stop: asyncio.Event) -> None:
        with Live(await self._table(), console=err, refresh_per_second=4, transient=True) as live:
            while not await _stopped_within(stop, _FRAME_SECONDS):
                live.update(await self._table())

    async def _lines(self, stop: asyncio.Event) -> None:
        while not await _stopped_within(stop, _LINE_SECONDS):
            depths = await self._collector.depths()
            settled = {worker.name: worker.settled for worker in self._collector.workers}
            queued = sum(depth.total for name, depth in depths.items() if name.endswith("-in"))
            log.info("progress", extra={"queued": queued, **settled})

    async def _table(self) -> Table:
        depths = await self._collector.depths()
        elapsed = max(time.monotonic() - self._started, 0.001)
        table = Table(title=self._headline or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
        for heading in ("stage", "stories", "a second", "waiting", "in work", "delayed"):
            table.add_column(heading, justify="left" if heading == "stage" else "right", min_width=9)
        for worker in self._collector.workers:
            depth = depths.get(input_queue(worker.name))
            waiting = (f"{depth.ready:,}", f"{depth.leased:,}", f"{depth.delayed:,}") if depth else ("–",) * 3
            table.add_row(worker.name, f"{worker.settled:,}", f"{worker.settled / elapsed:,.1f}", *waiting)
        return table


async def _stopped_within(stop: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
    return stop.is_set()
