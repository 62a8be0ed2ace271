"""What RabbitMQ has sent us from a queue ahead of time, up to the prefetch, and the consumers that receive it.

The messages of an inbox count as ready until they are leased, and go back to the server when the connection ends.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aio_pika.abc import AbstractChannel, AbstractIncomingMessage, AbstractQueue


@dataclass(slots=True)
class Consumer:
    """Our subscription to one queue of the server, on a channel of its own."""

    channel: AbstractChannel
    queue: AbstractQueue
    tag: str = ""


@dataclass(slots=True)
class Inbox:
    """What the server has sent us from one queue and is not leased yet, and how much of it is leased."""

    queue: str
    waiting: deque[AbstractIncomingMessage] = field(default_factory=deque)
    arrival: asyncio.Event = field(default_factory=asyncio.Event)
    leased: Counter[str] = field(default_factory=Counter)
    """How many messages of each consumer we hold, by its tag."""
    prefetch: int = 0
    """How many messages the server sends to a consumer before we settle any of them."""
    consumers: dict[str, Consumer] = field(default_factory=dict)
    """By the name of the server's queue."""
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def held(self) -> int:
        """How many messages are leased."""
        return self.leased.total()

    def room(self, tag: str) -> int:
        """How many more messages the server will send to a consumer, or has sent to it, while we settle none."""
        return self.prefetch - self.leased[tag]

    def let_go(self, tag: str) -> None:
        """Count a message that is leased no longer."""
        self.leased[tag] -= 1
        if not self.leased[tag]:
            del self.leased[tag]

    async def receive(self, message: AbstractIncomingMessage) -> None:
        """Called by the client for every message."""
        self.waiting.append(message)
        self.arrival.set()
