"""Progress of a run: a live table on a terminal, a log line now and then elsewhere. For a topic, one line."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tearsheet import app as program
from tearsheet import topics, work
from tearsheet.cli.context import Globals, err
from tearsheet.cli.pace import pace
from tearsheet.counts import how_many
from tearsheet.pipeline import queuers

log = logging.getLogger(__name__)
_FRAME_SECONDS = 0.5
_LINE_SECONDS = 15.0


class Progress:
    """Shows how a collector is doing, until it stops."""

    def __init__(
        self, collector: program.Collector, headline: str = "", tally: Callable[[], queuers.Tally | None] = lambda: None
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
        from tearsheet.cli.live import LiveTable  # only a terminal needs it, and it loads a library

        with LiveTable(self._headline) as live:
            while not await _stopped_within(stop, _FRAME_SECONDS):
                live.update(await self._stages(), self._tally(), self._collector.paused, self._collector.polling)

    async def _stages(self) -> list[tuple[str, ...]]:
        """For each stage: its name, stories, stories a second, and how many wait, are in work and are put off."""
        depths = await self._collector.depths()
        elapsed = max(time.monotonic() - self._started, 0.001)
        rows: list[tuple[str, ...]] = []
        for worker in self._collector.workers:
            depth = depths.get(work.input_queue(worker.queue_name))
            waiting = (f"{depth.ready:,}", f"{depth.leased:,}", f"{depth.delayed:,}") if depth else ("–",) * 3
            rows.append((worker.name, f"{worker.settled:,}", f"{worker.settled / elapsed:,.1f}", *waiting))
        return rows

    async def _lines(self, stop: asyncio.Event) -> None:
        """A line now and then, as long as there is something new to say."""
        last: dict[str, Any] = {}
        while not await _stopped_within(stop, _LINE_SECONDS):
            depths = await self._collector.depths()
            settled = {worker.name: worker.settled for worker in self._collector.workers}
            queued = sum(depth.total for name, depth in depths.items() if name.endswith("-in"))
            tally = self._tally()
            read = {"files": f"{tally.finished} of {tally.files}", "read": tally.stories} if tally else {}
            paused = {"paused": self._collector.paused} if self._collector.paused else {}
            polling = {"polling": self._collector.polling} if self._collector.polling else {}
            said = {"queued": queued, **read, **polling, **settled, **paused}
            if said != last and any(said.values()):  # an idle run has nothing to say
                log.info("progress", extra=said)
            last = said


class TopicProgress:
    """One line: what was found, how much of what is known is done, and how fast that goes.

    On a terminal it is updated in place; elsewhere there is another one now and then, as long as there is something new to say.

    How many links there will be nobody knows: the end in sight is that of the links and stories which are known by now.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = self._told_at = clock()
        self._told: tuple[str, topics.Progress] | None = None

    def __call__(self, topic: topics.Topic, progress: topics.Progress) -> None:
        """Show the state."""
        if Globals.quiet:
            return
        if err.is_terminal:
            err.show_progress(self._line(topic, progress))
        elif self._clock() - self._told_at >= _LINE_SECONDS and self._told != (topic.state, progress):
            self._told, self._told_at = (topic.state, progress), self._clock()
            err.print(self._line(topic, progress))

    def _line(self, topic: topics.Topic, progress: topics.Progress) -> str:
        waiting = progress.to_fetch + progress.adding + progress.waiting + progress.to_mine + progress.links_unfetched
        done = (
            progress.stories
            + progress.not_relevant
            + progress.over_budget
            + progress.over_cap
            + progress.left_out
            + progress.failed_requests
            + progress.links
            - progress.links_unfetched
        )
        far = pace(done, done + waiting, self._clock() - self._started, "steps")
        found = f"{topic.state}: {how_many(progress.stories, 'story')}, {how_many(progress.links, 'link')}"
        waits = progress.describe_put_off(time.time())
        return "; ".join(filter(None, [found, far, f"waiting for {progress.describe_waiting() or 'nothing'}", waits]))


async def _stopped_within(stop: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
    return stop.is_set()
