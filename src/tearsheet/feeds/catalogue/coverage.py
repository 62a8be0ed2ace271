"""Where the coverage of sources has gaps, and why, as far as the events of their feeds and the ledger can tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta

from tearsheet.counts import how_many
from tearsheet.engines.database import Database
from tearsheet.engines.index import Index
from tearsheet.feeds.catalogue.gaps import LEAST_USUAL, Gap, find_gaps
from tearsheet.feeds.catalogue.history import events_of_source
from tearsheet.feeds.tables import FETCH_DISABLED, FETCH_FAILED, FETCH_SUCCEEDED
from tearsheet.query import parse_query
from tearsheet.work import DROPPED, Ledger

_WEEK = 7
_MOST_SOURCES = 1_000_000
LOOK_BACK = 6 * _WEEK
"""Days before the first one asked for, from which the usual number is learned."""


@dataclass(slots=True, frozen=True)
class CoverageGap:
    """Days with far fewer stories from a source than usual."""

    source: str
    first: date
    last: date
    stories: int
    usual: int
    """How many stories the same weekdays had before."""
    why: str


@dataclass(slots=True)
class Polls:
    """What happened to the feeds of a source on some days."""

    known: bool = False
    """Whether the oldest event that is kept is from these days or earlier."""
    succeeded: int = 0
    disabled: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    def explanation(self) -> str:
        """Why there may have been no stories."""
        failed = self.failures.total()
        if not self.known:
            return "no events of its feeds are kept from then"
        if not failed and not self.succeeded:
            return "its feeds were not polled" + (", they were disabled" if self.disabled else "")
        if not failed:
            return f"polled {self.succeeded:,} times without failure"
        note, _ = self.failures.most_common(1)[0]
        if not self.succeeded:
            return f"every poll failed, mostly: {note}"
        return f"{failed:,} of {failed + self.succeeded:,} polls failed, mostly: {note}"


def coverage_gaps(
    index: Index, ledger: Ledger, database: Database, first: date, last: date, domains: Collection[str] | None = None
) -> list[CoverageGap]:
    """The gaps between two days of publication (both included), those with the most missing stories first.

    Leave today out, because it is not over. `domains` are the sources to examine; without them, all that have stories.
    """
    weeks = -(-((last - first).days + 1 + LOOK_BACK) // _WEEK)
    start = last - timedelta(days=weeks * _WEEK - 1)
    found = []
    for source, counts in _counts(index, start, last, domains):
        for gap, days in _daily_or_weekly(counts):
            begin, end = start + timedelta(days=gap.first * days), start + timedelta(days=(gap.last + 1) * days - 1)
            if end >= first:
                why = f"{_polls(database, source, begin, end).explanation()}; {_dropped(ledger, source, begin, end)}"
                found.append(CoverageGap(source, begin, end, gap.stories, round(gap.usual), why))
    return sorted(found, key=lambda gap: (gap.stories - gap.usual, gap.source, gap.first))


def _daily_or_weekly(counts: Sequence[int]) -> Iterator[tuple[Gap, int]]:
    """The gaps, and how many days a step has: a source with few stories per day is judged by the week."""
    heard = [count for count in counts if count]
    if heard and sum(heard) >= LEAST_USUAL * len(heard) and len(heard) * 2 >= len(counts) - counts.index(heard[0]):
        yield from ((gap, 1) for gap in find_gaps(counts, _WEEK))
        return
    weeks = [sum(counts[i : i + _WEEK]) for i in range(0, len(counts), _WEEK)]
    yield from ((gap, _WEEK) for gap in find_gaps(weeks, 1))


def _counts(index: Index, start: date, last: date, domains: Collection[str] | None) -> Iterator[tuple[str, list[int]]]:
    """For each source, its number of stories by day of publication."""
    query = parse_query("*").within(start=start, end=last, domains=domains)
    by_source: dict[str, list[int]] = {}
    for source, day, count in index.top_over_time(query, "canonical_domain", "day", _MOST_SOURCES):
        counts = by_source.setdefault(source, [0] * ((last - start).days + 1))
        counts[(date.fromisoformat(day) - start).days] = count
    yield from sorted(by_source.items())


def _dropped(ledger: Ledger, source: str, first: date, last: date) -> str:
    counts = ledger.counts(_midnight(first), until=_midnight(last), domain=source)
    dropped = [count for count in counts if count.status == DROPPED]
    if not dropped:
        return "no story dropped"
    many = how_many(sum(count.stories for count in dropped), "story")
    return f"{many} dropped, mostly {dropped[0].stage}/{dropped[0].reason}"


def _polls(database: Database, source: str, first: date, last: date) -> Polls:
    """What happened to the feeds of a source. Old events are not kept, so nothing is known of the distant past."""
    end = _midnight(last + timedelta(days=1))
    oldest, events = events_of_source(database, source, _midnight(first), end)
    polls = Polls(known=oldest is not None and oldest < end)
    for event, note, count in events:
        if event == FETCH_SUCCEEDED:
            polls.succeeded += count
        elif event == FETCH_DISABLED:
            polls.disabled += count
        elif event == FETCH_FAILED:
            polls.failures[note or "no reason noted"] += count
    return polls


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
