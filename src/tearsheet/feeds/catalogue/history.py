"""The SQL that reads what happened to feeds: their fetch events, the stories seen in them, and counts by day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Date, String, cast, func, select
from sqlalchemy.sql.elements import KeyedColumnElement

from tearsheet.engines.database import Database
from tearsheet.feeds.polling import plain_words, read_details, what_to_do
from tearsheet.feeds.tables import feeds, fetch_events, sources, stories
from tearsheet.masking import without_login

Row = dict[str, Any]
_STORY_COLUMNS = ("id", "url", "feed_id", "sources_id", "published_at", "fetched_at", "domain", "title")


def fetch_history(database: Database, feed_id: int, limit: int | None = None) -> list[Row]:
    """A feed's fetch events, newest first."""
    query = select(fetch_events).where(fetch_events.c.feed_id == feed_id).order_by(fetch_events.c.id.desc())
    with database.read() as connection:
        return [dict(row) for row in connection.execute(query.limit(limit) if limit else query).mappings()]


@dataclass(slots=True, frozen=True)
class FailingFeed:
    """A feed whose last poll failed, why, and what to do."""

    id: int
    url: str
    why: str
    advice: str
    next_poll: datetime | None


def failing_feeds(database: Database, *, since: datetime | None = None, limit: int = 1000) -> list[FailingFeed]:
    """The feeds whose last poll failed, or of those polled `since` then, the ones that were never heard of first."""
    f, e = feeds.c, fetch_events.c
    latest = select(e.note).where(e.feed_id == f.id).order_by(e.id.desc()).limit(1).scalar_subquery()
    query = select(f.id, f.url, f.system_status, f.next_fetch_attempt, latest.label("note")).where(
        f.active, f.last_fetch_failures > 0
    )
    if since is not None:
        query = query.where(f.last_fetch_attempt >= since)
    with database.read() as connection:
        rows = connection.execute(query.order_by(f.last_fetch_success.is_not(None), f.id).limit(limit)).all()
    return [_failing(row) for row in rows]


@dataclass(slots=True, frozen=True)
class Polls:
    """How many feeds were polled, and when the next one is due."""

    polled: int
    next_poll: datetime | None
    """None when there is no feed that is polled."""


def polls_since(database: Database, since: datetime) -> Polls:
    """How many feeds were polled `since` then, and when the next one is due."""
    polled = select(func.count()).select_from(feeds).where(feeds.c.last_fetch_attempt >= since)
    due = select(func.min(feeds.c.due_at)).where(feeds.c.active, feeds.c.system_enabled)
    with database.read() as connection:
        return Polls(int(connection.execute(polled).scalar_one()), connection.execute(due).scalar())


def _failing(row: Any) -> FailingFeed:
    status, note = row.system_status or "", row.note or ""
    return FailingFeed(
        row.id, without_login(row.url), plain_words(note or status), what_to_do(status, note), row.next_fetch_attempt
    )


def events_of_source(
    database: Database, domain: str, start: datetime, end: datetime
) -> tuple[datetime | None, list[tuple[str, str | None, int]]]:
    """When the oldest kept event of a source's feeds happened, and counts of the events from `start` to before `end`.

    The events are counted by event and note.
    """
    of_source = (
        select(fetch_events)
        .join(feeds, feeds.c.id == fetch_events.c.feed_id)
        .join(sources, sources.c.id == feeds.c.sources_id)
        .where(sources.c.domain == domain)
        .subquery()
    )
    query = (
        select(of_source.c.event, of_source.c.note, func.count())
        .where(of_source.c.created_at >= start, of_source.c.created_at < end)
        .group_by(of_source.c.event, of_source.c.note)
    )
    with database.read() as connection:
        oldest = connection.execute(select(func.min(of_source.c.created_at))).scalar()
        return oldest, [(event, note, int(count)) for event, note, count in connection.execute(query)]


def newest_stories(
    database: Database,
    *,
    feed_id: int | None = None,
    source_id: int | None = None,
    limit: int = 50,
    details: bool = False,
) -> list[Row]:
    """The newest stories of a feed or of a source; with `details`, what their entries say beside title, link and date."""
    columns = (*_STORY_COLUMNS, "details") if details else _STORY_COLUMNS
    query = select(*_columns(stories, columns)).order_by(stories.c.fetched_at.desc(), stories.c.id.desc())
    if feed_id is not None:
        query = query.where(stories.c.feed_id == feed_id)
    if source_id is not None:
        query = query.where(stories.c.sources_id == source_id)
    with database.read() as connection:
        rows = [dict(row) for row in connection.execute(query.limit(limit)).mappings()]
    return [row | read_details(row.pop("details")) for row in rows] if details else rows


def stories_from(database: Database, first_id: int, limit: int) -> list[Row]:
    """Stories with this id or a later one, in order of id, each with its feed's address: a cursor for programs."""
    s = stories.c
    query = (
        select(
            *_columns(stories, (*_STORY_COLUMNS, "normalized_url", "normalized_title", "normalized_title_hash", "guid"))
        )
        .add_columns(feeds.c.url.label("feed_url"))
        .select_from(stories.outerjoin(feeds, feeds.c.id == s.feed_id))
        .where(s.id >= first_id)
        .order_by(s.id)
        .limit(limit)
    )
    with database.read() as connection:
        found = connection.execute(query).mappings()
        return [dict(row) | {"feed_url": row["feed_url"] and without_login(row["feed_url"])} for row in found]


def stories_by_day(
    database: Database, column: str, *, since: datetime | None = None, source_id: int | None = None
) -> list[tuple[str, int]]:
    """How many stories were `fetched_at` or `published_at` each day, UTC, newest day first."""
    moment = stories.c[column]
    with database.read() as connection:
        day = _utc_day(connection, moment)
        query = select(day, func.count()).where(moment.is_not(None)).group_by(day).order_by(day.desc())
        if since is not None:
            query = query.where(moment >= since)
        if source_id is not None:
            query = query.where(stories.c.sources_id == source_id)
        return [(str(row[0]), int(row[1])) for row in connection.execute(query)]


def days_of_stories(database: Database, since: datetime, now: datetime) -> float:
    """For how many days there are stories that were fetched since then: up to now, from the oldest on; 0 if there is none."""
    query = select(func.min(stories.c.fetched_at)).where(stories.c.fetched_at >= since)
    with database.read() as connection:
        oldest = connection.execute(query).scalar()
    return 0.0 if oldest is None else max((now - oldest) / timedelta(days=1), 1 / 86_400)


def top_counts(database: Database, column: str, since: datetime, limit: int | None) -> list[tuple[Any, int]]:
    """The most frequent values of `domain`, `feed_id` or `sources_id` among stories fetched since then."""
    counted = stories.c[column]
    number = func.count().label("stories")
    query = (
        select(counted, number)
        .where(stories.c.fetched_at >= since, counted.is_not(None))
        .group_by(counted)
        .order_by(number.desc(), counted)
    )
    with database.read() as connection:
        return [(row[0], int(row[1])) for row in connection.execute(query.limit(limit) if limit else query)]


def _utc_day(connection: Connection, column: ColumnElement[Any]) -> ColumnElement[str]:
    """The day of a moment, UTC, as YYYY-MM-DD."""
    if connection.dialect.name == "postgresql":
        return cast(cast(func.timezone("UTC", column), Date), String)
    return func.date(column, type_=String())


def _columns(table: Any, names: Sequence[str]) -> list[KeyedColumnElement[Any]]:
    return [table.c[name] for name in names]
