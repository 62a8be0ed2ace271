"""The queues as an operator sees them: how deep they are, what is in them, and how to repair them."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import tearsheet.pipeline  # named in full below: its parts are loaded only by what takes stories out of queues, or puts them in
import tearsheet.pipeline.queuers
from tearsheet.app.places import QUEUE_DUMPS, TRACKERS, check_apart
from tearsheet.app.running import run_to_its_end
from tearsheet.app.services import Services
from tearsheet.clock import wall_clock
from tearsheet.engines.broker import Broker, Depth, Message, Output, Settlement
from tearsheet.errors import EngineError, NotFoundError
from tearsheet.files import make_folder
from tearsheet.near_names import did_you_mean
from tearsheet.work import empty_queue, input_queue, message_summary, quarantine_queue, requeue

if TYPE_CHECKING:
    from tearsheet.pipeline import Dumped, Loaded, Wanted

T = TypeVar("T")
_TRY_SECONDS = 10.0


@dataclass(slots=True, frozen=True)
class QueueState:
    """How many messages one queue has, and for how long the oldest of those that are ready has waited."""

    queue: str
    ready: int
    leased: int
    delayed: int
    oldest_seconds: float | None
    """None when nothing is ready."""


class QueueWatch:
    """The depths of all queues, for repeated use on one event loop."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._broker: Broker | None = None
        self._opening = asyncio.Lock()

    async def depths(self) -> dict[str, Depth]:
        """The depth of every queue."""
        return await (await self._opened()).depths()

    async def oldest(self) -> dict[str, float]:
        """Since when the oldest ready message of each queue waits, in seconds since 1970."""
        return await (await self._opened()).oldest()

    async def _opened(self) -> Broker:
        """The broker, opened by the first call, because it belongs to the event loop."""
        async with self._opening:
            if self._broker is None:
                self._broker = self._services.open_broker()
            return self._broker

    async def close(self) -> None:
        """Close the broker."""
        broker, self._broker = self._broker, None
        if broker is not None:
            await broker.close()


def read_depths(services: Services) -> dict[str, Depth]:
    """The depth of every queue."""
    return with_broker(services, lambda broker: broker.depths())


def read_queues(services: Services) -> list[QueueState]:
    """Every queue with its depth and the age of its oldest ready message, by name."""

    async def read(broker: Broker) -> list[QueueState]:
        depths, oldest, now = await broker.depths(), await broker.oldest(), wall_clock()
        ages = {name: max(0.0, now - since) for name, since in oldest.items()}
        return [
            QueueState(name, depth.ready, depth.leased, depth.delayed, ages.get(name))
            for name, depth in sorted(depths.items())
        ]

    return with_broker(services, read)


def try_queuing(services: Services) -> None:
    """Send a message through a queue of its own, which is deleted afterwards. Raises EngineError when it does not come back."""
    queue, sent = f"tearsheet-doctor-{uuid.uuid4().hex}", Message(os.urandom(64))

    async def send(broker: Broker) -> None:
        try:
            await broker.publish([Output(queue, sent)])
            leases = await broker.lease(queue, 1, _TRY_SECONDS)
            if [lease.message.body for lease in leases] != [sent.body]:
                raise EngineError("engines.broker: a message that was queued does not come back; check the broker")
            await broker.settle([Settlement(lease) for lease in leases])
        finally:
            await broker.delete(queue)

    with_broker(services, send)


def peek_queue(services: Services, queue: str, limit: int) -> list[dict[str, object]]:
    """The oldest messages of a queue, and why they are there. Raises NotFoundError."""

    async def peek(broker: Broker) -> list[dict[str, object]]:
        await _must_be_read(services, broker, queue)
        return [message_summary(message) for message in await broker.peek(queue, limit)]

    return with_broker(services, peek)


def purge_queue(services: Services, queue: str) -> int:
    """Delete all messages of a queue that no worker holds, noted in the ledger; returns how many. Raises NotFoundError."""

    async def empty(broker: Broker) -> int:
        await _must_exist(broker, queue)
        return await empty_queue(broker, queue, services.ledger)

    return with_broker(services, empty)


def delete_queue(services: Services, queue: str) -> int:
    """Delete a queue and everything in it, noted in the ledger; returns how many messages it had. Raises NotFoundError."""

    async def remove(broker: Broker) -> int:
        await _must_exist(broker, queue)
        return await empty_queue(broker, queue, services.ledger) + await broker.delete(queue)

    return with_broker(services, remove)


def requeue_quarantined(services: Services, stage: str, limit: int) -> int:
    """Send a stage's quarantined stories through it again; returns how many. Raises NotFoundError."""

    async def send_back(broker: Broker) -> int:
        await _must_be_read(services, broker, input_queue(stage))
        return await requeue(broker, stage, limit)

    return with_broker(services, send_back)


def dump_queues(services: Services, queues: Sequence[str], output: Path | None, limit: int | None) -> list[Dumped]:
    """Move the stories of queues, or of all queues when none is named, into WARC files. Raises NotFoundError.

    Without an `output` folder, they are written into one of the data folder.
    """
    folder = output or services.data / QUEUE_DUMPS
    check_apart(
        services.settings, "--output", folder, may_be=QUEUE_DUMPS
    )  # the archive would take them for its own files

    async def dump(broker: Broker) -> list[Dumped]:
        for queue in queues:
            await _must_exist(broker, queue)
        chosen = queues or [name for name, depth in sorted((await broker.depths()).items()) if depth.total]
        return [await tearsheet.pipeline.dump_queue(broker, queue, folder, limit=limit) for queue in chosen]

    return with_broker(services, dump)


def load_dumps(services: Services, inputs: Sequence[str], wanted: Wanted) -> Loaded:
    """Put dumped stories back into their queues. Raises NotFoundError for a queue that nobody reads."""
    stores = tearsheet.pipeline.queuers.InputStores(services.settings.engines.blobs, services.open_blobs)
    files = tearsheet.pipeline.queuers.expand(inputs, stores, tearsheet.pipeline.queuers.SUFFIXES)

    async def load(broker: Broker) -> Loaded:
        if wanted.queue is not None:
            await _must_be_read(services, broker, wanted.queue)
        read = frozenset(await _read_queues(services, broker))
        return await tearsheet.pipeline.load_files(broker, files, replace(wanted, read=read), tracker)

    folder = services.data / TRACKERS
    make_folder(folder)
    with closing(tearsheet.pipeline.queuers.Tracker(folder / "load-archives.sqlite3")) as tracker:
        return with_broker(services, load)


def with_broker(services: Services, work: Callable[[Broker], Awaitable[T]]) -> T:
    """Work with the broker, in an event loop of its own."""

    async def main() -> T:
        broker = services.open_broker()
        try:
            return await work(broker)
        finally:
            await broker.close()

    return run_to_its_end(main())


async def _must_be_read(services: Services, broker: Broker, queue: str) -> None:
    """Raises NotFoundError for a queue that is none of those that are read."""
    known = await _read_queues(services, broker)
    if queue not in known:
        raise _no_queue(queue, did_you_mean(queue, sorted(known), _named(await broker.depths())))


async def _read_queues(services: Services, broker: Broker) -> set[str]:
    """The queues that are there, or that a stage of a pipeline reads, or its quarantine."""
    stages = [pipeline.queue_name(step.stage) for pipeline in services.pipelines.values() for step in pipeline.steps]
    return {name for stage in stages for name in (input_queue(stage), quarantine_queue(stage))} | set(
        await broker.depths()
    )


async def _must_exist(broker: Broker, queue: str) -> None:
    depths = await broker.depths()
    if queue not in depths:
        raise _no_queue(queue, did_you_mean(queue, sorted(depths), _named(depths)))


def _named(depths: Mapping[str, Depth]) -> str:
    return f"there are: {', '.join(sorted(depths)) or 'none yet'}"


def _no_queue(queue: str, hint: str) -> NotFoundError:
    return NotFoundError(f"there is no queue {queue!r}; {hint}")
