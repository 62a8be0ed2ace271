"""Whether a title was had before: the same words within some days are the same story, and later they are a column or a season."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from datetime import datetime, timedelta


class TitleWindow:
    """The titles of each source with their times, those in the database and those of the documents that are being stored."""

    def __init__(self, days: int) -> None:
        self._window = timedelta(days=days)
        self._times: defaultdict[tuple[str, str], list[datetime]] = defaultdict(list)

    def add(self, title: str, scope: str, time: datetime) -> None:
        """Remember a story's title."""
        insort(self._times[title, scope], time)

    def has(self, title: str, scope: str, time: datetime) -> bool:
        """Whether a story of this title is less than the window before or after this time."""
        times = self._times.get((title, scope))
        if not times:
            return False
        at = bisect_left(times, time)
        return any(abs(near - time) < self._window for near in times[max(0, at - 1) : at + 1])
