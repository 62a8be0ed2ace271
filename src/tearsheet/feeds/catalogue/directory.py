"""Sources, collections and feeds to read, a page at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select

from tearsheet.engines.database import Database
from tearsheet.feeds.catalogue.store import find_collection
from tearsheet.feeds.tables import collection_sources, collections, feeds, sources


@dataclass(slots=True, frozen=True)
class Source:
    """A publication."""

    id: int
    name: str
    domain: str
    homepage: str | None
    created_at: datetime
    collections: int = 0
    """How many collections it belongs to."""


@dataclass(slots=True, frozen=True)
class Collection:
    """A named set of sources."""

    id: int
    name: str
    created_at: datetime
    sources: int = 0
    """How many sources belong to it."""


@dataclass(slots=True, frozen=True)
class Listing:
    """A page of rows, and how many there are in all."""

    rows: Sequence[Any]
    count: int


def list_sources(
    database: Database,
    *,
    name: str = "",
    collection_id: int | None = None,
    ids: Iterable[int] | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Listing:
    """Sources in order of id; `name` is a part of their name or domain, without regard to case."""
    mine = select(func.count()).where(collection_sources.c.source_id == sources.c.id).scalar_subquery()
    statement = select(sources, mine.label("collections"))
    if name:
        statement = statement.where(_contains(sources.c.name, name) | _contains(sources.c.domain, name))
    if collection_id is not None:
        members = select(collection_sources.c.source_id).where(collection_sources.c.collection_id == collection_id)
        statement = statement.where(sources.c.id.in_(members))
    if ids is not None:
        statement = statement.where(sources.c.id.in_(list(ids)))
    found = _listing(database, statement, sources.c.id, limit, offset)
    return Listing([Source(**row) for row in found.rows], found.count)


def list_collections(
    database: Database,
    *,
    name: str = "",
    source_id: int | None = None,
    ids: Iterable[int] | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Listing:
    """Collections in order of id; `name` is a part of their name, without regard to case."""
    mine = select(func.count()).where(collection_sources.c.collection_id == collections.c.id).scalar_subquery()
    statement = select(collections, mine.label("sources"))
    if name:
        statement = statement.where(_contains(collections.c.name, name))
    if source_id is not None:
        theirs = select(collection_sources.c.collection_id).where(collection_sources.c.source_id == source_id)
        statement = statement.where(collections.c.id.in_(theirs))
    if ids is not None:
        statement = statement.where(collections.c.id.in_(list(ids)))
    found = _listing(database, statement, collections.c.id, limit, offset)
    return Listing([Collection(**row) for row in found.rows], found.count)


def list_feeds(
    database: Database,
    *,
    source_id: int | None = None,
    ids: Iterable[int] | None = None,
    since: datetime | None = None,
    before: datetime | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Listing:
    """Feeds in order of id, as mappings of every column; `since` and `before` are about when they were added."""
    statement = select(feeds)
    if source_id is not None:
        statement = statement.where(feeds.c.sources_id == source_id)
    if ids is not None:
        statement = statement.where(feeds.c.id.in_(list(ids)))
    if since is not None:
        statement = statement.where(feeds.c.created_at >= since)
    if before is not None:
        statement = statement.where(feeds.c.created_at < before)
    return _listing(database, statement, feeds.c.id, limit, offset)


def members_of(
    database: Database,
    source_ids: Iterable[int] = (),
    collections: Iterable[str] = (),
    collection_ids: Iterable[int] = (),
) -> tuple[set[str], set[int]]:
    """Domains and ids of sources and of all that belong to collections: a story knows its source by either.

    Raises NotFoundError for a collection that is not there by this name or id; ids alone may be of none.
    """
    wanted = [*collection_ids, *(find_collection(database, name) for name in collections)]
    members = select(collection_sources.c.source_id).where(collection_sources.c.collection_id.in_(wanted))
    named = set(source_ids)
    statement = select(sources.c.id, sources.c.domain).where(sources.c.id.in_(named) | sources.c.id.in_(members))
    with database.read() as connection:
        found = connection.execute(statement).all()
    return {row.domain for row in found}, named | {row.id for row in found}


def feed_states(database: Database) -> dict[str, int]:
    """How many feeds there are that are polled, failing, and switched off."""
    active = feeds.c.active & feeds.c.system_enabled
    failing = active & (feeds.c.last_fetch_failures > 0)
    with database.read() as connection:
        return {
            name: int(connection.execute(select(func.count()).select_from(feeds).where(condition)).scalar_one())
            for name, condition in (("ok", active & ~failing), ("failing", failing), ("off", ~active))
        }


def _contains(column: ColumnElement[str], part: str) -> ColumnElement[bool]:
    return func.lower(column).contains(part.lower(), autoescape=True)


def _listing(database: Database, statement: Select[Any], order: ColumnElement[Any], limit: int, offset: int) -> Listing:
    with database.read() as connection:
        count = connection.execute(select(func.count()).select_from(statement.subquery())).scalar_one()
        rows = connection.execute(statement.order_by(order).limit(limit).offset(offset)).mappings().all()
    return Listing([dict(row) for row in rows], int(count))
