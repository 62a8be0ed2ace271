"""Counts by day and by source in tantivy, which returns 65,000 of them at a time, and slowly when there are many.

A frequent word is in most stories of most sources. Its counts by source and week are then those of all stories, which are
kept in memory, less those of the few stories without it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import repeat
from typing import Any

import tantivy

from tearsheet.engines.index.dates import by_interval, in_parts
from tearsheet.engines.index.tantivy_query import DAY_ZERO, none_of, number_range
from tearsheet.query import day_number, day_of

MAX_BUCKETS = 65_000
_FEW = 100
"""Up to this many values are counted quickly without help."""
_MONDAY = (DAY_ZERO + day_number(date(1970, 1, 5))) % 7
_COUNT = {"value_count": {"field": "docno"}}
_DAYS = {"histogram": {"field": "publication_date", "interval": 1, "min_doc_count": 1}}
_WEEKS = {"histogram": {"field": "publication_date", "interval": 7, "offset": _MONDAY, "min_doc_count": 1}}

Cells = dict[str, dict[str, int]]
"""Counts by value, and by day or first day of the week."""


def count(searcher: tantivy.Searcher, query: tantivy.Query) -> int:
    """How many stories match. Uses an aggregation, because a search would rank them all to find the best one."""
    return int(searcher.aggregate(query, {"count": _COUNT})["count"]["value"])


def over_time(searcher: tantivy.Searcher, query: tantivy.Query, interval: str) -> list[tuple[str, int]]:
    """Matching stories by publication `day`, `week` or `month`."""
    return _by_time(searcher.aggregate(query, {"days": _DAYS})["days"], interval)


@dataclass(slots=True, frozen=True)
class Figures:
    """How many stories match, by day, and by the most frequent domains and languages."""

    count: int
    days: list[tuple[str, int]]
    sources: list[tuple[str, int]]
    languages: list[tuple[str, int]]


def figures(searcher: tantivy.Searcher, query: tantivy.Query, limit: int) -> Figures:
    """All figures in one pass over the stories. `limit` is how many domains and languages to return."""
    asked: dict[str, Any] = {"count": _COUNT, "days": _DAYS}
    if limit > 0:
        asked |= {name: _terms(name, limit) for name in ("canonical_domain", "language")}
    found = searcher.aggregate(query, asked)
    sources, languages = (_values(found[name]) if limit > 0 else [] for name in ("canonical_domain", "language"))
    return Figures(int(found["count"]["value"]), _by_time(found["days"], "day"), sources, languages)


def top(searcher: tantivy.Searcher, query: tantivy.Query, name: str, limit: int) -> list[tuple[str, int]]:
    """The most frequent values of a field among the matching stories."""
    return _values(searcher.aggregate(query, {"top": _terms(name, limit)})["top"])


@dataclass(slots=True, frozen=True)
class _Totals:
    """Counts of all stories up to a number: in all, by value, and by value and week; and how many weeks there are."""

    stories: int = 0
    highest: int = 0
    values: Counter[str] = field(default_factory=Counter)
    cells: Cells = field(default_factory=dict)
    weeks: int = 0


class CountsByValue:
    """Counts by value and time. Keeps the weekly counts of all stories, and adds what was committed since their last use."""

    def __init__(self, schema: tantivy.Schema) -> None:
        self._schema = schema
        self._known: dict[str, _Totals] = {}
        self._lock = threading.Lock()

    def top_over_time(
        self, searcher: tantivy.Searcher, query: tantivy.Query, name: str, interval: str, limit: int
    ) -> list[tuple[str, str, int]]:
        """The most frequent values by `day`, `week` or `month` of publication: (value, first day, count)."""
        values = top(searcher, query, name, limit)
        # By day there are about as many counts as stories, too many to keep.
        if interval == "week" and len(values) > _FEW and 2 * sum(count for _, count in values) > searcher.num_docs:
            found = self._by_difference(searcher, query, name, values)
            if found is not None:
                return found
        histogram = _WEEKS if interval == "week" else _DAYS
        cells = _cells(searcher, query, name, values, histogram)
        return [
            (value, first, count) for value, _ in values for first, count in _in_order(cells.get(value, {}), interval)
        ]

    def _by_difference(
        self, searcher: tantivy.Searcher, query: tantivy.Query, name: str, values: Sequence[tuple[str, int]]
    ) -> list[tuple[str, str, int]] | None:
        """The counts of all stories less those of the stories that do not match; None when there are no totals to subtract from."""
        totals = self._totals(searcher, name)
        if totals is None:
            return None
        others = [(value, more) for value, count in values if (more := totals.values[value] - count)]
        missing = _cells(searcher, none_of(query), name, others, _WEEKS, totals.weeks)
        counted: list[tuple[str, str, int]] = []
        for value, _ in values:
            every, less = totals.cells.get(value, {}), missing.get(value)
            if less:
                counted += [
                    (value, week, n) for week, all_of_it in every.items() if (n := all_of_it - less.get(week, 0))
                ]
            else:
                counted += zip(repeat(value), every, every.values(), strict=False)
        return counted

    def _totals(self, searcher: tantivy.Searcher, name: str) -> _Totals | None:
        """The totals of all stories that this searcher sees; None when it sees fewer than were counted, or too many values.

        Stories are only ever added, with rising numbers: those above the highest counted one are all that is new.
        """
        with self._lock:
            known = self._known.get(name, _Totals())
            if known.stories == searcher.num_docs:
                return known
            newer = number_range(self._schema, "docno", known.highest + 1, None)
            hits = searcher.search(newer, 1, count=False, order_by_field="docno").hits
            values = top(searcher, newer, name, MAX_BUCKETS)
            if known.stories + count(searcher, newer) != searcher.num_docs or len(values) >= MAX_BUCKETS:
                return None
            cells = _plus(known.cells, _cells(searcher, newer, name, values, _WEEKS))
            weeks = len({week for counts in cells.values() for week in counts})
            together = known.values + Counter(dict(values))
            self._known[name] = _Totals(searcher.num_docs, int(hits[0][0]), together, cells, weeks)
            return self._known[name]


def _cells(
    searcher: tantivy.Searcher,
    query: tantivy.Query,
    name: str,
    values: Sequence[tuple[str, int]],
    histogram: dict[str, Any],
    periods: int | None = None,
) -> Cells:
    """The counts of these values by time, asked for in batches. `periods`, when known, is the most there can be."""
    if periods is None:
        periods = MAX_BUCKETS - 1
        if len(values) + sum(count for _, count in values) > MAX_BUCKETS:
            periods = len(searcher.aggregate(query, {"days": histogram})["days"]["buckets"])
    labels = _Labels()
    cells: Cells = {}
    for part in in_parts(values, periods, MAX_BUCKETS):
        question = _terms(name, len(part)) | {"aggs": {"days": histogram}}
        question["terms"]["include"] = part
        for bucket in searcher.aggregate(query, {"top": question})["top"]["buckets"]:
            cells[bucket["key"]] = {labels[inner["key"]]: inner["doc_count"] for inner in bucket["days"]["buckets"]}
    return cells


class _Labels(dict[float, str]):
    """Days as text, by tantivy's number; each is formatted once."""

    def __missing__(self, key: float) -> str:
        self[key] = label = _day(key).isoformat()
        return label


def _in_order(days: dict[str, int], interval: str) -> list[tuple[str, int]]:
    if interval == "month":
        return by_interval(((date.fromisoformat(day), count) for day, count in days.items()), interval)
    return list(days.items())


def _plus(known: Cells, added: Cells) -> Cells:
    """The sum of both, in chronological order. `known` is not changed: another thread may be reading it."""
    together = dict(known)
    for value, weeks in added.items():
        before = known.get(value, {})
        together[value] = {week: before.get(week, 0) + weeks.get(week, 0) for week in sorted(before.keys() | weeks)}
    return together


def _by_time(answer: dict[str, Any], interval: str) -> list[tuple[str, int]]:
    days = ((_day(bucket["key"]), int(bucket["doc_count"])) for bucket in answer["buckets"])
    return by_interval(days, interval)


def _values(answer: dict[str, Any]) -> list[tuple[str, int]]:
    return [(bucket["key"], int(bucket["doc_count"])) for bucket in answer["buckets"]]


def _terms(name: str, limit: int) -> dict[str, Any]:
    return {"terms": {"field": name, "size": max(1, min(limit, MAX_BUCKETS)), "segment_size": MAX_BUCKETS}}


def _day(key: float) -> date:
    return day_of(int(key) - DAY_ZERO)
