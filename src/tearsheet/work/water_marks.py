"""Back-pressure: stop when the next queue is full, start again when it has room. Hysteresis keeps it from fluttering."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tearsheet.engines.broker import Depth

SOON_SECONDS = 45.0
"""Messages that are ready again within this time are work at hand: hosts are asked for one story after another.
It is less than the pause before a second try, which may be hours."""


def waiting(depth: Depth, now: float) -> int:
    """How many messages of a queue wait to be worked on, now or soon. Those that wait for a later try do not count."""
    soon = depth.next_due is not None and depth.next_due - now <= SOON_SECONDS
    return depth.ready + (depth.delayed if soon else 0)


def at_hand(depth: Depth, now: float) -> int:
    """The same, with those that are being worked on."""
    return waiting(depth, now) + depth.leased


@dataclass(slots=True)
class WaterMarks:
    """Stops at `high`, starts again below `low`, or when nothing is left."""

    low: int
    high: int
    stopped: bool = False
    """At first: true for a queuer, which adds to what is already queued only when that is nearly used up."""

    def may_go(self, depths: Iterable[int]) -> bool:
        """Whether more may be sent, given the depth of each queue it would go to."""
        deepest = max(depths, default=0)
        self.stopped = deepest >= (max(self.low, 1) if self.stopped else self.high)
        return not self.stopped


def room_in(queues: Iterable[str], depths: dict[str, Depth], marks: WaterMarks, now: float) -> bool:
    """Whether a queuer may send more to these queues: what a stage holds there counts too."""
    return marks.may_go(at_hand(depths[queue], now) for queue in queues if queue in depths)
