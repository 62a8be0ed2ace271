"""When feeds are fetched: a limited number at a time, with a pause between two, for each host and each source.

This is a poller's own rule, on top of the pace that every request to a host keeps. Sources are shared with other pollers through
the database; for hosts, each poller plans only its own feeds, and the host's record does the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

_PRUNE_ABOVE = 20_000


@dataclass(slots=True)
class Booking:
    """When each host and source is free for the next request, and where its queue of postponed feeds ends."""

    free: dict[str, datetime]
    tail: dict[str, datetime]

    def with_plan(self, plan: Booking) -> Booking:
        """A new booking that combines this one with one of other keys."""
        return Booking(self.free | plan.free, self.tail | plan.tail)

    def take_over(self, other: Booking, keys: Iterable[str], now: datetime) -> None:
        """Book these keys as in another booking; past bookings are dropped."""
        for mine, theirs in ((self.free, other.free), (self.tail, other.tail)):
            mine.update({key: theirs[key] for key in keys if key in theirs})
            if len(mine) > _PRUNE_ABOVE:
                for key in [key for key, when in mine.items() if when <= now]:
                    del mine[key]


@dataclass(slots=True, frozen=True)
class Turn:
    """When a feed may be fetched; taken now, or postponed until then."""

    at: datetime
    taken: bool


def assign_starts(
    keys: Sequence[tuple[str, ...]], booking: Booking, now: datetime, gap: timedelta, horizon: timedelta | None
) -> list[Turn]:
    """Give each feed its turn, in order of urgency, and book it.

    A turn beyond `horizon` is not booked: the feed joins the end of the queue and asks for a turn again then. With no horizon,
    every feed is taken, however late its turn.
    """
    free, tail = booking.free, booking.tail
    turns = []
    for own in keys:
        busiest = max(own, key=lambda key: free.get(key, now))
        at = max(now, free.get(busiest, now))
        taken = horizon is None or at <= now + horizon
        if taken:
            for key in own:
                free[key] = at + gap
        else:
            # It queues only where it has to wait longest: a short queue must not inherit the wait of a long one.
            at = max(at, tail.get(busiest, at))
            tail[busiest] = at + gap
        turns.append(Turn(at, taken))
    return turns


@dataclass(slots=True, frozen=True)
class Freed:
    """A source of which a poller holds no more feeds: others may fetch from it from `next_start` on.

    `held_until` is the end of the hold known to the poller; a later one in the database means that it has taken more feeds since.
    """

    key: str
    next_start: datetime
    held_until: datetime


class Holdings:
    """How many feeds of each source a poller holds, and until when."""

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()
        self._until: dict[str, datetime] = {}

    def take(self, keys: Iterable[str], until: datetime) -> None:
        """A feed with these keys was leased."""
        for key in keys:
            self._count[key] += 1
            self._until[key] = max(until, self._until.get(key, until))

    def give(self, keys: Iterable[str]) -> dict[str, datetime]:
        """A feed with these keys is done: returns the keys that are no longer needed, and until when they are held."""
        freed = {}
        for key in keys:
            self._count[key] -= 1
            if self._count[key] <= 0:
                del self._count[key]
                if until := self._until.pop(key, None):
                    freed[key] = until
        return freed

    def clear(self) -> None:
        """Drop all holds."""
        self._count.clear()
        self._until.clear()


class Gate:
    """Limits and pauses within one process, in real time: even a late turn keeps its distance from the next."""

    def __init__(self, limit: int, gap: float) -> None:
        self._limit = max(1, limit)
        self._gap = gap
        self._running: Counter[str] = Counter()
        self._started: dict[str, float] = {}

    def blocked_by(self, keys: Iterable[str]) -> str | None:
        """A key that already has as many requests running as allowed, or None."""
        return next((key for key in keys if self._running[key] >= self._limit), None)

    def earliest(self, keys: Iterable[str]) -> float:
        """The earliest time at which a request with these keys may start."""
        return max((self._started[key] + self._gap for key in keys if key in self._started), default=0.0)

    def start(self, keys: Iterable[str], now: float) -> None:
        """Record that a request starts."""
        for key in keys:
            self._running[key] += 1
            self._started[key] = max(now, self._started.get(key, 0.0))
        if len(self._started) > _PRUNE_ABOVE:
            self._started = {key: at for key, at in self._started.items() if at + self._gap > now}

    def finish(self, keys: Iterable[str]) -> None:
        """Record that a request has ended."""
        for key in keys:
            self._running[key] -= 1
            if self._running[key] <= 0:
                del self._running[key]
