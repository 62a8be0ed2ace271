"""Pages of stories by their day of publication, or by the time of their indexing, in tantivy.

tantivy sorts by one field only, and visits every match to find the newest. So the newest are first sought among the stories
of a short window, and where a page ends among stories of the same moment, these are asked for separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tantivy

from tearsheet.engines.index.tantivy_query import all_of, none_of, number_range
from tearsheet.query import QueryError

_WINDOW = 50_000
"""How many stories the first window should hold."""
_LAST_NUMBER = 2**63 - 1

Pair = tuple[int, int]
"""The moment of a story, which may be a day, and its number."""


class PagesByDate:
    """Pages by (moment, number), both descending, or both ascending from the oldest. Stories without a moment come last.

    A token is the last moment and number of its page, or a number beyond all others when that moment is finished.
    """

    def __init__(self, schema: tantivy.Schema, field: str) -> None:
        """`field` is `publication_date`, which a story may lack, or `indexed_date`. Numbers of days begin with 1."""
        self._schema = schema
        self._field = field
        self._some_lack_it = field == "publication_date"
        self._recent: tuple[int, int, int] | None = None
        """How many stories there were, the first moment of the newest ones, and the time they span."""

    def page(
        self, searcher: tantivy.Searcher, query: tantivy.Query, limit: int, token: str | None, *, oldest: bool
    ) -> tuple[list[int], str | None]:
        """The numbers of the stories of a page, and the token of the next one."""
        found: list[Pair] = []
        moment: int | None = None
        none_left = _LAST_NUMBER if oldest else 0
        if token is not None:
            moment, number = read_token(token, 2)
            if number != none_left:
                found += self._of_moment(searcher, query, moment, number, limit + 1, oldest=oldest)
        if len(found) > limit:
            return _numbers(found[:limit]), f"{found[limit - 1][0]}.{found[limit - 1][1]}"
        wanted = limit - len(found)
        pairs = self._beyond(searcher, query, moment, wanted + 1, oldest=oldest)
        if len(pairs) <= wanted:
            return _numbers(found + pairs), None
        last = pairs[wanted - 1][0] if wanted else found[-1][0]
        if last != pairs[wanted][0]:
            return _numbers(found + pairs[:wanted]), f"{last}.{none_left}"
        found += [pair for pair in pairs if pair[0] != last]
        found += self._of_moment(searcher, query, last, None, limit - len(found), oldest=oldest)
        return _numbers(found), f"{found[-1][0]}.{found[-1][1]}"

    def _beyond(
        self, searcher: tantivy.Searcher, query: tantivy.Query, moment: int | None, limit: int, *, oldest: bool
    ) -> list[Pair]:
        """The first stories beyond a moment, or of all; which ones of the last moment is undefined."""
        undated = _undated(oldest)
        if moment == undated:
            return []
        if oldest:
            pairs = self._in_time(searcher, query, None if moment is None else moment + 1, None, limit, oldest=True)
        else:
            high = None if moment is None else moment - 1
            low = self._window(searcher, moment)
            pairs = [] if low is None else self._in_time(searcher, query, low, high, limit, oldest=False)
            if len(pairs) < limit:
                pairs = self._in_time(searcher, query, None, high, limit, oldest=False)
        if self._some_lack_it and len(pairs) < limit:
            pairs += self._of_moment(searcher, query, undated, None, limit - len(pairs), oldest=oldest)
        return pairs

    def _window(self, searcher: tantivy.Searcher, moment: int | None) -> int | None:
        """The moment to search back to, an estimated ten thousand stories ago. None when there are few stories."""
        stories = searcher.num_docs
        if stories < 2 * _WINDOW:
            return None
        if self._recent is None or not self._recent[0] <= stories < self._recent[0] + _WINDOW:
            every = tantivy.Query.all_query()
            newest, first = (
                int(searcher.search(every, 1, count=False, offset=offset, order_by_field=self._field).hits[0][0] or 0)
                for offset in (0, _WINDOW)
            )
            self._recent = (stories, first, max(newest - first, 1))
        _, first, duration = self._recent
        return first if moment is None else max(0, moment - duration)

    def _in_time(
        self,
        searcher: tantivy.Searcher,
        query: tantivy.Query,
        low: int | None,
        high: int | None,
        limit: int,
        *,
        oldest: bool,
    ) -> list[Pair]:
        if self._some_lack_it:
            low = max(low or 0, 1)
        if low is not None or high is not None:
            query = all_of(query, number_range(self._schema, self._field, low, high))
        order = tantivy.Order.Asc if oldest else tantivy.Order.Desc
        hits = searcher.search(query, limit, count=False, order_by_field=self._field, order=order).hits
        pairs = zip((hit[0] for hit in hits), numbers_of(searcher, hits), strict=True)
        return sorted(pairs, reverse=not oldest)

    def _of_moment(
        self,
        searcher: tantivy.Searcher,
        query: tantivy.Query,
        moment: int,
        after: int | None,
        limit: int,
        *,
        oldest: bool,
    ) -> list[Pair]:
        if self._some_lack_it and moment == _undated(oldest):
            parts = [query, none_of(number_range(self._schema, self._field, 1, None))]
        else:
            parts = [query, number_range(self._schema, self._field, moment, moment)]
        if after is not None:
            low, high = (after + 1, None) if oldest else (None, after - 1)
            parts.append(number_range(self._schema, "docno", low, high))
        order = tantivy.Order.Asc if oldest else tantivy.Order.Desc
        hits = searcher.search(all_of(*parts), limit, count=False, order_by_field="docno", order=order).hits
        return [(moment, int(hit[0])) for hit in hits]


def _undated(oldest: bool) -> int:
    """Where stories without a moment stand: beyond all others, whichever way one looks."""
    return _LAST_NUMBER if oldest else 0


def _numbers(pairs: Sequence[Pair]) -> list[int]:
    return [number for _, number in pairs]


def numbers_of(searcher: tantivy.Searcher, hits: Sequence[Any]) -> list[int]:
    """The numbers of the stories that a search found."""
    values = searcher.fast_field_values("docno", [hit[1] for hit in hits]) if hits else []
    return [int(value) for value in values if value is not None]


def read_token(token: str, parts: int) -> list[int]:
    """The numbers of a token. Raises QueryError."""
    numbers = token.split(".")
    if len(numbers) != parts or not all(
        number.isascii() and number.isdigit() and len(number) < 20 for number in numbers
    ):
        raise QueryError("this is not a token for the next page; use the one that came with the previous page")
    return [int(number) for number in numbers]
