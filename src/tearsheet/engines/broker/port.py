"""What the program asks of a broker: publish, lease, settle, inspect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

Headers = dict[str, str | int | float]


@dataclass(slots=True, frozen=True)
class Message:
    """A story in wire form, and what the pipeline knows about its journey (retries, reasons: see `work.journey`)."""

    body: bytes
    headers: Headers = field(default_factory=dict)
    key: str = ""
    """What a queue that several consumers share is partitioned by: for fetch queues, the host."""
    page: bytes = b""
    """The large part that seldom changes on the way. An adapter may keep one copy when a settlement passes on the same object."""


@dataclass(slots=True, frozen=True)
class Lease:
    """A message that we hold until we settle it. When our process dies, it goes back to its queue."""

    queue: str
    message: Message
    token: Any
    """The adapter's own handle."""
    redelivered: bool = False

    def bare(self) -> Lease:
        """The lease without the bytes of its message: enough to release it, or to settle it without outputs.

        Thousands can be held in little memory while what they stand for is made safe.
        """
        return replace(self, message=replace(self.message, body=b"", page=b""))


@dataclass(slots=True, frozen=True)
class Output:
    """A message for a queue, ready at once or after `delay` seconds."""

    queue: str
    message: Message
    delay: float = 0.0


@dataclass(slots=True, frozen=True)
class Settlement:
    """What became of a leased message: the original is deleted only after these outputs are stored safely.

    No outputs: done. An output to the message's own queue with a delay: a retry. An output to a `-quar` queue: quarantine.
    """

    lease: Lease
    outputs: tuple[Output, ...] = ()


@dataclass(slots=True, frozen=True)
class Depth:
    """How many messages of a queue are ready, leased, and waiting for their delay to end."""

    ready: int = 0
    leased: int = 0
    delayed: int = 0
    next_due: float | None = field(default=None, compare=False)
    """When the first delayed message is ready at the latest, in seconds since 1970; None when none is delayed."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.ready + self.leased + self.delayed


class Broker(Protocol):
    """Queues that survive a kill. A message may be seen twice and is never lost.

    A queue is created when it is first used. Each call returns when its effect is safe on disk.
    """

    async def publish(self, outputs: Sequence[Output]) -> None:
        """Store all messages, or raise and store none that the caller may rely on."""
        ...

    async def lease(self, queue: str, limit: int, wait: float = 0.0) -> list[Lease]:
        """Up to `limit` messages that are ready, oldest first. Waits up to `wait` seconds for the first one."""
        ...

    async def settle(self, settlements: Sequence[Settlement]) -> None:
        """Store every output, then delete every leased original: in one transaction, or by confirming before acknowledging."""
        ...

    async def release(self, leases: Sequence[Lease]) -> None:
        """Return messages unprocessed, as at a clean stop. They are ready again at once."""
        ...

    async def depths(self) -> dict[str, Depth]:
        """Every queue that exists, by name, with its depth."""
        ...

    async def oldest(self) -> dict[str, float]:
        """Since when the message that has been ready longest is ready, in seconds since 1970, by queue.

        Left out are queues in which nothing is ready: what is leased is at work, and what is delayed is not due.
        """
        ...

    async def peek(self, queue: str, limit: int) -> list[Message]:
        """The messages that are ready, oldest first, then those that are delayed; they stay in the queue."""
        ...

    async def hasten(self, queue: str, limit: int | None = None) -> int:
        """Make delayed messages of a queue ready now, all or up to `limit` of them. Returns how many."""
        ...

    async def purge(self, queue: str) -> int:
        """Delete all messages of a queue that are not leased, delayed ones too. Returns how many."""
        ...

    async def delete(self, queue: str) -> int:
        """Delete the queue and everything in it. Returns how many messages it held."""
        ...

    async def scrub(self) -> None:
        """Leave nothing of messages that were deleted in files of ours. What a server keeps is its own affair."""
        ...

    async def close(self) -> None:
        """Return leases and disconnect."""
        ...
