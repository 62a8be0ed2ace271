"""Workers for stages that are given many stories at once, collected by count or age."""

from __future__ import annotations

import asyncio
import logging
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

from tearsheet.clock import Clock, wall_clock
from tearsheet.engines import BrokenOff
from tearsheet.engines.broker import Broker, Lease
from tearsheet.errors import WorkerError
from tearsheet.story import Story, WireStory, decode_story
from tearsheet.telemetry import timed
from tearsheet.work.journey import input_queue
from tearsheet.work.ledger import Ledger
from tearsheet.work.ledger_entry import entry_for
from tearsheet.work.outcomes import BatchStage, Outcome, Quarantine, Result
from tearsheet.work.packing import pack_results
from tearsheet.work.workers import Finished, Worker, WorkerConfig

log = logging.getLogger(__name__)
T = TypeVar("T")


class CollectingWorker(Worker):
    """Collects stories, decodes them, and lets its stage work on them in a thread."""

    def __init__(
        self, config: WorkerConfig, broker: Broker, ledger: Ledger, clock: Clock, *, batch: int, seconds: float
    ) -> None:
        super().__init__(config, broker, ledger, clock)
        self._batch = batch
        self._seconds = seconds

    async def run(self, stop: asyncio.Event) -> None:
        """Collect, process, settle. What is in hand at a stop is still processed."""
        while not stop.is_set():
            await self._take_batch(stop)

    async def _take_batch(self, stop: asyncio.Event) -> None:
        """Collect, process and settle one batch. When a transaction is broken off, its stories go back to their queue."""
        leases = await self._collect(stop)
        try:
            if leases:
                await self._process_batch(leases)
        except BrokenOff:
            await self._give_back(leases)
            raise

    async def _give_back(self, leases: Sequence[Lease]) -> None:
        await self._broker.release(leases)

    async def _collect(self, stop: asyncio.Event) -> list[Lease]:
        """A batch; empty when no story came for a moment."""
        leases = await self._lease(self._batch, wait=0.25)
        oldest = time.monotonic()
        while 0 < len(leases) < self._batch and not stop.is_set() and not self.hurry:
            remaining = oldest + self._seconds - time.monotonic()
            if remaining <= 0:
                break
            room = self._batch - len(leases)
            leases += await self._broker.lease(input_queue(self.queue_name), room, min(remaining, 0.25))
        return leases

    async def _process_batch(self, leases: list[Lease]) -> None:
        finished, stories, readable = [], [], []
        for lease in leases:
            try:
                stories.append(self._decode(lease))
                readable.append(lease)
            except ValueError as error:
                finished.append(self._unreadable(lease, error))
        if stories:
            begun = time.perf_counter()
            with timed("batch", stage=self.name):
                finished += await asyncio.to_thread(self._run_stage, readable, stories)
            self.times.add(time.perf_counter() - begun, len(stories))
        await self._settle(finished)

    @abstractmethod
    def _run_stage(self, leases: list[Lease], stories: list[Story]) -> list[Finished]:
        """Run the stage on the stories, in a thread; returns what can be settled now."""

    def _finished(self, lease: Lease, story: Story, page: bytes | None, result: Result) -> Finished:
        entry = entry_for(story, self.name)
        if isinstance(result, Outcome):
            return self._ended(lease, result, entry)
        try:
            packed = pack_results(result, page) if self.config.outputs else []
        except Exception as error:
            return self._ended(lease, error, entry)
        return self._passed_on(lease, packed, entry)

    def _results_of(
        self, process: Callable[[Sequence[Story]], Sequence[T]], stories: list[Story]
    ) -> Sequence[T | Quarantine]:
        try:
            return process(stories)
        except WorkerError:
            raise  # not these stories' fault: the worker stops and they stay queued
        except Exception as error:
            if len(stories) == 1:
                log.error("stage failed", exc_info=error, extra={"stage": self.name, "url": stories[0].url})
                return [Quarantine("error", f"{type(error).__name__}: {error}")]
        # One story spoils the batch: try them one by one, so that the others go on.
        return [result for story in stories for result in self._results_of(process, [story])]


class BatchWorker(CollectingWorker):
    """For stages that are cheaper for many stories at once, and whose results are safe when they return.

    A stage that needs no `pages` gets stories without them. Their messages still carry them on.
    """

    def __init__(
        self,
        stage: BatchStage,
        config: WorkerConfig,
        broker: Broker,
        ledger: Ledger,
        clock: Clock = wall_clock,
        *,
        batch: int,
        seconds: float,
        pages: bool = True,
    ) -> None:
        super().__init__(config, broker, ledger, clock, batch=batch, seconds=seconds)
        self._stage = stage
        self._pages = pages

    def _decode(self, lease: Lease) -> Story:
        return super()._decode(lease) if self._pages else decode_story(WireStory(lease.message.body))

    def _run_stage(self, leases: list[Lease], stories: list[Story]) -> list[Finished]:
        pages = [story.raw_html.html for story in stories]
        results = self._results_of(self._stage.process_batch, stories)
        together = zip(leases, stories, pages, results, strict=True)
        return [self._finished(lease, story, page, result) for lease, story, page, result in together]
