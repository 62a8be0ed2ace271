"""Summaries of what is queued, and the way out of quarantine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from tearsheet.engines.broker import Broker, Depth, Message, Output, Settlement
from tearsheet.story import WireStory, decode_story
from tearsheet.work.journey import DUE, RETRIES, WHAT, WHEN, input_queue, quarantine_queue, replayed
from tearsheet.work.water_marks import at_hand

_GROUP = 100


@dataclass(slots=True, frozen=True)
class LaterTries:
    """Stories that stay in their queues until they are tried again."""

    stories: int = 0
    first: float | None = None
    """When the first of them is, at the latest, in seconds since 1970."""


def later_tries(depths: Mapping[str, Depth], now: float) -> LaterTries:
    """What queues hold that have nothing else to do soon."""
    later = [depth for depth in depths.values() if depth.delayed and not at_hand(depth, now)]
    due = [depth.next_due for depth in later if depth.next_due is not None]
    return LaterTries(sum(depth.delayed for depth in later), min(due, default=None))


def message_summary(message: Message) -> dict[str, object]:
    """What an operator wants to know about a queued message."""
    try:
        url = decode_story(WireStory(message.body)).url or "–"
    except ValueError:
        url = "(not readable)"
    when = message.headers.get(WHEN)
    return {
        "url": url,
        "retries": int(message.headers.get(RETRIES, 0)),
        "what": str(message.headers.get(WHAT, "")),
        "when": _moment(when),
        "due": _moment(message.headers.get(DUE)),
        "bytes": len(message.body) + len(message.page),
    }


def _moment(seconds: str | float | None) -> str:
    return datetime.fromtimestamp(float(seconds), UTC).isoformat(timespec="seconds") if seconds else ""


async def requeue(broker: Broker, stage: str, limit: int) -> int:
    """Move messages from a stage's quarantine to its input. Returns how many."""
    moved = 0
    while moved < limit:
        leases = await broker.lease(quarantine_queue(stage), min(_GROUP, limit - moved))
        if not leases:
            return moved
        target = input_queue(stage)
        await broker.settle([Settlement(lease, (Output(target, replayed(lease.message)),)) for lease in leases])
        moved += len(leases)
    return moved
