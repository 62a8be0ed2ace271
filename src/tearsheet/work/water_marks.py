"""Back-pressure: stop when the next queue is full, start again when it has room. Hysteresis keeps it from fluttering."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class WaterMarks:
    """Stops at `high`, starts again below `low`."""

    low: int
    high: int
    stopped: bool = False

    def may_go(self, depths: Iterable[int]) -> bool:
        """Whether more may be sent, given the depth of each queue it would go to."""
        deepest = max(depths, default=0)
        if self.stopped:
            self.stopped = deepest >= self.low
        else:
            self.stopped = deepest >= self.high
        return not self.stopped
