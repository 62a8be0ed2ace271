"""Whether an event loop was blocked: no turn of any loop may compute for longer than 100 ms.

    def test_a_hostile_feed_does_not_stop_the_others(unblocked_loop):
        asyncio.run(scenario())

or, for a part of a test, and to read the figures:

    with unblocked_loop() as turns:
        asyncio.run(scenario())
    assert turns.longest < 0.05

Every loop of this process is watched, in all threads: also that of a web server which the test started. A turn is what a loop does
between two looks at its sockets: whoever waits for the loop waits that long. Its length is the processor time of the loop's thread,
not the time on the clock, so that a busy machine, which merely takes the processor away, makes no test fail. Therefore waiting on
the loop (`time.sleep`, a lock) is not seen here; computing is. Not counted are other threads and processes, nor the garbage that
earlier tests left, when Python happens to collect it in a turn. Importing counts, as in production: a test that uses a package for
the first time imports it at its top.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import local
from typing import Any
from unittest.mock import patch

BLOCKED_SECONDS = 0.1
"""As in production: see `tearsheet.work.loop_watch`."""


@dataclass(slots=True)
class Turns:
    """The turns of all loops while they were watched."""

    count: int = 0
    longest: float = 0.0
    """Seconds of processor time."""
    longest_callback: str = ""
    """What took the most of the longest turn."""


class _Turn(local):
    """What the turn that runs in this thread has spent so far."""

    collecting = 0.0
    collected = 0.0
    slowest = 0.0
    callback = ""


def allowed(seconds: float = BLOCKED_SECONDS) -> float:
    """What a turn may take: `seconds`, or three times as long where every line is traced, for coverage."""
    return seconds * (3 if sys.gettrace() else 1)


@contextmanager
def unblocked_loop(seconds: float = BLOCKED_SECONDS) -> Iterator[Turns]:
    """Fail at the end of the block when a turn took more processor time than is allowed."""
    turns = Turns()
    with _watched(turns):
        yield turns
    assert turns.longest <= allowed(seconds), (
        f"the event loop was blocked for {turns.longest:.3f} s of processor time, mostly by {turns.longest_callback}"
    )


@contextmanager
def _watched(turns: Turns) -> Iterator[None]:
    current = _Turn()
    run_once = asyncio.BaseEventLoop._run_once  # type: ignore[attr-defined]
    run_callback = asyncio.Handle._run

    def timed_turn(loop: asyncio.BaseEventLoop) -> None:
        current.collected = current.slowest = 0.0
        started = time.thread_time()
        try:
            run_once(loop)
        finally:
            spent = time.thread_time() - started - current.collected
            turns.count += 1
            if spent > turns.longest:
                turns.longest, turns.longest_callback = spent, current.callback

    def timed_callback(handle: asyncio.Handle) -> None:
        task = getattr(handle._callback, "__self__", None)  # type: ignore[attr-defined]
        started = time.thread_time()
        try:
            run_callback(handle)
        finally:
            spent = time.thread_time() - started
            if spent > current.slowest:
                current.slowest, current.callback = spent, repr(task or handle)

    def collecting(phase: str, _: dict[str, Any]) -> None:
        if phase == "start":
            current.collecting = time.thread_time()
        else:
            current.collected += time.thread_time() - current.collecting

    gc.callbacks.append(collecting)
    try:
        with (
            patch.object(asyncio.BaseEventLoop, "_run_once", timed_turn),
            patch.object(asyncio.Handle, "_run", timed_callback),
        ):
            yield
    finally:
        gc.callbacks.remove(collecting)
