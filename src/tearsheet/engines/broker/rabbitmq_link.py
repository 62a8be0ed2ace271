"""One connection to RabbitMQ, from its opening to its loss. Leases end with their link, and the messages return to their queue."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tearsheet.engines.broker.port import Lease, Output
from tearsheet.engines.broker.rabbitmq_inbox import Consumer, Inbox
from tearsheet.engines.broker.rabbitmq_layout import (  # fmt: skip
    HASH_EXCHANGE,
    HASH_HEADER,
    MOST_PREFETCH,
    delay_arguments,
    delay_name,
    parse_version,
    part_name,
    prefetch_for,
    queue_arguments,
    rounded_delay,
)
from tearsheet.engines.broker.rabbitmq_share import Share
from tearsheet.engines.broker.rabbitmq_wire import headers_of, ready_since, unpacked
from tearsheet.engines.server import LostConnection, ServerUrl
from tearsheet.errors import EngineError, TearsheetError

if TYPE_CHECKING:
    from aio_pika.abc import AbstractChannel, AbstractConnection
    from aiormq.abc import AbstractChannel as AmqpChannel

_log = logging.getLogger(__name__)
_SETTING = "engines.broker"
_TURNS_TO_RECEIVE = 5
"""Of the event loop, within which the client hands over what has arrived."""


@dataclass(slots=True, frozen=True)
class Held:
    """The token of a lease: what it takes to settle it, without the message, which may be large and is held by others."""

    link: Link
    inbox: Inbox
    channel: AmqpChannel
    number: int
    """The delivery tag."""
    consumer: str

    async def acknowledge(self) -> None:
        """Let the server forget the message."""
        await self.channel.basic_ack(self.number)

    async def give_back(self) -> None:
        """Let the server deliver the message again."""
        await self.channel.basic_nack(self.number, requeue=True)


class Link:
    """A connection with a channel for publishing, one for each question, and one for each queue that is consumed."""

    def __init__(
        self, server: ServerUrl, connection: AbstractConnection, publisher: AbstractChannel, parts: Mapping[str, int]
    ) -> None:
        self._server = server
        self._connection = connection
        self._publisher = publisher
        self._parts = parts
        self._declared: set[str] = set()
        self._declaring = asyncio.Lock()
        self._shares: dict[str, Share] = {}
        self.inboxes: dict[str, Inbox] = {}
        self.lost = asyncio.Event()
        self.version = parse_version(str(_server_properties(connection).get("version", "0")))
        connection.close_callbacks.add(self._on_close)

    @property
    def alive(self) -> bool:
        """Whether it can still be used."""
        return not self.lost.is_set() and not self._connection.is_closed

    async def close(self) -> None:
        """Return every lease and disconnect."""
        self.lost.set()
        await self._connection.close()

    def _on_close(self, *_: Any) -> None:
        self.lost.set()
        for inbox in self.inboxes.values():
            inbox.arrival.set()

    # ------------------------------------------------------------------------------------------------- publishing

    async def publish(self, outputs: Sequence[Output], patience: float) -> None:
        """Send messages and wait until the server has confirmed every one."""
        async with self.watched():
            for output in outputs:
                await self._ensure(output)
            try:
                async with asyncio.timeout(patience):
                    await asyncio.gather(*(self._send(output) for output in outputs))
            except TimeoutError:
                raise EngineError(
                    f"{_SETTING}: RabbitMQ at {self._server.address} confirms no messages; "
                    "is its memory or disk full (`rabbitmq-diagnostics alarms`)?"
                ) from None

    async def _ensure(self, output: Output) -> None:
        await self.declare(output.queue)
        if output.delay > 0:
            await self.declare_delay(output.queue, rounded_delay(output.delay))

    async def _send(self, output: Output) -> None:
        from aio_pika.exceptions import DeliveryError, PublishError

        for attempt in (1, 2):
            try:
                await self._send_once(output)
                return
            except PublishError:
                # The queue was deleted after we declared it.
                if attempt == 2:
                    raise
                self.forget(output.queue)
                await self._ensure(output)
            except DeliveryError as error:
                raise EngineError(
                    f"{_SETTING}: RabbitMQ at {self._server.address} refuses messages for {output.queue!r}: the queue is full; "
                    "let its consumers catch up, or raise its limit"
                ) from error

    async def _send_once(self, output: Output) -> None:
        import aio_pika

        message = output.message
        wire = aio_pika.Message(
            message.body + message.page,
            headers=headers_of(message, time.time() + (rounded_delay(output.delay) if output.delay > 0 else 0)),
            delivery_mode=aio_pika.DeliveryMode.PERSISTENT,
        )
        if output.delay > 0:
            exchange, routing_key = (
                self._publisher.default_exchange,
                delay_name(output.queue, rounded_delay(output.delay)),
            )
        elif output.queue in self._parts:
            exchange, routing_key = await self._publisher.get_exchange(output.queue, ensure=False), output.queue
        else:
            exchange, routing_key = self._publisher.default_exchange, output.queue
        await exchange.publish(wire, routing_key, mandatory=True)

    # ------------------------------------------------------------------------------------------- declaring and asking

    async def declare(self, queue: str) -> int:
        """Make sure that a queue exists. Returns how many messages are ready in it if the server had to be asked, else 0."""
        if queue in self._declared:
            return 0
        async with self._declaring, self.asking() as channel:
            ready = 0
            for name in self.names(queue):
                found = await channel.declare_queue(name, durable=True, arguments=queue_arguments(self.version))
                ready += found.declaration_result.message_count or 0
            if queue in self._parts:
                exchange = await channel.declare_exchange(
                    queue, HASH_EXCHANGE, durable=True, arguments={"hash-header": HASH_HEADER}
                )
                for name in self.names(queue):
                    part = await channel.get_queue(name, ensure=False)
                    await part.bind(exchange, routing_key="10")  # for this exchange, the key is a weight
            self._declared.add(queue)
            return ready

    async def declare_delay(self, queue: str, seconds: int) -> None:
        """Make sure that the queue for a duration exists."""
        name = delay_name(queue, seconds)
        if name not in self._declared:
            async with self._declaring, self.asking() as channel:
                arguments = delay_arguments(queue, seconds, queue in self._parts, self.version)
                await channel.declare_queue(name, durable=True, arguments=arguments)
                self._declared.add(name)

    def names(self, queue: str) -> list[str]:
        """The server's queues that make up a queue, without those for delays."""
        if queue in self._parts:
            return [part_name(queue, number) for number in range(self._parts[queue])]
        return [queue]

    def forget(self, queue: str) -> None:
        """Declare the queue again before its next use, because it may be gone."""
        gone = {name for name in self._declared if name == queue or name.startswith(f"{queue}:")}
        self._declared -= gone

    async def ready(self, name: str) -> int | None:
        """How many messages are ready in a queue of the server, or None when it does not exist."""
        from aio_pika.exceptions import ChannelNotFoundEntity

        try:
            async with self.asking() as channel:
                found = await channel.declare_queue(name, passive=True)
                return found.declaration_result.message_count or 0
        except ChannelNotFoundEntity:
            return None

    async def first_ready_since(self, name: str) -> float | None:
        """From when the first message of a queue of the server could be leased. It is taken and put back where it was."""
        from aio_pika.exceptions import ChannelNotFoundEntity

        try:
            async with self.asking() as channel:
                source = await channel.get_queue(name, ensure=False)
                message = await source.get(fail=False)
                return ready_since(message) if message is not None else None
        except ChannelNotFoundEntity:
            return None

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[AbstractChannel]:
        """A channel for one question: the server closes the channel of a question that it refuses."""
        async with self.watched():
            channel = await self._connection.channel(publisher_confirms=False)
            try:
                yield channel
            finally:
                if not channel.is_closed:
                    await channel.close()

    # -------------------------------------------------------------------------------------------------- consuming

    async def subscribe(self, queue: str, limit: int) -> tuple[Inbox, bool]:
        """The queue's inbox with room for `limit` more leases, and whether messages should be on their way to it."""
        expected = await self.declare(queue) > 0
        inbox = self._open_inbox(queue)
        async with self.watched(), inbox.changing:
            if queue in self._parts:
                inbox.prefetch = max(inbox.prefetch, prefetch_for(inbox.held + limit))
                await self._share(queue).adjust(inbox)
            elif queue not in inbox.consumers or inbox.room(inbox.consumers[queue].tag) < min(limit, MOST_PREFETCH):
                inbox.prefetch = prefetch_for(limit)
                expected = bool(await self.ready(queue)) or expected  # asked before they are sent, and ready no longer
                await self._consume_again(inbox)
        if not inbox.waiting:
            expected = await self._look(inbox) or expected
        return inbox, expected

    def _open_inbox(self, queue: str) -> Inbox:
        """The inbox, without consumers whose channel the server has closed, as it does after 30 minutes without an ack."""
        inbox = self.inboxes.setdefault(queue, Inbox(queue))
        dead = {name: consumer for name, consumer in inbox.consumers.items() if consumer.channel.is_closed}
        if dead and queue not in self._parts:
            self.inboxes[queue] = Inbox(queue)
            return self.inboxes[queue]
        for name, consumer in dead.items():
            del inbox.consumers[name]
            inbox.waiting = deque(message for message in inbox.waiting if message.consumer_tag != consumer.tag)
        return inbox

    def _on_cancel(self, frame: Any) -> None:
        """The server ends a consumer because its queue was deleted. The queue is declared again on its next use."""
        for inbox in list(self.inboxes.values()):
            if frame.consumer_tag in [consumer.tag for consumer in inbox.consumers.values()]:
                self.forget(inbox.queue)
                self.inboxes.pop(inbox.queue, None)
                self._shares.pop(inbox.queue, None)
                inbox.arrival.set()

    async def _look(self, inbox: Inbox) -> bool:
        """Whether the server has messages for an empty inbox."""
        for name in list(inbox.consumers):
            if await self.ready(name):
                return True
        return False

    async def _consume_again(self, inbox: Inbox) -> None:
        """Start a new consumer: prefetch is fixed when a consumer starts. What was sent already stays valid on its channel.

        The server counts what each consumer holds. So whoever leases more and more without settling gets a new consumer now and
        then, and the server never sends more than `prefetch` messages ahead of time, also when thousands are settled at once.
        """
        consumer = inbox.consumers.get(inbox.queue)
        if consumer is None:
            channel = await self.open_channel()
            consumer = Consumer(channel, await channel.get_queue(inbox.queue, ensure=False))
            inbox.consumers[inbox.queue] = consumer
        else:
            await consumer.queue.cancel(consumer.tag)
        await consumer.channel.set_qos(prefetch_count=inbox.prefetch)
        consumer.tag = await consumer.queue.consume(inbox.receive)

    async def open_channel(self) -> AbstractChannel:
        """A channel for consuming."""
        channel = await self._connection.channel(publisher_confirms=False)
        underlay: Any = await channel.get_underlay_channel()
        underlay.on_consumer_cancel_callbacks.add(self._on_cancel)
        return channel

    def _share(self, queue: str) -> Share:
        if queue not in self._shares:
            self._shares[queue] = Share(self, queue)
        return self._shares[queue]

    async def unsubscribe(self, queue: str) -> Inbox:
        """Stop consuming a queue; what we have received stays in the inbox until its channels are closed."""
        inbox = self.inboxes.pop(queue, None) or Inbox(queue)
        share = self._shares.pop(queue, None)
        async with self.watched():
            for consumer in inbox.consumers.values():
                await consumer.queue.cancel(consumer.tag)
            if share is not None:
                await share.leave()
        return inbox

    async def hear_out(self, inbox: Inbox) -> None:
        """Wait for what is on its way to our consumers: on a channel, the server answers a question after what it sent before."""
        async with self.watched():
            for consumer in inbox.consumers.values():
                await consumer.channel.get_queue(consumer.queue.name)
        for _ in range(_TURNS_TO_RECEIVE):
            await asyncio.sleep(0)

    def take(self, inbox: Inbox, limit: int) -> list[Lease]:
        """Lease what has arrived."""
        leases: list[Lease] = []
        while inbox.waiting and len(leases) < limit:
            message = inbox.waiting.popleft()
            consumer, number = message.consumer_tag or "", message.delivery_tag or 0
            held = Held(self, inbox, message.channel, number, consumer)
            leases.append(Lease(inbox.queue, unpacked(message), held, bool(message.redelivered)))
            inbox.leased[consumer] += 1
        if not inbox.waiting:
            inbox.arrival.clear()
        return leases

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Turn whatever the client raises when the connection is lost into LostConnection."""
        from aio_pika.exceptions import AMQPConnectionError, ChannelInvalidStateError, ChannelPreconditionFailed

        lost = (AMQPConnectionError, ChannelInvalidStateError, ConnectionError)
        try:
            yield
        except ChannelPreconditionFailed as error:
            raise EngineError(
                f"{_SETTING}: a queue at {self._server.address} exists already with other properties ({error}); "
                "delete it there, or use another virtual host"
            ) from error
        except TearsheetError:
            raise
        except asyncio.CancelledError as error:
            # The client cancels waiting callers when its connection ends, which is not the same as our own task being cancelled.
            task = asyncio.current_task()
            if self.alive or (task is not None and task.cancelling()):
                raise
            raise self._gone() from error
        except Exception as error:
            if "unknown exchange type" in str(error):
                raise EngineError(
                    f"{_SETTING}: RabbitMQ at {self._server.address} lacks a plugin; "
                    "run `rabbitmq-plugins enable rabbitmq_consistent_hash_exchange` there"
                ) from error
            # The client raises a bare Exception in callers that await a confirmation when its connection ends.
            if isinstance(error, lost) or type(error) is Exception or not self.alive:
                raise self._gone() from error
            raise

    def _gone(self) -> LostConnection:
        self._on_close()
        return LostConnection(f"{_SETTING}: the connection to RabbitMQ at {self._server.address} was lost")


def _server_properties(connection: AbstractConnection) -> Mapping[str, Any]:
    transport = connection.transport
    return getattr(getattr(transport, "connection", None), "server_properties", {})
