"""What people decided about a topic. Each decision is kept with its time and reason, and holds in every run until it is undone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, select, update

from tearsheet.clock import utc_now
from tearsheet.engines.database import Database
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.topics import tables
from tearsheet.topics.model import Topic

INCLUDE = "include"
"""A page belongs to the topic whatever its text says; it counts as a seed."""
EXCLUDE = "exclude"
"""A page does not belong to the topic whatever its text says."""
MERGE = "merge"
"""A source's stories count as those of another one, the target."""
EDIT = "edit"
"""The definition was changed; the subject says what, and the target from what to what."""
OF_PAGES = (INCLUDE, EXCLUDE)
OF_SOURCES = (MERGE,)


@dataclass(slots=True, frozen=True)
class Decision:
    """A decision of a person."""

    kind: str
    """One of `include`, `exclude`, `merge` and `edit`."""
    subject: str
    """The address of a page, a source, or the part of the definition that was changed."""
    reason: str
    when: datetime
    target: str = ""
    """The source that another one was merged into; of an edit, what was before and after."""
    key: str = ""
    """By what the subject is known: the key of an address, or the source."""
    undone: datetime | None = None
    """When it was undone, or replaced by a later one on the same page or source."""


class MergeCycle(UsageError):
    """Sources are merged into one another in a circle."""


def decisions(database: Database, topic: Topic, *, undone: bool = False) -> list[Decision]:
    """The decisions about a topic that hold, in the order in which they were made; with `undone`, all that ever held."""
    decided = tables.topic_decisions
    query = select(decided).where(decided.c.topics_id == topic.id)
    if not undone:
        query = query.where(decided.c.undone_at.is_(None))
    with database.read() as connection:
        return [_decision(row) for row in connection.execute(query.order_by(decided.c.id))]


def included_pages(connection: Connection, topic_id: int) -> list[Decision]:
    """The pages that people took into a topic, in the order in which they did."""
    decided = tables.topic_decisions
    query = select(decided).where(_holds(topic_id, (INCLUDE,))).order_by(decided.c.id)
    return [_decision(row) for row in connection.execute(query)]


def decision_on_story(connection: Connection, topic_id: int, stories_id: str) -> Decision | None:
    """What was decided about a story, by any of the addresses that lead to it; the last word counts."""
    decided, known = tables.topic_decisions, tables.story_urls
    addresses = select(known.c.url_key).where(known.c.stories_id == stories_id)
    query = select(decided).where(_holds(topic_id, OF_PAGES), decided.c.key.in_(addresses))
    row = connection.execute(query.order_by(decided.c.id.desc()).limit(1)).one_or_none()
    return _decision(row) if row else None


def merged_sources(connection: Connection, topic_id: int) -> dict[str, str]:
    """The sources that were merged into another one in a topic, each with the one that its stories count for."""
    merges = _merges(connection, topic_id)
    return {source: counted_as(source, merges) for source in merges}


def check_merge(connection: Connection, topic_id: int, source: str, target: str) -> None:
    """Whether a source can be merged into another one. Raises MergeCycle."""
    counted_as(source, _merges(connection, topic_id) | {source: target})


def _merges(connection: Connection, topic_id: int) -> dict[str, str]:
    decided = tables.topic_decisions
    query = select(decided.c.key, decided.c.target).where(_holds(topic_id, OF_SOURCES))
    return dict(connection.execute(query).all())


def counted_as(source: str, merges: dict[str, str]) -> str:
    """The source at the end of a chain of merges. Raises MergeCycle."""
    seen = [source]
    while (target := merges.get(source)) is not None:
        if target in seen:
            raise MergeCycle(f"sources would be merged into one another in a circle: {' → '.join([*seen, target])}")
        seen.append(target)
        source = target
    return source


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
    holding = update(decided).where(_holds(topic_id, kinds), decided.c.key == key)
    return connection.execute(holding.values(undone_at=utc_now())).rowcount


def _holds(topic_id: int, kinds: Collection[str]) -> ColumnElement[bool]:
    decided = tables.topic_decisions
    return and_(decided.c.topics_id == topic_id, decided.c.kind.in_(kinds), decided.c.undone_at.is_(None))


def _decision(row: Row[Any]) -> Decision:
    return Decision(row.kind, row.subject, row.reason, row.decided_at, row.target, row.key, row.undone_at)
