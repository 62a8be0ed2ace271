"""How long an event loop was blocked: time in which it answered nobody, because one piece of work kept it.

A loop works in turns: it looks which sockets and timers are ready, then runs what waits for them. Whoever becomes ready meanwhile
waits for the end of the turn, so a block is a turn that takes long. Every turn is measured, which costs a quarter of a microsecond.

A loop may also be late: its sockets are ready, or its time to wait is over, and it does not get to run, because another thread
holds the interpreter or the machine has no processor to spare. To see that, it never waits for longer than a tenth of a second at a
time, and what it takes beyond the time that it asked for counts.
"""

from __future__ import annotations

import asyncio
import logging
import selectors
import threading
from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

log = logging.getLogger(__name__)
BLOCKED_SECONDS = 0.1
"""A turn that takes longer is counted as a block."""
_LOOK_SECONDS = 0.1
"""How long it waits at a time. A loop that has nothing to do looks so often, which takes a thousandth of a processor."""
_TOLD_SECONDS = 1.0
_PAUSE_SECONDS = 60.0


@dataclass(slots=True)
class LoopWatch:
    """What happened on a loop since it began."""

    blocks: int = 0
    blocked_seconds: float = 0.0
    longest: float = 0.0
    late_seconds: float = 0.0
    """How long it was not let run, counting only what was over a tenth of a second at a time."""
    latest: float = 0.0
    ended_processes: Counter[str] = field(default_factory=Counter)
    """Child processes that had to be replaced, by reason: see `pool`."""
    _told_at: float = float("-inf")

    def blocked(self, seconds: float) -> None:
        """A turn took so long. Over a second is also logged, once a minute at most."""
        self.blocks += 1
        self.blocked_seconds += seconds
        self.longest = max(self.longest, seconds)
        now = perf_counter()
        if seconds > _TOLD_SECONDS and now - self._told_at > _PAUSE_SECONDS:
            self._told_at = now
            log.warning("the event loop was blocked", extra={"seconds": round(seconds, 2), "blocks": self.blocks})

    def late(self, seconds: float) -> None:
        """It ran so much later than it could have. Whoever held the interpreter is to blame, so nothing is logged for the loop."""
        self.late_seconds += seconds
        self.latest = max(self.latest, seconds)

    def add(self, other: LoopWatch) -> None:
        """Count what happened on another loop, too."""
        self.blocks += other.blocks
        self.blocked_seconds += other.blocked_seconds
        self.longest = max(self.longest, other.longest)
        self.late_seconds += other.late_seconds
        self.latest = max(self.latest, other.latest)
        self.ended_processes.update(other.ended_processes)


class WatchedLoop(asyncio.SelectorEventLoop):
    """An event loop that knows how long it was blocked."""

    def __init__(self) -> None:
        self.watch = LoopWatch()
        super().__init__(_WatchingSelector(self.watch))
        with _LOCK:
            _OPEN.append(self.watch)

    def close(self) -> None:
        """Close it; what it counted stays among the figures of the process."""
        super().close()
        with _LOCK:
            for position, watch in enumerate(_OPEN):
                if watch is self.watch:
                    _CLOSED.add(_OPEN.pop(position))
                    return


_LOCK = threading.Lock()
_OPEN: list[LoopWatch] = []
_CLOSED = LoopWatch()
"""What happened on loops of this process that were closed."""


def process_watch() -> LoopWatch:
    """What happened on all loops of this process together."""
    whole = LoopWatch()
    with _LOCK:
        for watch in (_CLOSED, *_OPEN):
            whole.add(watch)
    return whole


def watch_of(loop: asyncio.AbstractEventLoop) -> LoopWatch | None:
    """The watch of a loop, if it has one."""
    return loop.watch if isinstance(loop, WatchedLoop) else None


class _WatchingSelector(selectors.DefaultSelector):
    """A loop calls `select` between two turns."""

    def __init__(self, watch: LoopWatch) -> None:
        super().__init__()
        self._watch = watch
        self._began = float("inf")
        self._select = super().select

    def select(self, timeout: float | None = None) -> list[Any]:
        asked = perf_counter()
        if asked - self._began > BLOCKED_SECONDS:
            self._watch.blocked(asked - self._began)
        # With nothing ready, the loop has an empty turn, and waits again.
        waiting = _LOOK_SECONDS if timeout is None else max(0.0, min(timeout, _LOOK_SECONDS))
        ready = self._select(waiting)
        self._began = perf_counter()
        late = self._began - asked - waiting
        if late > BLOCKED_SECONDS:
            self._watch.late(late)
        return ready
