"""What is kept: the newest events of each feed, and the stories that still stand in a feed or did a short while ago."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, Table, delete, func, select

from tearsheet.engines.database import Database
from tearsheet.feeds.polling.store import chunks
from tearsheet.feeds.tables import feed_paces, fetch_events, stories
from tearsheet.settings import FeedSettings

_BATCH = 5_000
_PACE_DAYS = 1


@dataclass(slots=True, frozen=True)
class Pruned:
    """How many rows were dropped, or would be."""

    fetch_events: int
    stories: int


def prune(database: Database, settings: FeedSettings, now: datetime, *, dry_run: bool = False) -> Pruned:
    """Drop events beyond `feeds.events_kept` of each feed, and stories that have left their feeds `feeds.story_days` ago.

    A story that still stands in its feed stays, however old; otherwise it would be taken for new. One that waits for the
    fetch queue stays too. Rows go in small transactions, so that polling goes on.
    """
    ranked = select(
        fetch_events.c.id,
        func.row_number().over(partition_by=fetch_events.c.feed_id, order_by=fetch_events.c.id.desc()).label("rank"),
    ).subquery()
    old_events = select(ranked.c.id).where(ranked.c.rank > settings.events_kept)
    days = max(settings.story_days, settings.title_days, 8)  # unchanged feeds are read in full once a week
    gone = (stories.c.seen_at < now - timedelta(days=days)) & stories.c.queued_at.is_not(None)
    events = _drop(database, fetch_events, old_events, dry_run)
    dropped = _drop(database, stories, select(stories.c.id).where(gone), dry_run)
    if not dry_run:
        with database.begin() as connection:
            idle = now - timedelta(days=_PACE_DAYS)
            connection.execute(delete(feed_paces).where(feed_paces.c.next_start < idle, feed_paces.c.tail < idle))
    return Pruned(events, dropped)


def _drop(database: Database, table: Table, ids: Select[Any], dry_run: bool) -> int:
    if dry_run:
        with database.read() as connection:
            return int(connection.execute(select(func.count()).select_from(ids.subquery())).scalar_one())
    total = 0
    while True:
        with database.begin() as connection:
            some = list(connection.execute(ids.limit(_BATCH)).scalars())
            for part in chunks(some):
                connection.execute(delete(table).where(table.c.id.in_(part)))
        total += len(some)
        if len(some) < _BATCH:
            return total
