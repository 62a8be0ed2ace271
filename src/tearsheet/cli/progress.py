"""Progress of a run: a live table on a terminal, a log line now and then elsewhere. For a topic, a line for each change."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tearsheet import topics
from tearsheet.app import Collector
from tearsheet.cli.context import Globals, err
from tearsheet.pipeline.queuers import Tally
from tearsheet.topics import Topic
from tearsheet.work import input_queue

log = logging.getLogger(__name__)
_FRAME_SECONDS = 0.5
_LINE_SECONDS = 15.0


class Progress:
    """Shows how a collector is doing, until it stops."""

    def __init__(
        self, collector: Collector, headline: str = "", tally: Callable[[], Tally | None] = lambda: None
    ) -> None:
        self._collector = collector
        self._headline = headline
        self._tally = tally
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
        with Live(await self._view(), console=err, refresh_per_second=4, transient=True) as live:
            while not await _stopped_within(stop, _FRAME_SECONDS):
                live.update(await self._view())

    async def _lines(self, stop: asyncio.Event) -> None:
        said: dict[str, object] = {}
        while not await _stopped_within(stop, _LINE_SECONDS):
            depths = await self._collector.depths()
            settled = {worker.name: worker.settled for worker in self._collector.workers}
            queued = sum(depth.total for name, depth in depths.items() if name.endswith("-in"))
            tally = self._tally()
            read = {"files": f"{tally.finished} of {tally.files}", "read": tally.stories} if tally else {}
            paused = {"paused": self._collector.paused} if self._collector.paused else {}
            state = {"queued": queued, **read, **settled, **paused}
            if state != said and any(state.values()):  # an idle run has nothing to say
                log.info("progress", extra=state)
            said = state

    async def _view(self) -> Group:
        tally = self._tally()
        paused = self._collector.paused
        why = [Text(f"Nothing more is queued: {paused}", style="bold yellow")] if paused else []
        return Group(*([_reading(tally)] if tally else []), await self._table(), *why)

    async def _table(self) -> Table:
        depths = await self._collector.depths()
        elapsed = max(time.monotonic() - self._started, 0.001)
        table = Table(title=self._headline or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
        for heading in ("stage", "stories", "a second", "waiting", "in work", "delayed"):
            table.add_column(heading, justify="left" if heading == "stage" else "right", min_width=9)
        for worker in self._collector.workers:
            depth = depths.get(input_queue(worker.queue_name))
            waiting = (f"{depth.ready:,}", f"{depth.leased:,}", f"{depth.delayed:,}") if depth else ("–",) * 3
            table.add_row(worker.name, f"{worker.settled:,}", f"{worker.settled / elapsed:,.1f}", *waiting)
        return table


class TopicProgress:
    """One line on a terminal whenever something changed."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, topic: Topic, progress: topics.Progress) -> None:
        """Print the state if it has changed."""
        line = (
            f"{topic.state}: {progress.stories:,} stories, {progress.links:,} links, "
            f"waiting for {progress.describe_waiting() or 'nothing'}"
        )
        if line != self._last and err.is_terminal:
            err.print(line)
        self._last = line


def _reading(tally: Tally) -> Table:
    """How far the queuer has got: a bar for the bytes of all files, and the file it is reading."""
    row = Table.grid(padding=(0, 1))
    name = tally.file.rpartition("/")[2]
    state = "waits for room" if tally.waiting else f"{tally.stories:,} stories"
    files = f"file {min(tally.finished + tally.skipped + tally.failed + 1, tally.files):,} of {tally.files:,}"
    bar = ProgressBar(total=max(tally.bytes_total, 1), completed=tally.bytes_done, width=30)
    row.add_row(bar, files, name, state)
    return row


async def _stopped_within(stop: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
    return stop.is_set()
