"""Reads from the tables how a topic came about, and keeps it with a snapshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import zstandard
from sqlalchemy import Column, Connection, func, insert, select

from tearsheet import __version__
from tearsheet.clock import utc_now
from tearsheet.engines.database import Database
from tearsheet.topics import model, tables
from tearsheet.topics.decisions import EDIT, MERGE, Decision, decisions
from tearsheet.topics.methods.record import Decided, Record
from tearsheet.topics.model import Topic, seed_question

_REASONS = {"no match": "no match", "dated ": "outside dates", "left out by hand": "by hand", "error": "error"}
"""What the reason of a story begins with, and what it is counted as."""


def record_now(database: Database, topic: Topic, max_self_linked: int | None, *, ends_run: bool = False) -> Record:
    """How a topic has come about up to now, which `ends_run` says is the end of a run."""
    decided = decisions(database, topic)
    with database.read() as connection:
        record = _read(connection, topic, max_self_linked, decided)
    return msgspec.structs.replace(record, runs=(*record.runs, record.taken_at)) if ends_run else record


def keep_record(connection: Connection, snapshot_id: int, topic_id: int, record: Record) -> None:
    """Keep the record of a snapshot, in the transaction that saves it."""
    data = zstandard.compress(msgspec.json.encode(record), 3)
    values = {"snapshots_id": snapshot_id, "topics_id": topic_id, "record": data}
    connection.execute(insert(tables.topic_snapshot_records).values(values))


def load_record(database: Database, snapshot_id: int) -> Record | None:
    """The record of a snapshot; None for one that was taken before there were any."""
    kept = tables.topic_snapshot_records.c
    with database.read() as connection:
        data = connection.execute(select(kept.record).where(kept.snapshots_id == snapshot_id)).scalar()
    return msgspec.json.decode(zstandard.decompress(data), type=Record) if data is not None else None


def _read(connection: Connection, topic: Topic, max_self_linked: int | None, decided: Sequence[Decision]) -> Record:
    seeds, stories, jobs = tables.topic_seed_urls, tables.topic_stories, tables.topic_jobs
    members = select(stories.c.iteration, func.count()).where(
        stories.c.topics_id == topic.id, stories.c.state == model.IN
    )
    return Record(
        taken_at=utc_now(),
        version=__version__,
        topic=topic.name,
        query=topic.query,
        explained=seed_question(topic).explain(),
        max_iterations=topic.max_iterations,
        max_stories=topic.max_stories,
        max_self_linked=max_self_linked,
        seconds_per_media_fetch=topic.seconds_per_media_fetch,
        created_at=connection.execute(
            select(tables.topics.c.created_at).where(tables.topics.c.id == topic.id)
        ).scalar_one(),
        runs=_runs(connection, topic.id),
        seeds=_counts(connection, seeds.c.source, topic.id),
        assumed=_count(connection, seeds.c.url_key, topic.id, seeds.c.assume_match),
        posts=_count(connection, tables.topic_posts.c.post_id, topic.id),
        asked=_counts(connection, tables.topic_fetch_urls.c.state, topic.id),
        stories=_counts(connection, stories.c.state, topic.id),
        left_out=_left_out(connection, topic.id),
        iterations=dict(connection.execute(members.group_by(stories.c.iteration)).all()),
        put_off=_count(connection, jobs.c.item, topic.id, jobs.c.put_off),
        decided=_decided(decided),
    )


def _counts(connection: Connection, column: Column[Any], topic_id: int) -> dict[str, int]:
    rows = select(column, func.count()).where(column.table.c.topics_id == topic_id).group_by(column)
    return dict(connection.execute(rows).all())


def _count(connection: Connection, column: Column[Any], topic_id: int, *conditions: Column[bool]) -> int:
    rows = select(func.count(column)).where(column.table.c.topics_id == topic_id, *conditions)
    return int(connection.execute(rows).scalar_one())


def _runs(connection: Connection, topic_id: int) -> tuple[datetime, ...]:
    taken = tables.topic_snapshots.c
    of_runs = select(taken.created_at).where(taken.topics_id == topic_id, taken.run != "").order_by(taken.id)
    return tuple(connection.execute(of_runs).scalars())


def _left_out(connection: Connection, topic_id: int) -> dict[str, int]:
    stories = tables.topic_stories.c
    found: Counter[str] = Counter()
    rows = select(stories.why, func.count()).where(stories.topics_id == topic_id, stories.state == model.OUT)
    for why, count in connection.execute(rows.group_by(stories.why)):
        found[next((said for start, said in _REASONS.items() if why.startswith(start)), "other")] += count
    return dict(found)


def _decided(decided: Sequence[Decision]) -> tuple[Decided, ...]:
    counts = Counter((one.kind, one.reason, _about(one)) for one in decided)
    return tuple(Decided(kind, reason, count, what) for (kind, reason, what), count in sorted(counts.items()))


def _about(one: Decision) -> str:
    if one.kind == MERGE:
        return f"{one.subject} into {one.target}"
    if one.kind == EDIT:
        return f"{one.subject} ({one.target})" if one.target else one.subject
    return ""
