"""What people decided about a topic. Each decision is kept with its time and reason, and holds in every run until it is undone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from tearsheet.chunks import chunks
from tearsheet.clock import utc_now
from tearsheet.engines.database import Database
from tearsheet.errors import NotFoundError
from tearsheet.topics import tables
from tearsheet.topics.model import Topic

INCLUDE = "include"
"""A page belongs to the topic whatever its text says; it counts as a seed."""
EXCLUDE = "exclude"
"""A page does not belong to the topic whatever its text says."""
MERGE = "merge"
"""A source's stories count as those of another one, the target."""
SPLIT = "split"
"""A source stands for itself, though it is said to be a duplicate of another in all topics."""
EDIT = "edit"
"""The definition was changed; the subject says what, and the target from what to what."""
OF_PAGES = (INCLUDE, EXCLUDE)
OF_SOURCES = (MERGE, SPLIT)


@dataclass(slots=True, frozen=True)
class Decision:
    """A decision of a person."""

    kind: str
    """One of `include`, `exclude`, `merge`, `split` and `edit`."""
    subject: str
    """The address of a page, a source, or the part of the definition that was changed."""
    reason: str
    when: datetime
    target: str = ""
    """The source that another one was merged into; of an edit, what was before and after."""
    key: str = ""
    """By what the subject is known: the key of an address, or the source."""


def decisions(database: Database, topic: Topic) -> list[Decision]:
    """The decisions about a topic that hold, in the order in which they were made."""
    decided = tables.topic_decisions
    query = select(decided).where(decided.c.topics_id == topic.id, decided.c.undone_at.is_(None))
    with database.read() as connection:
        return [_decision(row) for row in connection.execute(query.order_by(decided.c.id))]


def decided_pages(connection: Connection, topic_id: int, keys: Collection[str] | None = None) -> dict[str, Decision]:
    """The decisions about pages, by the keys of their addresses; about these addresses only, if some are given."""
    found: dict[str, Decision] = {}
    for some in [None] if keys is None else chunks(sorted(keys)):
        found.update(_by_key(connection, topic_id, OF_PAGES, some))
    return found


def decided_sources(connection: Connection, topic_id: int) -> dict[str, Decision]:
    """The decisions about sources, by source."""
    return _by_key(connection, topic_id, OF_SOURCES, None)


def record(database: Database, connection: Connection, topic_id: int, decision: Decision) -> None:
    """Keep a decision; an earlier one on the same page or source no longer holds."""
    decided = tables.topic_decisions
    if decision.key:
        _end(connection, topic_id, OF_PAGES if decision.kind in OF_PAGES else OF_SOURCES, decision.key)
    connection.execute(
        database.insert(decided).values(
            topics_id=topic_id,
            kind=decision.kind,
            subject=decision.subject,
            key=decision.key,
            target=decision.target,
            reason=decision.reason,
            decided_at=decision.when,
        )
    )


def undo(connection: Connection, topic_id: int, kind: str, key: str, subject: str) -> None:
    """Let a decision no longer hold. Raises NotFoundError if there is none."""
    if not _end(connection, topic_id, (kind,), key):
        raise NotFoundError(
            f"there is no decision to {kind} {subject}: `tearsheet topic decisions` lists those that hold"
        )


def _end(connection: Connection, topic_id: int, kinds: Collection[str], key: str) -> int:
    decided = tables.topic_decisions
    holding = update(decided).where(
        decided.c.topics_id == topic_id,
        decided.c.kind.in_(kinds),
        decided.c.key == key,
        decided.c.undone_at.is_(None),
    )
    return connection.execute(holding.values(undone_at=utc_now())).rowcount


def _by_key(
    connection: Connection, topic_id: int, kinds: Collection[str], keys: Collection[str] | None
) -> dict[str, Decision]:
    decided = tables.topic_decisions
    query = select(decided).where(
        decided.c.topics_id == topic_id, decided.c.kind.in_(kinds), decided.c.undone_at.is_(None)
    )
    if keys is not None:
        query = query.where(decided.c.key.in_(keys))
    return {row.key: _decision(row) for row in connection.execute(query)}


def _decision(row: Row[Any]) -> Decision:
    return Decision(row.kind, row.subject, row.reason, row.decided_at, row.target, row.key)
