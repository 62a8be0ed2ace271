"""Counts by day, added up by week or month, and asked for in batches: the same for every index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta

INTERVALS = ("day", "week", "month")


def first_day(day: date, interval: str) -> date:
    """The first day of the day's week (Monday) or month, or the day itself. Raises ValueError for another interval."""
    if interval == "week":
        return day - timedelta(days=min(day.weekday(), (day - date.min).days))
    if interval == "month":
        return day.replace(day=1)
    if interval != "day":
        raise ValueError(f"an interval is one of {', '.join(INTERVALS)}, not {interval!r}")
    return day


def by_interval(days: Iterable[tuple[date, int]], interval: str) -> list[tuple[str, int]]:
    """Counts by the first day of each interval, in chronological order; intervals without a story are left out."""
    counts: dict[date, int] = {}
    for day, count in days:
        first = first_day(day, interval)
        counts[first] = counts.get(first, 0) + count
    return [(first.isoformat(), counts[first]) for first in sorted(counts)]


def in_parts(values: Sequence[tuple[str, int]], periods: int, most: int) -> list[list[str]]:
    """Values in batches that yield at most `most` counts by time, given this many `periods`.

    A value has one count of its own and one for each period, but no more than it has stories.
    """
    parts: list[list[str]] = []
    room = 0
    for value, count in values:
        needed = 1 + min(count, periods)
        if needed > room:
            parts.append([])
            room = most
        parts[-1].append(value)
        room -= needed
    return parts
