"""How long an event loop was blocked: time in which it answered nobody, because one piece of work kept it.

A loop works in turns: it looks which sockets and timers are ready, then runs what waits for them. Whoever becomes ready meanwhile
waits for the end of the turn, so a block is a turn that takes long. Every turn is measured, which costs a quarter of a microsecond.
"""

from __future__ import annotations

import asyncio
import logging
import selectors
from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

log = logging.getLogger(__name__)
BLOCKED_SECONDS = 0.1
"""A turn that takes longer is counted as a block."""
_TOLD_SECONDS = 1.0
_PAUSE_SECONDS = 60.0


@dataclass(slots=True)
class LoopWatch:
    """What happened on a loop since it began."""

    blocks: int = 0
    blocked_seconds: float = 0.0
    longest: float = 0.0
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


class WatchedLoop(asyncio.SelectorEventLoop):
    """An event loop that knows how long it was blocked."""

    def __init__(self) -> None:
        self.watch = LoopWatch()
        super().__init__(_WatchingSelector(self.watch))


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
        took = perf_counter() - self._began
        if took > BLOCKED_SECONDS:
            self._watch.blocked(took)
        ready = self._select(timeout)
        self._began = perf_counter()
        return ready
