"""The worker around a stage: it leases, settles and counts, so that the stage need only know its story.

Order of safety: the ledger is written, then the broker settles. A kill in between repeats both, and both are idempotent.
"""

from __future__ import annotations

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tearsheet.clock import Clock, wall_clock
from tearsheet.engines import repeated
from tearsheet.engines.broker import Broker, Lease, Output, Settlement
from tearsheet.errors import WorkerError
from tearsheet.story import Story, WireStory, decode_story
from tearsheet.telemetry import timed
from tearsheet.work.journey import ORIGIN, RetryRule, fate_of, input_queue, tries_before, was_held_up
from tearsheet.work.ledger import Ledger
from tearsheet.work.ledger_entry import DONE, RECOVERED, LedgerEntry, entry_for, entry_for_message
from tearsheet.work.outcomes import AsyncStage, Outcome, Quarantine, Retry
from tearsheet.work.packing import Packed, pack_results
from tearsheet.work.pool import CpuPool
from tearsheet.work.stage_times import StageTimes
from tearsheet.work.water_marks import WaterMarks, waiting

log = logging.getLogger(__name__)
_LEASE_SECONDS = 1.0
_PRESSURE_SECONDS = 1.0
_GRACE_SECONDS = 20.0


@dataclass(slots=True)
class WorkerConfig:
    """What all kinds of worker have in common."""

    stage: str
    outputs: tuple[str, ...]
    """The queue names of the stages that get what this one returns."""
    rule: RetryRule
    marks: WaterMarks
    prefetch: int = 8
    queue_name: str = ""
    """The prefix of the stage's queue names, where it is not the stage's name: see `pipeline.flavours`."""


@dataclass(slots=True)
class Finished:
    """One message that is ready to be settled."""

    settlement: Settlement
    entry: LedgerEntry | None
    outcome: tuple[str, str] | None
    """Status and reason; None when nothing was decided."""


class Worker(ABC):
    """Runs one stage until it is told to stop."""

    def __init__(self, config: WorkerConfig, broker: Broker, ledger: Ledger, clock: Clock = wall_clock) -> None:
        self.config = config
        self.settled = 0
        self.times = StageTimes()
        self.outcomes: Counter[tuple[str, str]] = Counter()
        """How many stories of this run met each outcome, by status and reason."""
        self.hurry = False
        """Set when no more stories will come: a batch need not wait to fill up."""
        self.grace_seconds = _GRACE_SECONDS
        """How long a stop waits for stories in flight."""
        self._broker = broker
        self._ledger = ledger
        self._clock = clock
        self._last_pressure_check = float("-inf")

    @property
    def name(self) -> str:
        """The stage's name."""
        return self.config.stage

    @property
    def queue_name(self) -> str:
        """The prefix of its queue names, unique among all pipelines."""
        return self.config.queue_name or self.config.stage

    @abstractmethod
    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set, then finish what is in hand or give it back. May be called again after it has raised."""

    async def close(self) -> None:  # noqa: B027 - most stages hold nothing
        """Release what the stage holds."""

    async def _lease(self, limit: int, wait: float = _LEASE_SECONDS) -> list[Lease]:
        if not await self._may_go():
            await asyncio.sleep(_PRESSURE_SECONDS / 4)
            return []
        return await self._broker.lease(input_queue(self.queue_name), limit, wait)

    async def _may_go(self) -> bool:
        if not self.config.outputs:
            return True
        now = time.monotonic()
        if now - self._last_pressure_check >= _PRESSURE_SECONDS:
            self._last_pressure_check = now
            depths = await self._broker.depths()
            ahead = [
                waiting(depths[queue], self._clock())
                for queue in map(input_queue, self.config.outputs)
                if queue in depths
            ]
            self.config.marks.may_go(ahead)
        return not self.config.marks.stopped

    async def _settle(self, finished: Sequence[Finished]) -> None:
        entries = [item.entry for item in finished if item.entry is not None]
        if entries:
            await asyncio.to_thread(repeated, partial(self._ledger.record, entries))
        await self._broker.settle([item.settlement for item in finished])
        self.settled += len(finished)
        self.outcomes.update(item.outcome for item in finished if item.outcome)

    def _passed_on(self, lease: Lease, results: Sequence[Packed], entry: LedgerEntry) -> Finished:
        messages = [packed.as_message(lease.message) for packed in results]
        outputs = tuple(Output(input_queue(stage), message) for stage in self.config.outputs for message in messages)
        tries = tries_before(lease.message) + 1
        if not outputs:
            return Finished(Settlement(lease), replace(entry, status=DONE, tries=tries), (DONE, ""))
        if was_held_up(lease.message):
            recovered = replace(entry, status=RECOVERED, reason=f"try {tries}", tries=tries)
            return Finished(Settlement(lease, outputs), recovered, (DONE, ""))
        return Finished(Settlement(lease, outputs), None, (DONE, ""))

    def _ended(self, lease: Lease, outcome: Exception, entry: LedgerEntry) -> Finished:
        if not isinstance(outcome, Outcome):
            log.error("stage failed", exc_info=outcome, extra={"stage": self.name, "url": entry.url})
        fate = fate_of(self.queue_name, lease.message, outcome, self.config.rule, self._clock())
        log.debug("story ended", extra={"stage": self.name, "url": entry.url, "outcome": str(outcome)})
        settlement = Settlement(lease, fate.outputs)
        if fate.status is None:
            return Finished(settlement, None, None)
        origin = lease.message.headers.get(ORIGIN)
        detail = f"{fate.detail[:300]} ({origin})".strip() if origin else fate.detail
        tries = tries_before(lease.message) + 1
        recorded = replace(entry, status=fate.status, reason=fate.reason, detail=detail, tries=tries)
        return Finished(settlement, recorded, (fate.status, fate.reason))

    def _unreadable(self, lease: Lease, error: ValueError) -> Finished:
        return self._ended(lease, Quarantine("unreadable", str(error)), entry_for_message(lease.message, self.name))

    def _decode(self, lease: Lease) -> Story:
        return decode_story(WireStory(lease.message.body, lease.message.page))


class StreamWorker(Worker):
    """Many stories in flight at once, each settled as it is done."""

    async def run(self, stop: asyncio.Event) -> None:
        """Lease more as tasks end; settle finished ones in groups."""
        running: dict[asyncio.Task[Finished], Lease] = {}
        done: deque[Finished] = deque()
        wake, closing = asyncio.Event(), asyncio.Event()
        settler = asyncio.create_task(self._settle_as_they_come(done, wake, closing))
        unsettled: list[Lease] = []
        failures: list[BaseException] = []

        def ended(task: asyncio.Task[Finished]) -> None:
            lease = running.pop(task)
            if task.cancelled() or task.exception():
                unsettled.append(lease)
                failures.extend(filter(None, [None if task.cancelled() else task.exception()]))
            else:
                done.append(task.result())
            wake.set()

        try:
            while not stop.is_set() and not settler.done() and not failures:
                free = self.config.prefetch - len(running)
                if free <= 0:
                    await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                    continue
                for lease in await self._lease(free):
                    task = asyncio.create_task(self._timed(lease))
                    running[task] = lease
                    task.add_done_callback(ended)
            if stop.is_set():
                self._on_stop()
            if running and not settler.done():
                await asyncio.wait(running, timeout=self.grace_seconds)
        finally:
            for task in list(running):
                task.cancel()
            if running:
                await asyncio.wait(running)
            closing.set()
            wake.set()
            try:
                await settler
            finally:
                await self._broker.release(unsettled)
        if failures:
            raise failures[0]

    async def _settle_as_they_come(self, done: deque[Finished], wake: asyncio.Event, closing: asyncio.Event) -> None:
        while done or not closing.is_set():
            await wake.wait()
            wake.clear()
            if done:
                group = [done.popleft() for _ in range(len(done))]
                await self._settle(group)

    def _on_stop(self) -> None:
        """Called when no more stories are taken, before those in flight are waited for."""

    async def _timed(self, lease: Lease) -> Finished:
        begun = time.perf_counter()
        with timed("stage", stage=self.name) as attributes:
            finished = await self._process(lease)
            attributes["outcome"] = finished.entry.status if finished.entry else "passed on"
        self.times.add(time.perf_counter() - begun)
        return finished

    @abstractmethod
    async def _process(self, lease: Lease) -> Finished:
        """Run the stage on one message. Raises only what stops the worker."""


class AsyncWorker(StreamWorker):
    """For stages that mostly wait for servers.

    `on_stop` is called when the worker is told to stop, so that stories which have not begun need not be waited for.
    """

    def __init__(
        self,
        stage: AsyncStage,
        config: WorkerConfig,
        broker: Broker,
        ledger: Ledger,
        clock: Clock = wall_clock,
        *,
        on_stop: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(config, broker, ledger, clock)
        self._stage = stage
        self._tell_stage = on_stop

    def _on_stop(self) -> None:
        if self._tell_stage is not None:
            self._tell_stage()

    async def _process(self, lease: Lease) -> Finished:
        try:
            story = self._decode(lease)
        except ValueError as error:
            return self._unreadable(lease, error)
        before = story.raw_html.html
        try:
            results = await self._stage.process(story)
            packed = await asyncio.to_thread(pack_results, results, before)
        except WorkerError:
            raise  # not this story's fault: the worker stops and the story stays queued
        except asyncio.CancelledError:
            if _told_to_end():
                raise
            from_within = Retry("error", "something that the stage waited for was cancelled", keep=True)
            return self._ended(lease, from_within, entry_for(story, self.name))
        except Exception as outcome:
            return self._ended(lease, outcome, entry_for(story, self.name))
        return self._passed_on(lease, packed, entry_for(story, self.name))


def _told_to_end() -> bool:
    """Whether the running task itself was cancelled, and not something that it waits for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


class CpuWorker(StreamWorker):
    """For stages that compute: their stories are processed in other processes."""

    def __init__(
        self, pool: CpuPool, config: WorkerConfig, broker: Broker, ledger: Ledger, clock: Clock = wall_clock
    ) -> None:
        super().__init__(config, broker, ledger, clock)
        self._pool = pool

    async def _process(self, lease: Lease) -> Finished:
        message = lease.message
        try:
            answer = await self._pool.run(WireStory(message.body, message.page))
        except WorkerError:
            raise  # no process could start: the worker stops and the story stays queued
        except Exception as outcome:
            return self._ended(lease, outcome, entry_for_message(lease.message, self.name))
        entry = answer.entry or entry_for_message(lease.message, self.name)
        raised = answer.as_exception()
        if raised is not None:
            return self._ended(lease, raised, entry)
        return self._passed_on(lease, answer.results, entry)

    async def close(self) -> None:
        """End the processes."""
        await self._pool.close()
