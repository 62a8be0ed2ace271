"""The outcome ledger: what became of each story, by day, source, feed, domain, stage and reason.

A row is keyed by story and stage, and is written before the message is settled. So a story that is seen twice is counted
once, and a drop can be looked up by its address or its link. What a later try replaces is kept beside it.

Sums are kept up to date in the same transaction, so they are read and not counted. After some time the rows are folded: they are
deleted, and their daily sums stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, and_, func, literal, or_, select, tuple_

from tearsheet.chunks import chunks
from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines.database import Database
from tearsheet.work.ledger_changes import rows_of
from tearsheet.work.ledger_entry import LedgerEntry
from tearsheet.work.ledger_tables import earlier_outcomes, outcome_days, outcome_totals, outcomes
from tearsheet.work.ledger_writing import LedgerWriter

By = Literal["source", "feed", "domain", "day"]
_COLUMN_OF: dict[By, str] = {"source": "source_id", "feed": "feed_id", "domain": "domain", "day": "day"}
_FOLDED_AT_ONCE = 2_000
"""Rows of one transaction, so that workers that record meanwhile need not wait for long."""
_ASKED_AT_ONCE = 500
"""Addresses or domains of one statement."""


@dataclass(slots=True, frozen=True)
class Count:
    """How many stories met one outcome."""

    stage: str
    status: str
    reason: str
    stories: int


@dataclass(slots=True, frozen=True)
class Sum:
    """How many stories of one source, feed, domain or day met one outcome."""

    of: str
    """A domain, a day, or the id of a source or feed; `0` where none is known."""
    stage: str
    status: str
    reason: str
    stories: int


@dataclass(slots=True, frozen=True)
class Explanation:
    """A ledger entry with its time: why a story is not there, or that it is."""

    url: str
    stage: str
    status: str
    reason: str
    detail: str
    happened_at: datetime
    story_id: str = ""
    domain: str = ""
    link: str = ""
    """The address that was queued, where it is another one."""
    tries: int = 1


@dataclass(slots=True, frozen=True)
class Naming:
    """A row that names a story by its address, and by the link that was queued where that is another one."""

    story_id: str
    url: str
    link: str


class Ledger:
    """Writes outcomes and answers questions about them."""

    def __init__(self, database: Database, clock: Clock = wall_clock) -> None:
        self._database = database
        self._clock = clock
        self._writer = LedgerWriter(database)

    def record(self, entries: Sequence[LedgerEntry]) -> None:
        """Write entries; a story's later outcome at the same stage replaces the earlier one, which is kept beside it."""
        if entries:
            self._writer.record(rows_of(entries, utc_now(self._clock)))

    def counts(self, since: datetime | None = None, *, until: datetime | None = None, domain: str = "") -> list[Count]:
        """Stories by stage, status and reason, most frequent first; of these days (both included) and this domain."""
        if since is None and until is None and not domain:
            return self._totals(outcome_totals.c.stories)
        table = outcome_days.c
        total = func.sum(table.stories)
        statement = select(table.stage, table.status, table.reason, total).group_by(
            table.stage, table.status, table.reason
        )
        statement = statement.where(*_within(since, until))
        if domain:
            statement = statement.where(table.domain == domain)
        return self._counts(statement.order_by(total.desc(), table.reason))

    def recorded(self) -> list[Count]:
        """How often each outcome was recorded: unlike the stories that ended so, this never falls."""
        return self._totals(outcome_totals.c.recorded)

    def sums(self, by: By, since: datetime | None = None, *, limit: int | None = None) -> list[Sum]:
        """Stories by source, feed, domain or day and by outcome, the most frequent first, or the newest day."""
        table = outcome_days.c
        of, total = table[_COLUMN_OF[by]], func.sum(table.stories)
        statement = select(of, table.stage, table.status, table.reason, total).where(*_within(since, None))
        statement = statement.group_by(of, table.stage, table.status, table.reason)
        order = (of.desc(), total.desc()) if by == "day" else (total.desc(), of)
        with self._database.read() as db:
            rows = db.execute(statement.order_by(*order, table.stage, table.reason).limit(limit))
            return [Sum(str(key), stage, status, reason, int(number)) for key, stage, status, reason, number in rows]

    def find(
        self, filters: Mapping[str, str], *, limit: int = 50, after: tuple[datetime, str, str] | None = None
    ) -> list[Explanation]:
        """Outcomes by `status`, `stage`, `reason`, `domain`, `url` (or link) or `story_id`, newest first.

        `after` is the time, story id and stage of the last one seen, for the next page.
        """
        order = (outcomes.c.happened_at, outcomes.c.story_id, outcomes.c.stage)
        statement = select(outcomes).order_by(*(column.desc() for column in order)).limit(limit)
        for name, value in filters.items():
            statement = statement.where(_has_address(value) if name == "url" else outcomes.c[name] == value)
        if after is not None:
            last = tuple_(*(literal(value, column.type) for value, column in zip(after, order, strict=True)))
            statement = statement.where(tuple_(*order) < last)
        with self._database.read() as db:
            return [_explanation(row) for row in db.execute(statement).mappings()]

    def tries(self, story_ids: Sequence[str]) -> list[Explanation]:
        """Everything that some stories met at each stage, every try of it, in order of time."""
        present = select(outcomes).where(outcomes.c.story_id.in_(story_ids))
        earlier = select(earlier_outcomes).where(earlier_outcomes.c.story_id.in_(story_ids))
        with self._database.read() as db:
            last = {(row["story_id"], row["stage"]): _explanation(row) for row in db.execute(present).mappings()}
            before = [dict(row) for row in db.execute(earlier).mappings()]
        names = ("status", "reason", "detail", "tries", "happened_at")
        tried = [
            replace(last[row["story_id"], row["stage"]], **{name: row[name] for name in names})
            for row in before
            if (row["story_id"], row["stage"]) in last
        ]
        return sorted([*tried, *last.values()], key=lambda step: (step.happened_at, step.tries))

    def explain(self, url: str, limit: int = 20) -> list[Explanation]:
        """What became of the stories with this address or link, every try of it, in order of time."""
        statement = select(outcomes.c.story_id).where(_has_address(url)).distinct().limit(limit)
        with self._database.read() as db:
            story_ids = list(db.execute(statement).scalars())
        return self.tries(story_ids) if story_ids else []

    def naming(self, urls: Iterable[str], domains: Iterable[str]) -> Iterator[Naming]:
        """The rows with these very addresses or links, and all that other forms of them may be in: those of these domains, and
        those of files' rows that were there already, which name an address in their detail alone.
        """
        columns = outcomes.c
        wanted = select(columns.story_id, columns.url, columns.link)
        by_address, by_domain = sorted(set(urls)), sorted(set(domains))
        repeated = select(columns.story_id, columns.detail).where(columns.reason == "dups", columns.url == "")
        with self._database.read() as db:
            for some in chunks(by_address, _ASKED_AT_ONCE):
                for condition in (columns.url.in_(some), and_(columns.link.in_(some), columns.link != "")):
                    yield from (Naming(*row) for row in db.execute(wanted.where(condition)))
            for some in chunks(by_domain, _ASKED_AT_ONCE):
                yield from (Naming(*row) for row in db.execute(wanted.where(columns.domain.in_(some))))
            for story_id, detail in db.execute(repeated):
                yield Naming(story_id, detail.partition(" ")[0], "")

    def blank(self, story_ids: Iterable[str], urls: Iterable[str]) -> None:
        """Forget the addresses of stories that were erased, and what was said about them. That they ended, and why, stays."""
        self._writer.blank(story_ids, urls)

    def fold(self, keep_days: int, stopped: Callable[[], bool] = lambda: False) -> int:
        """Delete the rows of stories that ended more than `keep_days` ago; their daily sums stay. Returns how many.

        Some at a time: when it is `stopped`, or killed, the next call goes on.
        """
        oldest = utc_now(self._clock) - timedelta(days=keep_days)
        before, folded = datetime.combine(oldest.date(), time(), oldest.tzinfo), 0
        while True:
            some = self._writer.forget(before, _FOLDED_AT_ONCE)
            folded += some
            if some < _FOLDED_AT_ONCE or stopped():
                return folded

    def _totals(self, column: ColumnElement[int]) -> list[Count]:
        table = outcome_totals.c
        statement = select(table.stage, table.status, table.reason, column).where(column > 0)
        return self._counts(statement.order_by(column.desc(), table.reason))

    def _counts(self, statement: Select[Any]) -> list[Count]:
        with self._database.read() as db:
            return [
                Count(stage, status, reason, int(number)) for stage, status, reason, number in db.execute(statement)
            ]


def _within(since: datetime | None, until: datetime | None) -> list[ColumnElement[bool]]:
    """Conditions for days."""
    parts: list[ColumnElement[bool]] = []
    if since is not None:
        parts.append(outcome_days.c.day >= since.date().isoformat())
    if until is not None:
        parts.append(outcome_days.c.day <= until.date().isoformat())
    return parts


def _has_address(url: str) -> ColumnElement[bool]:
    """The story's address or its link. The last part says what the index of links says, so that it is used."""
    return or_(outcomes.c.url == url, and_(outcomes.c.link == url, outcomes.c.link != ""))


def _explanation(row: Mapping[Any, Any]) -> Explanation:
    return Explanation(**{name: row[name] for name in Explanation.__slots__})
