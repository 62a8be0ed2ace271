"""Counts by day, put together by week or month: the same for every index."""

from __future__ import annotations

from collections.abc import Iterable
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
    """Counts by the first day of each interval, in order of time; intervals without a story are left out."""
    counts: dict[date, int] = {}
    for day, count in days:
        first = first_day(day, interval)
        counts[first] = counts.get(first, 0) + count
    return [(first.isoformat(), counts[first]) for first in sorted(counts)]
