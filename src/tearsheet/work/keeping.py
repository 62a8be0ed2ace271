"""The worker around a stage that gathers stories into a file which is safe only once it is closed.

A batch worker would have to collect all stories of the file, with their pages, before any is written: for a WARC file of 5,000
stories, more than a gigabyte. So this one hands over small batches as they come, and the stage appends them. Their messages stay
leased until the file is safe, but without their bytes: what is held for a story is what it takes to settle it. That is all that
a broker needs. On SQLite, a lease lasts for as long as our process lives, and costs nothing meanwhile. RabbitMQ takes leases back
when the connection is lost, or after its consumer timeout of 30 minutes: the messages come again, and the stage, which knows
what its open file holds, does not write them again. Whichever lease of a story still holds is settled with the file.

A stage after this one needs the messages as they are, so they are held whole where there is one, and the file is closed early
when they take up too much memory.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from tearsheet.clock import Clock, wall_clock
from tearsheet.engines import BrokenOff
from tearsheet.engines.broker import Broker, Lease
from tearsheet.story import Story
from tearsheet.work.batches import CollectingWorker
from tearsheet.work.ledger import Ledger
from tearsheet.work.outcomes import KeepingStage, Kept
from tearsheet.work.workers import Finished, WorkerConfig

MOST_BYTES_KEPT = 64_000_000
"""Of messages that are to be passed on when their file is closed."""


class KeepingWorker(CollectingWorker):
    """Settles the stories of a file when the stage has closed it: by its own rule, when no more will come, and at a stop."""

    def __init__(
        self,
        stage: KeepingStage,
        config: WorkerConfig,
        broker: Broker,
        ledger: Ledger,
        clock: Clock = wall_clock,
        *,
        batch: int,
        seconds: float,
    ) -> None:
        super().__init__(config, broker, ledger, clock, batch=batch, seconds=seconds)
        self._stage = stage
        self._kept: dict[str, list[Finished]] = defaultdict(list)
        """What is ready to be settled once its place is safe."""
        self._bytes_kept = 0

    async def run(self, stop: asyncio.Event) -> None:
        """Add stories as they come. What is open at a stop is closed; after an error it is thrown away and comes again."""
        try:
            while not stop.is_set():
                await self._take_batch(stop)
                await self._settle_safe(everything=self.hurry or self._bytes_kept >= MOST_BYTES_KEPT)
            await self._settle_safe(everything=True)
        except BrokenOff:
            await self._give_back([])
            raise
        finally:
            await asyncio.to_thread(self._stage.abandon)

    async def _give_back(self, leases: Sequence[Lease]) -> None:
        """Return the messages of a batch, and of all stories whose file is not safe: that file is thrown away."""
        kept = [item.settlement.lease for finished in self._kept.values() for item in finished]
        self._kept.clear()
        self._bytes_kept = 0
        await self._broker.release(list({id(lease.token): lease for lease in (*leases, *kept)}.values()))

    async def _settle_safe(self, *, everything: bool) -> None:
        if not self._kept:
            return
        for place in await asyncio.to_thread(self._stage.finish, everything=everything):
            finished = self._kept[place]
            await self._settle(finished)
            self._bytes_kept -= sum(map(_bytes_of, finished))
            del self._kept[place]
        for place in self._stage.given_up():
            finished = self._kept.pop(place, [])
            self._bytes_kept -= sum(map(_bytes_of, finished))
            await self._broker.release([item.settlement.lease for item in finished])

    def _run_stage(self, leases: list[Lease], stories: list[Story]) -> list[Finished]:
        pages = [story.raw_html.html for story in stories]
        results = self._results_of(self._stage.process_batch, stories)
        ended = []
        for lease, story, page, result in zip(leases, stories, pages, results, strict=True):
            if isinstance(result, Kept):
                held = lease if self.config.outputs else lease.bare()
                finished = self._finished(held, story, page, story)
                self._kept[result.place].append(finished)
                self._bytes_kept += _bytes_of(finished)
            else:
                ended.append(self._finished(lease, story, page, result))
        return ended


def _bytes_of(finished: Finished) -> int:
    """The memory that a message takes up while it waits to be passed on."""
    messages = [output.message for output in finished.settlement.outputs]
    page = len(messages[0].page) if messages else 0  # all outputs share it
    return page + sum(len(message.body) for message in messages)
