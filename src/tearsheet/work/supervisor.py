"""One supervisor runs all stages of a pipeline, its queuer and anything else that belongs to the run, in one process tree."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from tearsheet.engines import BrokenOff
from tearsheet.engines.broker import Broker, Depth
from tearsheet.errors import TearsheetError
from tearsheet.work.batches import CollectingWorker
from tearsheet.work.journey import input_queue
from tearsheet.work.water_marks import at_hand, waiting
from tearsheet.work.workers import Worker

log = logging.getLogger(__name__)
_CHECK_SECONDS = 0.1
_MOST_BEGINNINGS = 5
_BEGINNINGS_SECONDS = 60.0
"""A part whose transactions are broken off more often than this in so many seconds is not begun anew."""

Service = Callable[[asyncio.Event], Awaitable[None]]
"""Something that runs until the event is set: a poller, a queuer, a web server."""


class Supervisor:
    """Starts everything, watches it, and stops everything when one part fails or `stop` is set, for instance by a signal."""

    def __init__(self, workers: Sequence[Worker], broker: Broker, stop: asyncio.Event | None = None) -> None:
        self.stop = stop or asyncio.Event()
        self._workers = list(workers)
        self._broker = broker

    async def run(
        self, sources: Sequence[Service] = (), services: Sequence[Service] = (), *, once: bool = False
    ) -> None:
        """Run until stopped; with `once`, until every source has ended and the queues hold nothing but later tries.

        Sources bring stories (with `once` they end by themselves); services simply run alongside. A part that fails has given
        back what it held. The first error ends the run and is raised when everything has stopped, unless the part that met it
        can begin anew.
        """
        asyncio.get_running_loop().set_exception_handler(_say_each_error_once)
        tasks = [asyncio.create_task(_lasting(worker.run, self.stop), name=worker.name) for worker in self._workers]
        tasks += [asyncio.create_task(_lasting(service, self.stop)) for service in services]
        source_tasks = [asyncio.create_task(_lasting(source, self.stop)) for source in sources]
        if once:
            tasks.append(asyncio.create_task(self._stop_when_drained(source_tasks)))
        stopper = asyncio.create_task(self.stop.wait())
        everything = [*tasks, *source_tasks]
        try:
            await self._until_stopped(everything, stopper)
        finally:
            self.stop.set()
            results = await asyncio.gather(*everything, return_exceptions=True)
            stopper.cancel()
            for worker in self._workers:
                await worker.close()
        errors = [error for result in results if isinstance(result, BaseException) for error in _single(result)]
        if errors:
            raise errors[0]

    async def _until_stopped(self, tasks: Sequence[asyncio.Task[None]], stopper: asyncio.Task[bool]) -> None:
        waiting: set[asyncio.Task[None] | asyncio.Task[bool]] = {*tasks, stopper}
        while not self.stop.is_set():
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if any(task.exception() for task in done):
                return

    async def _stop_when_drained(self, sources: Sequence[asyncio.Task[None]]) -> None:
        if sources:
            await asyncio.wait(sources)
        while not self.stop.is_set():
            depths = await self._broker.depths()
            if not self._hurry_batches(depths):
                self.stop.set()
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stop.wait(), _CHECK_SECONDS)

    def _hurry_batches(self, depths: dict[str, Depth]) -> bool:
        """Whether there is still work. A batch stage need not wait for more when nothing is left upstream of it."""
        upstream, now = 0, time.time()
        for worker in self._workers:
            depth = depths.get(input_queue(worker.queue_name), Depth())
            if isinstance(worker, CollectingWorker):
                worker.hurry = upstream == 0 and waiting(depth, now) == 0
            upstream += at_hand(depth, now)
        return upstream > 0


async def _lasting(part: Service, stop: asyncio.Event) -> None:
    """Run a part to its end. One whose transaction was broken off begins anew, as its process would after a kill.

    So a database may restart under a run. Where transactions are broken off again and again, it is something else: that is raised.
    """
    last: deque[float] = deque(maxlen=_MOST_BEGINNINGS)
    while True:
        try:
            await part(stop)
            return
        except Exception as error:
            now, errors = time.monotonic(), _single(error)
            often = len(last) == _MOST_BEGINNINGS and now - last[0] < _BEGINNINGS_SECONDS
            if often or not all(isinstance(one, BrokenOff) for one in errors):
                raise
            last.append(now)
            log.warning("begun anew", extra={"error": str(errors[0])})


def _single(error: BaseException) -> list[Exception]:
    """The errors inside a group; a cancellation is not an error."""
    if isinstance(error, BaseExceptionGroup):
        return [inner for part in error.exceptions for inner in _single(part)]
    return [error] if isinstance(error, Exception) else []


def _say_each_error_once(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A full disk hits many tasks at once: the run raises one of their errors, and the others say nothing new."""
    if isinstance(context.get("exception"), TearsheetError):
        log.debug("the same in another task", extra={"error": str(context["exception"])})
    else:
        loop.default_exception_handler(context)
