"""Rate limits: a bucket for each client, which refills evenly; and waits that grow for wrong tokens."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from tearsheet.clock import Clock, wall_clock

_MAX_ASKERS = 10_000
_MINUTE = 60.0
_FREE_TRIES = 5
_LONGEST_WAIT = 300.0
_FORGOTTEN_AFTER = 900.0


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


@dataclass(slots=True)
class _Tries:
    count: int
    last: float


class WrongTokens:
    """How long somebody has to wait who tries wrong tokens: not at all at first, then twice as long each time.

    A secret of 256 random bits cannot be guessed, so this protects the server and its log, not the secret. A right token is never
    counted, so that nobody can keep others out by trying wrong ones from the same address.
    """

    def __init__(self, clock: Clock = wall_clock) -> None:
        self._clock = clock
        self._tries: OrderedDict[str, _Tries] = OrderedDict()

    def tried(self, address: str) -> float:
        """Count a wrong token from an address; the seconds to wait before the next."""
        now, whose = self._clock(), network_of(address)
        tries = self._tries.pop(whose, None)
        if tries is None or now - tries.last > _FORGOTTEN_AFTER:
            tries = _Tries(0, now)
        tries.count, tries.last = tries.count + 1, now
        self._tries[whose] = tries
        if len(self._tries) > _MAX_ASKERS:
            self._tries.popitem(last=False)
        over = tries.count - _FREE_TRIES
        return 0.0 if over <= 0 else min(2.0 ** min(over - 1, 20), _LONGEST_WAIT)


def network_of(address: str) -> str:
    """Whose address it is: of IPv6 the network of one customer, because each has more addresses than could be counted."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or ip_network((found, 64), strict=False))
    return str(found)
