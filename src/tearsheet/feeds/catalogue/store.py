"""Feeds, sources and collections as people keep them: add, change, look up. SQL of the catalogue lives here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, Table, func, select

from tearsheet.engines.database import Database
from tearsheet.errors import NotFoundError
from tearsheet.feeds.tables import collection_sources, collections, feeds, sources
from tearsheet.urls import MAX_URL_LENGTH, BadURL, canonical_domain, host_of


@dataclass(slots=True)
class NewFeed:
    """A feed to be added. Without `sources_id` it goes to the source of its site's domain, which is made when there is none."""

    url: str
    name: str | None = None
    sources_id: int | None = None
    source_name: str | None = None
    homepage: str | None = None
    collections: tuple[str, ...] = ()
    id: int | None = None
    active: bool = True
    admin_minutes: int | None = None


@dataclass(slots=True)
class AddReport:
    """What became of feeds that were to be added."""

    added: list[int] = field(default_factory=list)
    known: list[int] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Address and reason."""


def add_feeds(database: Database, new: Iterable[NewFeed], now: datetime) -> AddReport:
    """Add feeds, their sources and their collections; a feed that is there already only joins the collections.

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
    """PostgreSQL counts its own ids without regard to those that came from elsewhere; SQLite does not need this."""
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
        ensure_source(
            connection, feed.sources_id, feed.source_name or canonical_domain(url), canonical_domain(url), now
        )
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
    """The source of the feed's site: by its homepage where that is known, else by the feed's own address."""
    site = feed.homepage or feed.url
    try:
        domain = canonical_domain(site)
    except BadURL:
        domain = canonical_domain(feed.url)
    return find_or_add_source(connection, feed.source_name or domain, domain, feed.homepage, now)


def find_or_add_source(connection: Connection, name: str, domain: str, homepage: str | None, now: datetime) -> int:
    """The id of the oldest source of a domain, made when there is none."""
    known = _source_of_domain(connection, domain)
    return known if known is not None else _insert_source(connection, name, domain, homepage, now)


def _source_of_domain(connection: Connection, domain: str) -> int | None:
    query = select(sources.c.id).where(sources.c.domain == domain).order_by(sources.c.id).limit(1)
    return connection.execute(query).scalar()


def _insert_source(connection: Connection, name: str, domain: str, homepage: str | None, now: datetime) -> int:
    made = connection.execute(
        sources.insert().values(name=name, domain=domain, homepage=homepage, created_at=now)
    ).inserted_primary_key
    assert made is not None
    return int(made[0])


def ensure_source(connection: Connection, source_id: int, name: str, domain: str, now: datetime) -> None:
    """A source with this id, made when there is none: ids come from lists that others keep."""
    if connection.execute(select(sources.c.id).where(sources.c.id == source_id)).first() is None:
        connection.execute(sources.insert().values(id=source_id, name=name, domain=domain, created_at=now))
        _skip_taken_ids(connection, sources)


def _join(connection: Connection, source: int | None, names: Iterable[str], now: datetime) -> None:
    for name in names:
        if source is not None and name.strip():
            add_to_collection(connection, collection_id(connection, name.strip()[:500], now), source)


def collection_id(connection: Connection, name: str, now: datetime) -> int:
    """The id of a collection, made when there is none of this name."""
    known = connection.execute(select(collections.c.id).where(collections.c.name == name)).scalar()
    if known is not None:
        return int(known)
    made = connection.execute(collections.insert().values(name=name, created_at=now)).inserted_primary_key
    assert made is not None
    return int(made[0])


def add_to_collection(connection: Connection, collection: int, source: int) -> None:
    """Make a source a member of a collection."""
    c = collection_sources.c
    member = select(c.source_id).where(c.collection_id == collection, c.source_id == source)
    if connection.execute(member).first() is None:
        connection.execute(collection_sources.insert().values(collection_id=collection, source_id=source))


def count_feeds(database: Database) -> int:
    """How many feeds there are."""
    with database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(feeds)).scalar_one())


# --------------------------------------------------------------------------------------------- sources, collections


@dataclass(slots=True)
class NewSource:
    """A source to be added; `site` is its homepage or its domain."""

    site: str
    name: str | None = None
    collections: tuple[str, ...] = ()


def add_sources(database: Database, new: Iterable[NewSource], now: datetime) -> AddReport:
    """Add sources and their collections; a source of a domain that is there already only joins the collections."""
    report = AddReport()
    with database.begin() as connection:
        for source in new:
            site = source.site.strip()
            homepage = site if "://" in site else f"https://{site}/"
            try:
                domain = canonical_domain(homepage)
            except BadURL as error:
                report.refused.append((source.site, str(error)))
                continue
            known = _source_of_domain(connection, domain)
            made = (
                known if known is not None else _insert_source(connection, source.name or domain, domain, homepage, now)
            )
            (report.added if known is None else report.known).append(made)
            _join(connection, made, source.collections, now)
    return report


def find_source(database: Database, id_or_site: str) -> int:
    """The id of a source that is named by its id, its domain or an address of its site. Raises NotFoundError."""
    with database.read() as connection:
        if id_or_site.isascii() and id_or_site.isdecimal() and len(id_or_site) < 18:
            found = connection.execute(select(sources.c.id).where(sources.c.id == int(id_or_site))).scalar()
        else:
            try:
                found = _source_of_domain(
                    connection, canonical_domain(id_or_site if "://" in id_or_site else f"http://{id_or_site}/")
                )
            except BadURL:
                found = None
    if found is None:
        raise NotFoundError(f"there is no source {id_or_site!r}; `tearsheet sources list` shows them")
    return int(found)


def find_collection(database: Database, id_or_name: str) -> int:
    """The id of a collection that is named by its name or id. Raises NotFoundError."""
    with database.read() as connection:
        found = connection.execute(select(collections.c.id).where(collections.c.name == id_or_name)).scalar()
        if found is None and id_or_name.isascii() and id_or_name.isdecimal() and len(id_or_name) < 18:
            found = connection.execute(select(collections.c.id).where(collections.c.id == int(id_or_name))).scalar()
    if found is None:
        raise NotFoundError(f"there is no collection {id_or_name!r}; `tearsheet collections list` shows them")
    return int(found)


def change_members(
    database: Database, collection: str, members: Iterable[int], now: datetime, *, remove: bool = False
) -> int:
    """Put sources into a collection, which is made when there is none, or take them out; returns the collection's id."""
    if remove:
        known = find_collection(database, collection)
        c = collection_sources.c
        with database.begin() as connection:
            connection.execute(
                collection_sources.delete().where(c.collection_id == known, c.source_id.in_(list(members)))
            )
        return known
    with database.begin() as connection:
        made = collection_id(connection, collection.strip()[:500], now)
        for source in members:
            add_to_collection(connection, made, source)
    return made


def remove_collection(database: Database, collection: int) -> None:
    """Forget a collection; its sources stay."""
    with database.begin() as connection:
        connection.execute(collection_sources.delete().where(collection_sources.c.collection_id == collection))
        connection.execute(collections.delete().where(collections.c.id == collection))
