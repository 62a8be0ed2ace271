"""Take stories out of all queues, wherever in a pipeline they wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tearsheet.chunks import chunks
from tearsheet.engines.broker import Broker, Depth, Lease, Message, Settlement
from tearsheet.story import Story, WireStory, decode_story

_LEASED = 200
_PEEKED = 5_000
"""In a queue with more messages, all of them are looked through one by one."""

Unwanted = Callable[[Story], bool]


async def sweep_queues(broker: Broker, unwanted: Unwanted, *, dry_run: bool = False) -> int:
    """Delete the messages of unwanted stories; returns how many there are, or were seen in a dry run.

    Meant for queues that nobody works on: what a worker holds is left to it. Where a queue has such a story, its retries are due at
    once, because only what is due can be taken out.
    """
    found = 0
    for queue, depth in sorted((await broker.depths()).items()):
        waiting = depth.ready + depth.delayed
        seen = _count(await broker.peek(queue, min(waiting, _PEEKED)), unwanted) if waiting else 0
        if dry_run:
            found += seen
        elif seen or waiting > _PEEKED:
            found += await _sweep(broker, queue, depth, unwanted)
    return found


async def _sweep(broker: Broker, queue: str, depth: Depth, unwanted: Unwanted) -> int:
    if depth.delayed:
        await broker.hasten(queue)
    found, others = 0, []
    try:
        while leases := await broker.lease(queue, _LEASED, wait=0.5):
            gone = [lease for lease in leases if _is(lease.message, unwanted)]
            # Without their pages, because a queue may hold more than the memory does; they are only to be given back.
            others += [replace(lease, message=Message(b"")) for lease in leases if lease not in gone]
            await broker.settle([Settlement(lease) for lease in gone])
            found += len(gone)
    finally:
        await _release(broker, others)
    return found


async def _release(broker: Broker, leases: Sequence[Lease]) -> None:
    for some in chunks(leases, _LEASED):
        await broker.release(some)


def _count(messages: Sequence[Message], unwanted: Unwanted) -> int:
    return sum(_is(message, unwanted) for message in messages)


def _is(message: Message, unwanted: Unwanted) -> bool:
    try:
        return unwanted(decode_story(WireStory(message.body)))
    except ValueError:
        return False  # a job of a topic, or a message that no stage could read either
