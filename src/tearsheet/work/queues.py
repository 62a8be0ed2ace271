"""Summaries of what is queued, the way out of quarantine, and the end of a queue."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from tearsheet.engines.broker import Broker, Depth, Message, Output, Settlement
from tearsheet.story import WireStory, decode_story
from tearsheet.work.journey import DUE, WHAT, WHEN, input_queue, quarantine_queue, replayed, tries_before
from tearsheet.work.ledger import Ledger
from tearsheet.work.ledger_entry import DROPPED, entry_for_message
from tearsheet.work.water_marks import at_hand

_GROUP = 100


@dataclass(slots=True, frozen=True)
class LaterTries:
    """Stories that stay in their queues until they are tried again."""

    stories: int = 0
    first: float | None = None
    """When the first of them is due, at the latest, in seconds since 1970."""


def later_tries(depths: Mapping[str, Depth], now: float) -> LaterTries:
    """What queues hold that have nothing else to do soon."""
    later = [depth for depth in depths.values() if depth.delayed and not at_hand(depth, now)]
    due = [depth.next_due for depth in later if depth.next_due is not None]
    return LaterTries(sum(depth.delayed for depth in later), min(due, default=None))


def quarantines(depths: Mapping[str, Depth]) -> dict[str, int]:
    """How many stories each stage has in quarantine, by the prefix of its queues' names; only stages that have any."""
    suffix = quarantine_queue("")
    found = {name.removesuffix(suffix): depth.total for name, depth in depths.items() if name.endswith(suffix)}
    return {stage: stories for stage, stories in sorted(found.items()) if stories}


def message_summary(message: Message) -> dict[str, object]:
    """What an operator wants to know about a queued message."""
    try:
        url = decode_story(WireStory(message.body)).url or "–"
    except ValueError:
        url = "(not readable)"
    when = message.headers.get(WHEN)
    return {
        "url": url,
        "retries": tries_before(message),
        "what": str(message.headers.get(WHAT, "")),
        "when": _moment(when),
        "due": _moment(message.headers.get(DUE)),
        "bytes": len(message.body) + len(message.page),
    }


def _moment(seconds: str | float | None) -> str:
    """A header's time as it is shown; nothing for what is no time."""
    try:
        return datetime.fromtimestamp(float(seconds), UTC).isoformat(timespec="seconds") if seconds else ""
    except (ValueError, OverflowError, OSError):
        return ""


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


async def empty_queue(broker: Broker, queue: str, ledger: Ledger) -> int:
    """Delete the messages that are in a queue now and that nobody holds, each noted in the ledger. Returns how many."""
    depth = (await broker.depths()).get(queue, Depth())
    wanted, emptied = depth.ready + depth.delayed, 0
    await broker.hasten(queue)
    while emptied < wanted and (leases := await broker.lease(queue, min(_GROUP, wanted - emptied))):
        await asyncio.to_thread(_note_purged, ledger, queue, [lease.message for lease in leases])
        await broker.settle([Settlement(lease) for lease in leases])
        emptied += len(leases)
    # Fetchers that share a queue on RabbitMQ keep their parts of it from us, but not from a purge.
    if emptied < wanted and (rest := await broker.peek(queue, wanted - emptied)):
        await asyncio.to_thread(_note_purged, ledger, queue, rest)
        emptied += await broker.purge(queue)
    return emptied


def _note_purged(ledger: Ledger, queue: str, messages: Sequence[Message]) -> None:
    entries = [entry_for_message(message, stage_of(queue)) for message in messages]
    ledger.record([replace(entry, status=DROPPED, reason="purged", detail=f"from {queue}") for entry in entries])


def stage_of(queue: str) -> str:
    """The stage that a queue belongs to: `parser` for `parser-in`, `parser-quar` and `csv.parser-in`."""
    for suffix in (input_queue(""), quarantine_queue("")):
        queue = queue.removesuffix(suffix)
    return queue.rpartition(".")[2]
