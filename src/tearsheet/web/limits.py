"""Rate limits: a bucket for each client, which refills evenly."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from tearsheet.clock import Clock, wall_clock

_MAX_ASKERS = 10_000
_MINUTE = 60.0


@dataclass(slots=True)
class _Bucket:
    left: float
    seen: float


class RateLimit:
    """`per_minute` requests per minute, all at once or spread out; 0 means no limit."""

    def __init__(self, per_minute: int, clock: Clock = wall_clock) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def wait_for(self, client: str) -> float:
        """0 if the client may go on now, or else the seconds until the next request is let through."""
        if not self.per_minute:
            return 0.0
        now = self._clock()
        bucket = self._buckets.pop(client, None) or _Bucket(float(self.per_minute), now)
        refill = max(0.0, now - bucket.seen) * self.per_minute / _MINUTE
        bucket.left, bucket.seen = min(float(self.per_minute), bucket.left + refill), now
        self._buckets[client] = bucket
        if len(self._buckets) > _MAX_ASKERS:
            self._buckets.popitem(last=False)
        if bucket.left < 1:
            return (1 - bucket.left) * _MINUTE / self.per_minute
        bucket.left -= 1
        return 0.0
