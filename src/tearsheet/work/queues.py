"""Summaries of queued messages, and the way out of quarantine."""

from __future__ import annotations

from datetime import UTC, datetime

from tearsheet.engines.broker import Broker, Message, Output, Settlement
from tearsheet.story import WireStory, decode_story
from tearsheet.work.journey import RETRIES, WHAT, WHEN, input_queue, quarantine_queue, replayed

_GROUP = 100


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
        "when": datetime.fromtimestamp(float(when), UTC).isoformat(timespec="seconds") if when else "",
        "bytes": len(message.body) + len(message.page),
    }


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
