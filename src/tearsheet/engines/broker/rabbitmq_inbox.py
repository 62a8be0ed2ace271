"""What RabbitMQ has sent us from a queue ahead of time, up to the prefetch, and the consumers that receive it.

The messages of an inbox count as ready until they are leased, and go back to the server when the connection ends.
"""

from __future__ import annotations

import asyncio
from collections import deque
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
    """What the server has sent us from one queue and is not leased yet, and how many messages are leased."""

    queue: str
    waiting: deque[AbstractIncomingMessage] = field(default_factory=deque)
    arrival: asyncio.Event = field(default_factory=asyncio.Event)
    held: int = 0
    prefetch: int = 0
    consumers: dict[str, Consumer] = field(default_factory=dict)
    """By the name of the server's queue."""
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def receive(self, message: AbstractIncomingMessage) -> None:
        """Called by the client for every message."""
        self.waiting.append(message)
        self.arrival.set()
