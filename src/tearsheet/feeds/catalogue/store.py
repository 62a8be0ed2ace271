"""The SQL that adds, changes and removes feeds, sources and collections. They are read in `directory` and `history`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from random import random as roll
from typing import Any, Unpack

from sqlalchemy import Connection, Table, bindparam, func, select, update

from tearsheet.engines.database import Database
from tearsheet.errors import BusyError
from tearsheet.feeds.catalogue.directory import find_collection, no_feed, source_of_domain
from tearsheet.feeds.catalogue.feed_changes import ASKED, FeedChanges, changed_columns
from tearsheet.feeds.catalogue.model import AddReport, NewFeed, NewSource
from tearsheet.feeds.polling import spread_over_source
from tearsheet.feeds.tables import collection_sources, collections, feed_documents, feeds, fetch_events, sources
from tearsheet.urls import MAX_URL_LENGTH, BadURL, host_of, publisher_of


def add_feeds(database: Database, new: Iterable[NewFeed], now: datetime) -> AddReport:
    """Add feeds, their sources and their collections; a feed that exists already only joins the collections.

    New feeds are due at once; the pace of their hosts spreads them.
    """
    report = AddReport()
    with database.begin() as connection:
        for feed in new:
            try:
                _add(connection, feed, now, report)
            except BadURL as error:
                report.refused.append((feed.url, str(error)))
    return report


def _skip_taken_ids(connection: Connection, table: Table) -> None:
    """Move PostgreSQL's id counter past ids that came from elsewhere; SQLite does not need this."""
    if connection.dialect.name == "postgresql":
        highest = select(func.max(table.c.id)).scalar_subquery()
        connection.execute(select(func.setval(func.pg_get_serial_sequence(table.name, "id"), highest)))


def _add(connection: Connection, feed: NewFeed, now: datetime, report: AddReport) -> None:
    url = feed.url.strip()
    host = host_of(url)
    if len(url) > MAX_URL_LENGTH or len(host) > 255:
        raise BadURL(f"longer than {MAX_URL_LENGTH} characters")
    known = connection.execute(select(feeds.c.id, feeds.c.sources_id).where(feeds.c.url == url).limit(1)).first()
    if known:
        report.known.append(known.id)
        _join(connection, known.sources_id, feed.collections, now)
        return
    source = feed.sources_id if feed.sources_id is not None else _source_for(connection, feed, now)
    if feed.sources_id is not None:
        _ensure_source(connection, feed.sources_id, feed.source_name or publisher_of(url), publisher_of(url), now)
    values = {
        "sources_id": source, "name": feed.name, "url": url, "host": host, "active": feed.active, "created_at": now,
        "due_at": now, "admin_minutes": feed.admin_minutes, "next_fetch_reason": "new",
    }  # fmt: skip
    if feed.id is not None and connection.execute(select(feeds.c.id).where(feeds.c.id == feed.id)).first() is None:
        values["id"] = feed.id
    report.added.append(connection.execute(feeds.insert().values(values)).inserted_primary_key[0])  # type: ignore[index]  # one row
    if "id" in values:
        _skip_taken_ids(connection, feeds)
    _join(connection, source, feed.collections, now)


def _source_for(connection: Connection, feed: NewFeed, now: datetime) -> int:
    """The source of the feed's site: found by its homepage where that is known, else by the feed's own address."""
    site = feed.homepage or feed.url
    try:
        domain = publisher_of(site)
    except BadURL:
        domain = publisher_of(feed.url)
    return _find_or_add_source(connection, feed.source_name or domain, domain, feed.homepage, now)


def _find_or_add_source(connection: Connection, name: str, domain: str, homepage: str | None, now: datetime) -> int:
    """The id of the oldest source of a domain, created if missing."""
    known = source_of_domain(connection, domain)
    return known if known is not None else _insert_source(connection, name, domain, homepage, now)


def _insert_source(connection: Connection, name: str, domain: str, homepage: str | None, now: datetime) -> int:
    made = connection.execute(
        sources.insert().values(name=name, domain=domain, homepage=homepage, created_at=now)
    ).inserted_primary_key
    assert made is not None
    return int(made[0])


def _ensure_source(connection: Connection, source_id: int, name: str, domain: str, now: datetime) -> None:
    """Create a source with this id if missing: ids may come from lists that others keep."""
    if connection.execute(select(sources.c.id).where(sources.c.id == source_id)).first() is None:
        connection.execute(sources.insert().values(id=source_id, name=name, domain=domain, created_at=now))
        _skip_taken_ids(connection, sources)


def _join(connection: Connection, source: int | None, names: Iterable[str], now: datetime) -> None:
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


# --------------------------------------------------------------------------------------------- sources, collections


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
                report.refused.append((source.site, str(error)))
                continue
            known = source_of_domain(connection, domain)
            made = (
                known if known is not None else _insert_source(connection, source.name or domain, domain, homepage, now)
            )
            (report.added if known is None else report.known).append(made)
            _join(connection, made, source.collections, now)
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
        _join(connection, source_id, join, now)
        connection.execute(
            collection_sources.delete().where(members.source_id == source_id, members.collection_id.in_(left))
        )


def remove_source(database: Database, source_id: int) -> int:
    """Remove a source, its feeds and their events, and take it out of its collections; returns how many feeds it had.

    The stories seen in its feeds stay, in the index and the archive too.
    """
    with database.begin() as connection:
        mine = select(feeds.c.id).where(feeds.c.sources_id == source_id)
        connection.execute(fetch_events.delete().where(fetch_events.c.feed_id.in_(mine)))
        removed = connection.execute(feeds.delete().where(feeds.c.sources_id == source_id)).rowcount
        connection.execute(collection_sources.delete().where(collection_sources.c.source_id == source_id))
        connection.execute(sources.delete().where(sources.c.id == source_id))
    return removed


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


# ------------------------------------------------------------------------------------------------- changes to feeds


def fetch_soon(database: Database, feed_id: int, now: datetime) -> None:
    """Poll a feed as soon as its host allows; its failures are reset, and a disabled feed is enabled again.

    Raises NotFoundError, and BusyError while it is being fetched.
    """
    with database.begin() as connection:
        row = connection.execute(select(feeds.c.queued, feeds.c.due_at).where(feeds.c.id == feed_id)).first()
        if row is None:
            raise no_feed(feed_id)
        if row.queued and row.due_at > now:
            raise BusyError(f"feed {feed_id} is being fetched just now")
        _update(
            connection, feed_id,
            next_fetch_attempt=None, due_at=now, last_fetch_failures=0.0, gone_seen=0, system_enabled=True,
            next_fetch_reason=ASKED,
        )  # fmt: skip


def fetch_source_soon(database: Database, source_id: int, now: datetime, random: Callable[[], float] = roll) -> int:
    """Poll the active feeds of a source soon, one after the other; returns how many. Existing leases stay as they are."""
    with database.begin() as connection:
        query = select(feeds.c.id, feeds.c.queued, feeds.c.due_at).where(
            feeds.c.sources_id == source_id, feeds.c.active
        )
        rows = [
            row.id for row in connection.execute(query.order_by(feeds.c.id)) if not (row.queued and row.due_at > now)
        ]
        times = [
            {"b_id": feed, "b_due": spread_over_source(number, len(rows), now, random())}
            for number, feed in enumerate(rows)
        ]
        if times:
            statement = update(feeds).where(feeds.c.id == bindparam("b_id"))
            soon: dict[str, Any] = {"due_at": bindparam("b_due"), "next_fetch_attempt": bindparam("b_due")}
            connection.execute(statement.values(**soon, next_fetch_reason=ASKED), times)
    return len(rows)


def change_feed(database: Database, feed_id: int, now: datetime, **changes: Unpack[FeedChanges]) -> None:
    """Change what is given, by the rules of `changed_columns`. Raises NotFoundError or UsageError."""
    values = changed_columns(changes, now)
    with database.begin() as connection:
        if connection.execute(select(feeds.c.id).where(feeds.c.id == feed_id)).first() is None:
            raise no_feed(feed_id)
        if values:
            _update(connection, feed_id, **values)


def remove_feed(database: Database, feed_id: int) -> None:
    """Remove a feed and its events; the stories seen in it stay. Raises NotFoundError."""
    with database.begin() as connection:
        if not connection.execute(feeds.delete().where(feeds.c.id == feed_id)).rowcount:
            raise no_feed(feed_id)
        for table in (fetch_events, feed_documents):
            connection.execute(table.delete().where(table.c.feed_id == feed_id))


def _update(connection: Connection, feed_id: int, **values: Any) -> None:
    connection.execute(update(feeds).where(feeds.c.id == feed_id).values(**values))
