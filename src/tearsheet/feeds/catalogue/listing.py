"""The SQL that lists feeds: all of them, those in some state, and how many there are of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, select

from tearsheet.engines.database import Database
from tearsheet.feeds.catalogue.directory import page_of_rows, shown_feed
from tearsheet.feeds.catalogue.feed_choices import FeedSort, FeedState
from tearsheet.feeds.catalogue.folders import read_folders
from tearsheet.feeds.catalogue.model import Listing, NewFeed
from tearsheet.feeds.tables import collection_sources, collections, feed_subscriptions, feeds, sources

_POLLED = feeds.c.active & feeds.c.system_enabled
SILENT_AFTER = timedelta(days=31)
_ORDERS: dict[FeedSort, ColumnElement[Any]] = {
    FeedSort.ID: feeds.c.id,
    FeedSort.URL: feeds.c.url,
    FeedSort.NAME: func.coalesce(feeds.c.name, feeds.c.rss_title, feeds.c.url),
    FeedSort.FAILURES: feeds.c.last_fetch_failures.desc(),
    FeedSort.LAST_NEWS: feeds.c.last_new_stories.desc().nulls_last(),
    FeedSort.NEXT_POLL: feeds.c.due_at,
    FeedSort.ADDED: feeds.c.created_at.desc(),
}


def in_state(state: FeedState, now: datetime) -> ColumnElement[bool]:
    """The condition for a state."""
    f = feeds.c
    failing = f.last_fetch_failures > 0
    if state is FeedState.SILENT:
        news = func.coalesce(f.last_new_stories, f.created_at)
        return _POLLED & ~failing & f.last_fetch_success.is_not(None) & (news < now - SILENT_AFTER)
    return {
        FeedState.WORKING: _POLLED & ~failing & f.last_fetch_success.is_not(None),
        FeedState.FAILING: _POLLED & failing,
        FeedState.OFF: ~_POLLED,
        FeedState.NEVER_WORKED: f.last_fetch_attempt.is_not(None) & f.last_fetch_success.is_(None),
        FeedState.WITH_HUB: f.id.in_(select(feed_subscriptions.c.feed_id)),
    }[state]


def list_feeds(
    database: Database,
    *,
    source_id: int | None = None,
    source_ids: Iterable[int] | None = None,
    ids: Iterable[int] | None = None,
    since: datetime | None = None,
    before: datetime | None = None,
    condition: ColumnElement[bool] | None = None,
    sort: FeedSort = FeedSort.ID,
    limit: int = 100,
    offset: int = 0,
) -> Listing:
    """Feeds as mappings of every column, in an order of FeedSort; `since` and `before` apply to when they were added or changed."""
    changed = func.coalesce(feeds.c.modified_at, feeds.c.created_at)
    statement = select(feeds)
    if source_id is not None:
        statement = statement.where(feeds.c.sources_id == source_id)
    if source_ids is not None:
        statement = statement.where(feeds.c.sources_id.in_(list(source_ids)))
    if ids is not None:
        statement = statement.where(feeds.c.id.in_(list(ids)))
    if since is not None:
        statement = statement.where(changed >= since)
    if before is not None:
        statement = statement.where(changed < before)
    if condition is not None:
        statement = statement.where(condition)
    found = page_of_rows(database, statement.order_by(_ORDERS[sort]), feeds.c.id, limit, offset)
    return replace(found, rows=[shown_feed(row) for row in found.rows])


def all_feeds(database: Database) -> list[NewFeed]:
    """Every feed, in order of id, ready to be written or added elsewhere; without what its server has to be told.

    Its homepage is its own, not that of its source: elsewhere it may be of another source, and would come back with another.
    """
    f = feeds.c
    query = (
        select(feeds, sources.c.name.label("source"))
        .select_from(feeds.outerjoin(sources, sources.c.id == f.sources_id))
        .order_by(f.id)
    )
    members = select(collection_sources.c.source_id, collections.c.name).join(
        collections, collections.c.id == collection_sources.c.collection_id
    )
    with database.read() as connection:
        of_source: dict[int, list[str]] = defaultdict(list)
        for row in connection.execute(members.order_by(collections.c.name)):
            of_source[row.source_id].append(row.name)
        return [
            NewFeed(
                url=row.url,
                name=row.name or row.rss_title,
                sources_id=row.sources_id,
                source_name=row.source,
                homepage=row.homepage,
                collections=tuple(of_source.get(row.sources_id, ())),
                id=row.id,
                active=row.active,
                admin_minutes=row.admin_minutes,
                folders=read_folders(row.folders or ""),
                user_agent=row.user_agent,
                ignore_validators=row.ignore_validators,
                created_at=row.created_at,
                modified_at=row.modified_at or row.created_at,
            )
            for row in connection.execute(query)
        ]


def count_feeds(database: Database) -> int:
    """How many feeds there are."""
    with database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(feeds)).scalar_one())


def feed_states(database: Database) -> dict[str, int]:
    """How many feeds are polled, failing, and switched off."""
    failing = _POLLED & (feeds.c.last_fetch_failures > 0)
    with database.read() as connection:
        return {
            name: int(connection.execute(select(func.count()).select_from(feeds).where(condition)).scalar_one())
            for name, condition in (("ok", _POLLED & ~failing), ("failing", failing), ("off", ~_POLLED))
        }
