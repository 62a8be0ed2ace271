"""The SQL that adds, changes, merges, splits and removes sources and collections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, func, select, update

from tearsheet.engines.database import Database
from tearsheet.errors import UsageError
from tearsheet.feeds.access_store import forget_access
from tearsheet.feeds.catalogue.directory import find_collection, no_feed, no_source, source_of_domain
from tearsheet.feeds.catalogue.model import ADDED, KNOWN, REFUSED, AddReport, NewSource, RowOutcome
from tearsheet.feeds.polling import forget_documents
from tearsheet.feeds.tables import (
    collection_sources,
    collections,
    feed_id_marks,
    feeds,
    fetch_events,
    sources,
    stories,
)
from tearsheet.urls import BadURL, publisher_of

_SOURCES = "sources"


# ------------------------------------------------------------------------------------------ within a transaction


def skip_taken_ids(connection: Connection, table: Table) -> None:
    """Move PostgreSQL's id counter past ids that came from elsewhere, and never back; SQLite does not need this."""
    if connection.dialect.name == "postgresql":
        counter = func.pg_get_serial_sequence(table.name, "id")
        highest = select(func.max(table.c.id)).scalar_subquery()
        connection.execute(select(func.setval(counter, func.greatest(highest, func.nextval(counter)))))


def find_or_add_source(connection: Connection, name: str, domain: str, homepage: str | None, now: datetime) -> int:
    """The id of the oldest source of a domain, created if missing."""
    known = source_of_domain(connection, domain)
    return known if known is not None else _insert_source(connection, name, domain, homepage, now)


def _insert_source(connection: Connection, name: str, domain: str, homepage: str | None, now: datetime) -> int:
    values: dict[str, Any] = {"name": name, "domain": domain, "homepage": homepage, "created_at": now}
    if connection.dialect.name == "sqlite":
        values["id"] = _fresh_id(connection)
    made = connection.execute(sources.insert().values(values)).inserted_primary_key
    assert made is not None
    return int(made[0])


def _fresh_id(connection: Connection) -> int:
    """An id that no source ever had. SQLite gives the highest one again once its source was removed."""
    highest = connection.execute(select(func.max(sources.c.id))).scalar() or 0
    return 1 + max(int(highest), _mark(connection) or 0)


def _mark(connection: Connection) -> int | None:
    mark = connection.execute(select(feed_id_marks.c.highest).where(feed_id_marks.c.kind == _SOURCES)).scalar()
    return None if mark is None else int(mark)


def _retire_ids(connection: Connection, ids: Sequence[int]) -> None:
    """Remember the highest id of sources that are removed."""
    highest, known = max(ids, default=0), _mark(connection)
    if known is None:
        connection.execute(feed_id_marks.insert().values(kind=_SOURCES, highest=highest))
    elif highest > known:
        connection.execute(update(feed_id_marks).where(feed_id_marks.c.kind == _SOURCES).values(highest=highest))


def ensure_source(connection: Connection, source_id: int, name: str, domain: str, now: datetime) -> None:
    """Create a source with this id if missing: ids may come from lists that others keep."""
    if connection.execute(select(sources.c.id).where(sources.c.id == source_id)).first() is None:
        connection.execute(sources.insert().values(id=source_id, name=name, domain=domain, created_at=now))
        skip_taken_ids(connection, sources)


def join_collections(connection: Connection, source: int | None, names: Iterable[str], now: datetime) -> None:
    """Make a source a member of collections, which are created if missing."""
    for name in names:
        if source is not None and name.strip():
            _add_to_collection(connection, _collection_id(connection, name.strip()[:500], now), source)


def _collection_id(connection: Connection, name: str, now: datetime) -> int:
    """The id of a collection, created if there is none of this name."""
    known = connection.execute(select(collections.c.id).where(collections.c.name == name)).scalar()
    if known is not None:
        return int(known)
    made = connection.execute(collections.insert().values(name=name, created_at=now)).inserted_primary_key
    assert made is not None
    return int(made[0])


def _add_to_collection(connection: Connection, collection: int, source: int) -> None:
    """Make a source a member of a collection."""
    c = collection_sources.c
    member = select(c.source_id).where(c.collection_id == collection, c.source_id == source)
    if connection.execute(member).first() is None:
        connection.execute(collection_sources.insert().values(collection_id=collection, source_id=source))


def move_to_source(connection: Connection, feed_ids: Sequence[int], source: int, now: datetime) -> None:
    """Make feeds, with the entries seen in them, those of a source. Raises NotFoundError, and UsageError while one is polled."""
    if connection.execute(select(sources.c.id).where(sources.c.id == source)).first() is None:
        raise no_source(source)
    for feed in feed_ids:
        row = connection.execute(select(feeds.c.queued, feeds.c.due_at).where(feeds.c.id == feed)).first()
        if row is None:
            raise no_feed(feed)
        # A poll that is under way would write its entries to the old source, so it does not count.
        values = {"sources_id": source, "modified_at": now} | (
            {"lease": None, "queued": False, "due_at": now} if row.queued else {}
        )
        connection.execute(update(feeds).where(feeds.c.id == feed).values(values))
        connection.execute(update(stories).where(stories.c.feed_id == feed).values(sources_id=source))


# --------------------------------------------------------------------------------------------------------- sources


def add_sources(database: Database, new: Iterable[NewSource], now: datetime) -> AddReport:
    """Add sources and their collections; a source whose domain exists already only joins the collections."""
    report = AddReport()
    with database.begin() as connection:
        for source in new:
            site = source.site.strip()
            homepage = site if "://" in site else f"https://{site}/"
            try:
                domain = publisher_of(homepage)
            except BadURL as error:
                report.rows.append(RowOutcome(REFUSED, None, source.site, str(error)))
                continue
            known = source_of_domain(connection, domain)
            made = (
                known if known is not None else _insert_source(connection, source.name or domain, domain, homepage, now)
            )
            report.rows.append(RowOutcome(ADDED if known is None else KNOWN, made, source.site))
            join_collections(connection, made, source.collections, now)
    return report


def change_source(
    database: Database,
    source_id: int,
    now: datetime,
    *,
    name: str | None = None,
    homepage: str | None = None,
    join: Iterable[str] = (),
    leave: Iterable[str] = (),
) -> None:
    """Change what is given, all or nothing: what people call a source, its homepage, the collections that it joins and leaves.

    A collection that it joins is created if missing. Raises NotFoundError for one that it should leave.
    """
    left = [find_collection(database, collection) for collection in leave]
    values = {column: value for column, value in (("name", name), ("homepage", homepage)) if value is not None}
    members = collection_sources.c
    with database.begin() as connection:
        if values:
            connection.execute(update(sources).where(sources.c.id == source_id).values(values))
        join_collections(connection, source_id, join, now)
        connection.execute(
            collection_sources.delete().where(members.source_id == source_id, members.collection_id.in_(left))
        )


def remove_source(database: Database, source_id: int) -> int:
    """Remove a source, its feeds and their events, and take it out of its collections; returns how many feeds it had.

    The stories seen in its feeds stay, in the index and the archive too.
    """
    with database.begin() as connection:
        mine = select(feeds.c.id).where(feeds.c.sources_id == source_id)
        of_feeds = connection.execute(mine).scalars().all()
        forget_access(connection, of_feeds)
        forget_documents(connection, of_feeds)
        connection.execute(fetch_events.delete().where(fetch_events.c.feed_id.in_(mine)))
        removed = connection.execute(feeds.delete().where(feeds.c.sources_id == source_id)).rowcount
        connection.execute(collection_sources.delete().where(collection_sources.c.source_id == source_id))
        connection.execute(sources.delete().where(sources.c.id == source_id))
        _retire_ids(connection, [source_id])
    return removed


def merge_sources(database: Database, others: Sequence[int], into: int, now: datetime) -> int:
    """Make sources one: their feeds, entries and collections become those of `into`. Returns how many feeds it got.

    What is indexed and archived keeps the source that it had. Raises UsageError, or NotFoundError.
    """
    if into in others:
        raise UsageError("a source cannot be merged into itself")
    members = collection_sources.c
    with database.begin() as connection:
        for source in (into, *others):
            if connection.execute(select(sources.c.id).where(sources.c.id == source)).first() is None:
                raise no_source(source)
        moved = connection.execute(select(feeds.c.id).where(feeds.c.sources_id.in_(others))).scalars().all()
        move_to_source(connection, moved, into, now)
        # Entries of feeds that were removed have a source, too.
        connection.execute(update(stories).where(stories.c.sources_id.in_(others)).values(sources_id=into))
        joined = connection.execute(
            select(members.collection_id).where(members.source_id.in_(others)).distinct()
        ).scalars()
        for collection in joined.all():
            _add_to_collection(connection, collection, into)
        connection.execute(collection_sources.delete().where(members.source_id.in_(others)))
        connection.execute(sources.delete().where(sources.c.id.in_(others)))
        _retire_ids(connection, others)
    return len(moved)


def split_source(
    database: Database, source: int, feed_ids: Sequence[int], name: str, homepage: str | None, now: datetime
) -> int:
    """Make some feeds of a source, with their entries, those of a new one in the same collections; returns its id.

    Raises UsageError for feeds of another source, or BadURL for the homepage.
    """
    members = collection_sources.c
    with database.begin() as connection:
        row = connection.execute(select(sources).where(sources.c.id == source)).first()
        if row is None:
            raise no_source(source)
        mine = set(connection.execute(select(feeds.c.id).where(feeds.c.sources_id == source)).scalars())
        for feed in feed_ids:
            if feed not in mine:
                raise UsageError(
                    f"feed {feed} is not of source {source}; `tearsheet sources show {source}` lists its feeds"
                )
        domain = publisher_of(homepage) if homepage else row.domain
        made = _insert_source(connection, name, domain, homepage, now)
        move_to_source(connection, feed_ids, made, now)
        joined = connection.execute(select(members.collection_id).where(members.source_id == source)).scalars()
        for collection in joined.all():
            _add_to_collection(connection, collection, made)
    return made


def change_members(
    database: Database, collection: str, members: Iterable[int], now: datetime, *, remove: bool = False
) -> int:
    """Put sources into a collection, which is created if missing, or take them out; returns the collection's id."""
    if remove:
        known = find_collection(database, collection)
        c = collection_sources.c
        with database.begin() as connection:
            connection.execute(
                collection_sources.delete().where(c.collection_id == known, c.source_id.in_(list(members)))
            )
        return known
    with database.begin() as connection:
        made = _collection_id(connection, collection.strip()[:500], now)
        for source in members:
            _add_to_collection(connection, made, source)
    return made


def remove_collection(database: Database, collection: int) -> None:
    """Remove a collection; its sources stay."""
    with database.begin() as connection:
        connection.execute(collection_sources.delete().where(collection_sources.c.collection_id == collection))
        connection.execute(collections.delete().where(collections.c.id == collection))
