"""The outcome ledger: what became of each story, by day, source, feed, domain, stage and reason.

A row is keyed by story and stage, and is written before the message is settled. So a story that is seen twice is counted
once, and a drop can be looked up by its address. Old rows can be folded into daily counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, Index, String, Table, delete, func, literal, select, tuple_

from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines.database import Database, UtcDateTime, metadata
from tearsheet.work.ledger_entry import LedgerEntry

outcomes = Table(
    "outcomes",
    metadata,
    Column("story_id", String(36), primary_key=True),
    Column("stage", String(40), primary_key=True),
    Column("day", String(10), nullable=False),
    Column("status", String(12), nullable=False),
    Column("reason", String(80), nullable=False),
    Column("detail", String(500), nullable=False),
    Column("source_id", BigInteger),
    Column("feed_id", BigInteger),
    Column("domain", String(255), nullable=False),
    Column("url", String(2048), nullable=False),
    Column("happened_at", UtcDateTime, nullable=False),
    Index("outcomes_by_day", "day", "stage", "status", "reason"),
    Index("outcomes_by_time", "happened_at"),
    Index("outcomes_by_url", "url"),
)
outcome_days = Table(
    "outcome_days",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("stage", String(40), primary_key=True),
    Column("status", String(12), primary_key=True),
    Column("reason", String(80), primary_key=True),
    Column("source_id", BigInteger, primary_key=True),
    Column("feed_id", BigInteger, primary_key=True),
    Column("domain", String(255), primary_key=True),
    Column("stories", BigInteger, nullable=False),
)
_UNKNOWN = 0
"""Stands for "no source" and "no feed" in the daily counts, whose key columns cannot be empty."""


@dataclass(slots=True, frozen=True)
class Count:
    """How many stories met one outcome."""

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


class Ledger:
    """Writes outcomes and answers questions about them."""

    def __init__(self, database: Database, clock: Clock = wall_clock) -> None:
        self._database = database
        self._clock = clock

    def record(self, entries: Sequence[LedgerEntry]) -> None:
        """Write entries; a story's later outcome at the same stage replaces the earlier one."""
        if not entries:
            return
        now = utc_now(self._clock)
        # The last outcome of each story counts; one statement must not touch a row twice.
        unique = {(entry.story_id, entry.stage): entry for entry in entries}
        rows: list[dict[str, Any]] = [
            {name: getattr(entry, name) for name in LedgerEntry.__slots__}
            | {"day": now.date().isoformat(), "happened_at": now}
            for entry in unique.values()
        ]
        insert = self._database.insert(outcomes)
        replaced = {column.name: insert.excluded[column.name] for column in outcomes.c if not column.primary_key}
        with self._database.begin() as db:
            db.execute(insert.on_conflict_do_update(index_elements=["story_id", "stage"], set_=replaced), rows)

    def counts(self, since: datetime | None = None, *, until: datetime | None = None, domain: str = "") -> list[Count]:
        """Stories by stage, status and reason, most frequent first; of these days (both included) and this domain."""

        def conditions(table: Table) -> list[ColumnElement[bool]]:
            parts = [table.c.day >= (since.date().isoformat() if since else "")]
            if until is not None:
                parts.append(table.c.day <= until.date().isoformat())
            if domain:
                parts.append(table.c.domain == domain)
            return parts

        live = select(outcomes.c.stage, outcomes.c.status, outcomes.c.reason, func.count().label("stories"))
        live = live.where(*conditions(outcomes)).group_by(outcomes.c.stage, outcomes.c.status, outcomes.c.reason)
        folded = select(
            outcome_days.c.stage, outcome_days.c.status, outcome_days.c.reason, func.sum(outcome_days.c.stories)
        )
        folded = folded.where(*conditions(outcome_days))
        folded = folded.group_by(outcome_days.c.stage, outcome_days.c.status, outcome_days.c.reason)
        both = live.union_all(folded).subquery()
        total = func.sum(both.c.stories)
        statement = select(both.c.stage, both.c.status, both.c.reason, total)
        statement = statement.group_by(both.c.stage, both.c.status, both.c.reason).order_by(total.desc(), both.c.reason)
        with self._database.read() as db:
            return [
                Count(stage, status, reason, int(stories)) for stage, status, reason, stories in db.execute(statement)
            ]

    def find(
        self, filters: Mapping[str, str], *, limit: int = 50, after: tuple[datetime, str, str] | None = None
    ) -> list[Explanation]:
        """Outcomes by `status`, `stage`, `reason`, `domain`, `url` or `story_id`, newest first.

        `after` is the time, story id and stage of the last one seen, for the next page.
        """
        order = (outcomes.c.happened_at, outcomes.c.story_id, outcomes.c.stage)
        statement = select(outcomes).order_by(*(column.desc() for column in order)).limit(limit)
        for name, value in filters.items():
            statement = statement.where(outcomes.c[name] == value)
        if after is not None:
            last = tuple_(*(literal(value, column.type) for value, column in zip(after, order, strict=True)))
            statement = statement.where(tuple_(*order) < last)
        return self._explanations(statement)

    def explain(self, url: str, limit: int = 20) -> list[Explanation]:
        """What became of the stories with this address."""
        statement = select(outcomes).where(outcomes.c.url == url).order_by(outcomes.c.happened_at.desc()).limit(limit)
        return self._explanations(statement)

    def fold(self, keep_days: int) -> int:
        """Fold rows older than `keep_days` into daily counts; returns how many."""
        oldest = (utc_now(self._clock) - timedelta(days=keep_days)).date().isoformat()
        group = (
            outcomes.c.day,
            outcomes.c.stage,
            outcomes.c.status,
            outcomes.c.reason,
            func.coalesce(outcomes.c.source_id, _UNKNOWN),
            func.coalesce(outcomes.c.feed_id, _UNKNOWN),
            outcomes.c.domain,
        )
        old = select(*group, func.count()).where(outcomes.c.day < oldest).group_by(*group)
        insert = self._database.insert(outcome_days)
        added = insert.from_select([column.name for column in outcome_days.c], old)
        more = outcome_days.c.stories + insert.excluded.stories
        keys = [column.name for column in outcome_days.primary_key]
        with self._database.begin() as db:
            db.execute(added.on_conflict_do_update(index_elements=keys, set_={"stories": more}))
            return db.execute(delete(outcomes).where(outcomes.c.day < oldest)).rowcount

    def _explanations(self, statement: Any) -> list[Explanation]:
        with self._database.read() as db:
            return [
                Explanation(**{name: getattr(row, name) for name in Explanation.__slots__})
                for row in db.execute(statement)
            ]
