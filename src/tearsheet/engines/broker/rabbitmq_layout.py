"""How our queues are laid out on a RabbitMQ server: names, arguments and delays. Pure rules; the connection is elsewhere.

    parser-in               the queue itself, a quorum queue
    parser-in:delay-60      messages that wait 60 s and are then moved to the queue by the server, at least once
    fetcher-in:part-3       one part of a queue that is divided by key; the exchange of the queue's name deals messages out

Only the message at the head of a queue expires, so each duration has its own queue.
"""

from __future__ import annotations

import math
import re
from typing import Any

LADDER = (1, 2, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400)
"""The durations, in seconds, to which delays are rounded up; longer ones are rounded up to whole days."""

HASH_HEADER = "key"
HASH_EXCHANGE = "x-consistent-hash"
OLDEST_SERVER = (3, 10)
"""The first version that moves expired messages at least once."""

LEAST_PREFETCH, MOST_PREFETCH = 16, 65_535

_PHYSICAL = re.compile(r"(?P<queue>.+):(?P<kind>delay|part)-(?P<number>\d+)")
_DAY = 86_400


def rounded_delay(delay: float) -> int:
    """The duration of the delay queue for a delay: never shorter than asked."""
    for seconds in LADDER:
        if delay <= seconds:
            return seconds
    return math.ceil(delay / _DAY) * _DAY


def delay_name(queue: str, seconds: int) -> str:
    """The queue in which messages for `queue` wait this many seconds."""
    return f"{queue}:delay-{seconds}"


def part_name(queue: str, number: int) -> str:
    """One part of a divided queue."""
    return f"{queue}:part-{number}"


def members_name(queue: str) -> str:
    """Where the consumers of a divided queue are counted; it holds no messages."""
    return f"{queue}:members"


def hold_name(part: str) -> str:
    """The empty queue that the only consumer of a part owns; the server refuses it to all others."""
    return f"{part}:hold"


def is_ours(name: str) -> bool:
    """Whether a queue of the server holds our messages."""
    return not name.endswith((":members", ":hold"))


def fair_share(parts: int, members: int) -> int:
    """How many parts each member of a group takes at most."""
    return -(-parts // max(1, members))


def belongs_to(name: str) -> tuple[str, bool]:
    """The queue that a queue of the server belongs to, and whether messages in it are delayed."""
    found = _PHYSICAL.fullmatch(name)
    return (found["queue"], found["kind"] == "delay") if found else (name, False)


def delay_of(name: str) -> int | None:
    """How many seconds messages wait in a queue of the server; None when it is not for waiting."""
    found = _PHYSICAL.fullmatch(name)
    return int(found["number"]) if found and found["kind"] == "delay" else None


def prefetch_for(wanted: int) -> int:
    """How many messages a consumer may be sent that is to lease this many: a power of two, so that it seldom changes."""
    return min(MOST_PREFETCH, max(LEAST_PREFETCH, 1 << (wanted - 1).bit_length()))


def queue_arguments(version: tuple[int, ...]) -> dict[str, Any]:
    """A queue that is replicated and never drops a message."""
    # Without this, RabbitMQ 4.0 and later drop a message that was returned 20 times.
    unlimited: dict[str, Any] = {"x-delivery-limit": -1} if version >= (4, 0) else {}
    return {"x-queue-type": "quorum"} | unlimited


def delay_arguments(queue: str, seconds: int, divided: bool, version: tuple[int, ...]) -> dict[str, Any]:
    """A queue whose messages move to `queue` when they are old enough, and are kept until they arrive there."""
    target = {"x-dead-letter-exchange": queue} if divided else {"x-dead-letter-exchange": ""}
    return queue_arguments(version) | target | {
        "x-dead-letter-routing-key": queue,
        "x-message-ttl": seconds * 1000,
        "x-dead-letter-strategy": "at-least-once",
        # Without this the server silently falls back to moving at most once.
        "x-overflow": "reject-publish",
    }  # fmt: skip


def parse_version(text: str) -> tuple[int, ...]:
    """(3, 10, 8) for `3.10.8-rc1`."""
    return tuple(int(part) for part in re.findall(r"\d+", text.split("-")[0]))[:3]
