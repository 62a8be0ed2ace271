"""When feeds are asked: at most so many at a time, and a pause between two, for each host and each source.

This is a poller's own rule, on top of the pace that everyone keeps towards a host. Sources are shared with other pollers through
the database; of hosts each poller plans its own feeds, and the record of the host does the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

_PRUNE_ABOVE = 20_000


@dataclass(slots=True)
class Booking:
    """When each host and source is free for the next request, and where the line of those that were put off ends."""

    free: dict[str, datetime]
    tail: dict[str, datetime]

    def with_plan(self, plan: Booking) -> Booking:
        """This booking and that of other keys, as a new one."""
        return Booking(self.free | plan.free, self.tail | plan.tail)

    def take_over(self, other: Booking, keys: Iterable[str], now: datetime) -> None:
        """Book these keys as in another booking; what lies in the past is forgotten."""
        for mine, theirs in ((self.free, other.free), (self.tail, other.tail)):
            mine.update({key: theirs[key] for key in keys if key in theirs})
            if len(mine) > _PRUNE_ABOVE:
                for key in [key for key, when in mine.items() if when <= now]:
                    del mine[key]


@dataclass(slots=True, frozen=True)
class Turn:
    """When a feed may be asked; taken now, or put off until then."""

    at: datetime
    taken: bool


def assign_starts(
    keys: Sequence[tuple[str, ...]], booking: Booking, now: datetime, gap: timedelta, horizon: timedelta | None
) -> list[Turn]:
    """Give each feed, in order of urgency, its turn, and book it.

    A turn beyond `horizon` is not booked: the feed goes to the end of the line and will be asked for again. With no horizon
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
            # It lines up where it has to wait longest, and nowhere else: a short line must not inherit a long one.
            at = max(at, tail.get(busiest, at))
            tail[busiest] = at + gap
        turns.append(Turn(at, taken))
    return turns


@dataclass(slots=True, frozen=True)
class Freed:
    """A source of which a poller has nothing left: others may ask it from `next_start` on.

    `held_until` is the end of the hold as the poller knows it; a later one in the database means that it has taken more since.
    """

    key: str
    next_start: datetime
    held_until: datetime


class Holdings:
    """How many feeds of each source a poller has in hand, and until when it holds them."""

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()
        self._until: dict[str, datetime] = {}

    def take(self, keys: Iterable[str], until: datetime) -> None:
        """A feed with these keys was leased."""
        for key in keys:
            self._count[key] += 1
            self._until[key] = max(until, self._until.get(key, until))

    def give(self, keys: Iterable[str]) -> dict[str, datetime]:
        """A feed with these keys is done with: the keys of which none is left, and until when they are held."""
        freed = {}
        for key in keys:
            self._count[key] -= 1
            if self._count[key] <= 0:
                del self._count[key]
                if until := self._until.pop(key, None):
                    freed[key] = until
        return freed

    def clear(self) -> None:
        """Nothing is held any more."""
        self._count.clear()
        self._until.clear()


class Gate:
    """The same for one process, to the instant: a turn that came late still keeps its distance to the next."""

    def __init__(self, limit: int, gap: float) -> None:
        self._limit = max(1, limit)
        self._gap = gap
        self._running: Counter[str] = Counter()
        self._started: dict[str, float] = {}

    def blocked_by(self, keys: Iterable[str]) -> str | None:
        """A key that has as many requests running as it may."""
        return next((key for key in keys if self._running[key] >= self._limit), None)

    def earliest(self, keys: Iterable[str]) -> float:
        """The time before which no request with these keys may start."""
        return max((self._started[key] + self._gap for key in keys if key in self._started), default=0.0)

    def start(self, keys: Iterable[str], now: float) -> None:
        """A request starts."""
        for key in keys:
            self._running[key] += 1
            self._started[key] = max(now, self._started.get(key, 0.0))
        if len(self._started) > _PRUNE_ABOVE:
            self._started = {key: at for key, at in self._started.items() if at + self._gap > now}

    def finish(self, keys: Iterable[str]) -> None:
        """A request has ended."""
        for key in keys:
            self._running[key] -= 1
            if self._running[key] <= 0:
                del self._running[key]
