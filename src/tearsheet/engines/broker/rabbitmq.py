"""The broker port on RabbitMQ: quorum queues, confirmed publishing, prefetch, delays that survive restarts.

A message is acknowledged only after every copy of it was confirmed. When the connection is lost, the server returns what we held to
its queue; settling such a lease then does nothing, because the message will be processed again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from tearsheet.engines.broker.port import Depth, Lease, Message, Output, Settlement
from tearsheet.engines.broker.rabbitmq_connecting import SETTING, connect
from tearsheet.engines.broker.rabbitmq_inbox import Inbox
from tearsheet.engines.broker.rabbitmq_layout import belongs_to, delay_of
from tearsheet.engines.broker.rabbitmq_link import Held, Link
from tearsheet.engines.broker.rabbitmq_management import Management
from tearsheet.engines.broker.rabbitmq_wire import ready_since, unpacked
from tearsheet.engines.server import (
    PATIENCE_SECONDS,
    LostConnection,
    ServerUrl,
    load_client,
    parse_server_url,
    pauses,
)  # fmt: skip
from tearsheet.errors import ConfigError, EngineError

if TYPE_CHECKING:
    from aio_pika.abc import AbstractIncomingMessage, AbstractQueue

_log = logging.getLogger(__name__)
T = TypeVar("T")
_ARRIVAL_SECONDS = 2.0
"""How long `lease` waits even with `wait=0`, for messages that the server is about to send."""
_ON_ITS_WAY_SECONDS = 0.5
"""The same when none is ready there: what the server has just sent is ready no longer, and may not have arrived yet."""
_DEFAULT_PARTS = 8
_HASTENED_AT_ONCE = 100


def open_rabbitmq_broker(
    url: str, *, partitioned: Sequence[str] = (), patience: float = PATIENCE_SECONDS
) -> RabbitBroker:
    """The broker of `amqp://USER:PASSWORD@HOST[:PORT]/VHOST` (`amqps` with encryption). Connects on first use.

    `partitioned` queues are divided by their messages' keys into `?parts=N` (8) queues, so that each key has one consumer at
    a time. `?management=PORT` is the port of the management API, which lists the queues.
    """
    server = parse_server_url(url, SETTING, {"amqp": 5672, "amqps": 5671})
    load_client("aio_pika", "rabbitmq", SETTING)
    try:
        parts = int(server.options.get("parts", _DEFAULT_PARTS))
        int(server.options.get("management", 0))
    except ValueError:
        raise ConfigError(f"{SETTING}: `parts` and `management` in the URL must be numbers") from None
    return RabbitBroker(server, dict.fromkeys(partitioned, parts) if parts > 1 else {}, patience)


class RabbitBroker:
    """Queues of one virtual host."""

    def __init__(self, server: ServerUrl, parts: Mapping[str, int], patience: float) -> None:
        self._server = server
        self._parts = parts
        self._patience = patience
        self._management = Management(server)
        self._link: Link | None = None
        self._linking = asyncio.Lock()
        self._closed = False

    # --------------------------------------------------------------------------------------------------- the port

    async def publish(self, outputs: Sequence[Output]) -> None:
        """Store all messages. They are sent again after a lost connection, so some may be stored twice."""
        if outputs:
            await self._until_heard(lambda link: link.publish(outputs, self._patience))

    async def lease(self, queue: str, limit: int, wait: float = 0.0) -> list[Lease]:
        """Up to `limit` messages. Reconnects when the connection is lost."""
        if limit <= 0:
            return []
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait
        while True:
            link = await self._linked()
            with suppress(LostConnection):
                inbox, expected = await link.subscribe(queue, limit)
                grace = loop.time() + (_ARRIVAL_SECONDS if expected else _ON_ITS_WAY_SECONDS)
                await self._arrival(link, inbox, max(deadline, grace))
                leases = link.take(inbox, limit) if link.alive else []
                if leases or loop.time() >= deadline:
                    return leases

    async def settle(self, settlements: Sequence[Settlement]) -> None:
        """Publish the outputs, wait for their confirmations, then acknowledge the originals."""
        live = [settlement for settlement in settlements if _is_live(settlement.lease)]
        if len(live) < len(settlements):
            _log.warning(
                "leases lost with their connection, come again", extra={"messages": len(settlements) - len(live)}
            )
        for link in {_held(settlement.lease).link for settlement in live}:
            mine = [settlement for settlement in live if _held(settlement.lease).link is link]
            try:
                await link.publish([output for settlement in mine for output in settlement.outputs], self._patience)
                await self._acknowledge(link, [settlement.lease for settlement in mine])
            except LostConnection:
                _log.warning("connection lost while settling, messages come again", extra={"messages": len(mine)})

    async def release(self, leases: Sequence[Lease]) -> None:
        """Return messages; the server has already returned those of a lost connection."""
        for lease in leases:
            held = _held(lease)
            if held.link.alive:
                with suppress(LostConnection):
                    async with held.link.watched():
                        await held.give_back()
                        held.inbox.let_go(held.consumer)

    async def depths(self) -> dict[str, Depth]:
        """Every queue with its depth: ready and delayed are exact, what others hold is some seconds out of date."""
        return await self._until_heard(self._counted)

    async def _counted(self, link: Link) -> dict[str, Depth]:
        listed = await self._listed(link)
        counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        delays: dict[str, list[int]] = defaultdict(list)
        for name, unacknowledged in listed.items():
            ready = await link.ready(name)
            if ready is not None:
                queue, _ = belongs_to(name)
                delay = delay_of(name)
                counts[queue][0 if delay is None else 2] += ready
                counts[queue][1] += unacknowledged if delay is None else 0
                if delay is not None and ready:
                    delays[queue].append(delay)
        return {
            queue: _depth(link.inboxes.get(queue), counts[queue], _latest(delays[queue])) for queue in sorted(counts)
        }

    async def oldest(self) -> dict[str, float]:
        """From the first message of each queue, which is taken and put back: the server does not tell when it came."""
        async with self._asked() as link:
            moments = {queue: [*map(ready_since, list(inbox.waiting)[:1])] for queue, inbox in link.inboxes.items()}
            for name in await self._listed(link):
                queue, delayed = belongs_to(name)
                if not delayed:
                    moments.setdefault(queue, []).append(await link.first_ready_since(name))
        known = {queue: [moment for moment in some if moment is not None] for queue, some in moments.items()}
        return {queue: min(some) for queue, some in known.items() if some}

    async def _listed(self, link: Link) -> dict[str, int]:
        """The server's queues with what is leased of each; without the management API, those that we consume."""
        listed = await asyncio.to_thread(self._management.unacknowledged)
        if listed is None:
            _log.warning("management API not reachable, only queues of this process are counted")
            return dict.fromkeys((name for queue in link.inboxes for name in link.names(queue)), 0)
        return listed

    async def peek(self, queue: str, limit: int) -> list[Message]:
        """Messages that are ready: those already sent to us, then more from the server, which are put back; then delayed ones."""
        async with self._asked() as link:
            inbox = link.inboxes.get(queue)
            found = [unpacked(message) for message in list(inbox.waiting)[:limit]] if inbox else []
            for name in [*link.names(queue), *await self._delays_of(link, queue)]:
                if await link.ready(name) is None:
                    continue
                async with link.asking() as channel:
                    source = await channel.get_queue(name, ensure=False)
                    while len(found) < limit and (message := await source.get(fail=False)) is not None:
                        found.append(unpacked(message))
                    # Closing the channel returns them to their old positions.
            return found

    async def hasten(self, queue: str, limit: int | None = None) -> int:
        """Move messages out of their delay queues, some at a time: confirmed in the new queue before they leave the old one."""
        moved = 0
        async with self._asked() as link:
            for name in await self._delays_of(link, queue):
                async with link.asking() as channel:
                    source = await channel.get_queue(name, ensure=False)
                    while some := [m async for m in _got(source, _at_once(limit, moved))]:
                        await link.publish([Output(queue, unpacked(message)) for message in some], self._patience)
                        for message in some:
                            await message.ack()
                        moved += len(some)
        return moved

    async def purge(self, queue: str) -> int:
        """Delete what is not leased, delayed messages too."""
        async with self._asked() as link:
            purged = 0
            for name in await self._names_of(link, queue):
                async with link.asking() as channel:
                    source = await channel.get_queue(name, ensure=False)
                    purged += (await source.purge()).message_count or 0
            return purged + await self._drop_waiting(link, queue)

    async def delete(self, queue: str) -> int:
        """Delete the queue, its parts and its delay queues."""
        async with self._asked() as link:
            inbox = await link.unsubscribe(queue)
            deleted = inbox.held + len(inbox.waiting)
            for name in await self._names_of(link, queue):
                async with link.asking() as channel:
                    result: Any = await channel.queue_delete(name)
                    deleted += result.message_count or 0
            for consumer in inbox.consumers.values():
                await consumer.channel.close()
            if queue in self._parts:
                async with link.asking() as channel:
                    await channel.exchange_delete(queue)
            link.forget(queue)
            return deleted

    async def scrub(self) -> None:
        """Nothing: the server deletes the files of settled messages by itself, and cannot be asked to."""

    async def close(self) -> None:
        """Disconnect, which returns leases."""
        self._closed = True
        async with self._linking:
            if self._link is not None:
                await self._link.close()
                self._link = None

    # ------------------------------------------------------------------------------------------------- connecting

    async def _linked(self) -> Link:
        """The connection, or a new one if it was lost; tries for as long as patience lasts."""
        async with self._linking:
            if self._closed:
                raise EngineError("the broker is closed")
            if self._link is not None and self._link.alive:
                return self._link
            if self._link is not None:
                with suppress(Exception):  # it is lost already; an error on closing tells us nothing
                    await self._link.close()
            self._link = None
            tries = pauses(self._patience)
            while True:
                try:
                    self._link = await connect(self._server, self._parts, self._management)
                    return self._link
                except LostConnection as error:
                    pause = next(tries, None)
                    if pause is None:
                        raise
                    _log.warning(
                        "waiting for the broker", extra={"at": self._server.address, "error": str(error.__cause__)}
                    )
                    await asyncio.sleep(pause)

    async def _until_heard(self, ask: Callable[[Link], Awaitable[T]]) -> T:
        """Make a request that is safe to repeat, and repeat it when the connection is lost, for as long as patience lasts."""
        tries = pauses(self._patience)
        while True:
            link = await self._linked()
            try:
                return await ask(link)
            except LostConnection:
                pause = next(tries, None)
                if pause is None:
                    raise
                await asyncio.sleep(pause)

    @asynccontextmanager
    async def _asked(self) -> AsyncIterator[Link]:
        """A connection for a request that is not repeated if the connection is lost."""
        yield await self._linked()

    async def _arrival(self, link: Link, inbox: Inbox, until: float) -> None:
        """Wait until a message has arrived, the connection or the queue is lost, or time is up."""
        loop = asyncio.get_running_loop()
        while not inbox.waiting and link.alive and loop.time() < until and link.inboxes.get(inbox.queue) is inbox:
            inbox.arrival.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await inbox.arrival.wait()

    async def _acknowledge(self, link: Link, leases: Sequence[Lease]) -> None:
        async with link.watched():
            await asyncio.gather(*(_held(lease).acknowledge() for lease in leases))
        for lease in leases:
            _held(lease).inbox.let_go(_held(lease).consumer)

    async def _drop_waiting(self, link: Link, queue: str) -> int:
        """Acknowledge what was sent to us ahead of time: it is not leased, so a purge includes it."""
        inbox = link.inboxes.get(queue)
        dropped = 0
        if inbox is not None:
            await link.hear_out(inbox)
        while inbox is not None and inbox.waiting:
            async with link.watched():
                await inbox.waiting.popleft().ack()
            dropped += 1
        return dropped

    async def _delays_of(self, link: Link, queue: str) -> list[str]:
        """The queues of the server in which messages of a queue are delayed, the shortest delay first."""
        delays = [(delay_of(name) or 0, name) for name in await self._names_of(link, queue) if belongs_to(name)[1]]
        return [name for _, name in sorted(delays)]

    async def _names_of(self, link: Link, queue: str) -> list[str]:
        """All existing queues of the server that belong to one of our queues."""
        listed = await asyncio.to_thread(self._management.unacknowledged)
        if listed is None:
            raise EngineError(
                f"{SETTING}: the management API of RabbitMQ at {self._server.host} does not answer, and this needs it; "
                "enable rabbitmq_management, or add ?management=PORT to the URL"
            )
        return [name for name in listed if belongs_to(name)[0] == queue]


def _at_once(limit: int | None, moved: int) -> int:
    return _HASTENED_AT_ONCE if limit is None else min(_HASTENED_AT_ONCE, limit - moved)


async def _got(source: AbstractQueue, limit: int) -> AsyncIterator[AbstractIncomingMessage]:
    for _ in range(limit):
        message = await source.get(fail=False)
        if message is None:
            return
        yield message


def _held(lease: Lease) -> Held:
    token: Held = lease.token
    return token


def _is_live(lease: Lease) -> bool:
    held = _held(lease)
    return held.link.alive and not held.channel.is_closed


def _latest(delays: Sequence[int]) -> float | None:
    """When the first message of queues with these delays has left at the latest: how long it has waited already is not known."""
    return time.time() + min(delays) if delays else None


def _depth(inbox: Inbox | None, counts: Sequence[int], next_due: float | None) -> Depth:
    """What was sent to us ahead of time counts as ready; our own count of our leases is newer than the server's figures."""
    ready, unacknowledged, delayed = counts
    waiting, held = (len(inbox.waiting), inbox.held) if inbox else (0, 0)
    return Depth(ready + waiting, max(held, unacknowledged - waiting), delayed, next_due)
