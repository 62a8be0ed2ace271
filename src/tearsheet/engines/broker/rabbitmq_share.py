"""Divide the parts of a queue among the processes that consume it, so that each key belongs to one process at a time.

Every process also consumes the queue's `:members` queue, which never holds a message: the server counts its consumers.
Each takes its fair share of the parts, and gives up what is beyond it when others join. The process that consumes a part owns
its `:hold` queue, an exclusive one: the server gives it to one connection and takes it back when that connection ends. (An
exclusive consumer would be simpler, but quorum queues do not enforce it.)
"""

from __future__ import annotations

import asyncio
import random
from contextlib import AbstractAsyncContextManager, suppress
from typing import TYPE_CHECKING, Protocol

from tearsheet.engines.broker.rabbitmq_inbox import Consumer, Inbox
from tearsheet.engines.broker.rabbitmq_layout import fair_share, hold_name, members_name

if TYPE_CHECKING:
    from aio_pika.abc import AbstractChannel, AbstractIncomingMessage

LOOK_SECONDS = 5.0
"""How often a process checks whether others have joined or left."""


class Channels(Protocol):
    """What a share needs of the connection."""

    def names(self, queue: str) -> list[str]:
        """The server's queues that make up a queue."""
        ...

    def asking(self) -> AbstractAsyncContextManager[AbstractChannel]:
        """A channel for one question."""
        ...

    async def open_channel(self) -> AbstractChannel:
        """A channel for consuming."""
        ...


class Share:
    """Our share of the parts of one divided queue."""

    def __init__(self, link: Channels, queue: str) -> None:
        self._link = link
        self._queue = queue
        self._next_look = 0.0
        self._seat: AbstractChannel | None = None

    async def adjust(self, inbox: Inbox) -> None:
        """Take parts or give some up, now and then."""
        now = asyncio.get_running_loop().time()
        if now < self._next_look:
            return
        self._next_look = now + LOOK_SECONDS
        names = self._link.names(self._queue)
        fair = fair_share(len(names), await self._members())
        for name in random.sample(list(inbox.consumers), max(0, len(inbox.consumers) - fair)):
            await self._give_up(inbox, name)
        free = [name for name in names if name not in inbox.consumers]
        for name in random.sample(free, len(free)):
            if len(inbox.consumers) >= fair:
                break
            await self._try_to_take(inbox, name, fair)

    async def _members(self) -> int:
        name = members_name(self._queue)
        if self._seat is None:
            self._seat = await self._link.open_channel()
            seats = await self._seat.declare_queue(name, auto_delete=True)
            await seats.consume(_nothing)
        async with self._link.asking() as channel:
            found = await channel.declare_queue(name, passive=True)
            return found.declaration_result.consumer_count or 1

    async def _give_up(self, inbox: Inbox, name: str) -> None:
        """Leave this part to another process; we finish what we have leased from it already."""
        consumer = inbox.consumers.pop(name)
        await consumer.queue.cancel(consumer.tag)
        async with self._link.asking() as channel:
            await channel.queue_delete(hold_name(name))
        kept = [message for message in inbox.waiting if message.consumer_tag != consumer.tag]
        back = [message for message in inbox.waiting if message.consumer_tag == consumer.tag]
        inbox.waiting.clear()
        inbox.waiting.extend(kept)
        for message in reversed(back):
            await message.nack(requeue=True)

    async def _try_to_take(self, inbox: Inbox, name: str, fair: int) -> None:
        from aiormq.exceptions import ChannelLockedResource

        try:
            async with self._link.asking() as channel:
                await channel.declare_queue(hold_name(name), exclusive=True)
        except ChannelLockedResource:
            return  # another process has it
        channel = await self._link.open_channel()
        await channel.set_qos(prefetch_count=max(8, -(-2 * inbox.prefetch // fair)))
        consumer = Consumer(channel, await channel.get_queue(name, ensure=False))
        consumer.tag = await consumer.queue.consume(inbox.receive)
        inbox.consumers[name] = consumer

    async def leave(self) -> None:
        """Leave the members and give up every part."""
        from aiormq.exceptions import ChannelLockedResource

        for name in self._link.names(self._queue):
            with suppress(ChannelLockedResource):
                async with self._link.asking() as channel:
                    await channel.queue_delete(hold_name(name))
        if self._seat is not None:
            await self._seat.close()


async def _nothing(message: AbstractIncomingMessage) -> None:
    """Drop a message: nothing should ever be written to the members' queue."""
    await message.ack()
