"""The SQL that looks up feeds, sources and collections, and lists the latter two. Feeds are listed in `listing`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from tearsheet.engines.database import Database
from tearsheet.errors import NotFoundError
from tearsheet.feeds.access import FeedAccess
from tearsheet.feeds.access_store import read_access
from tearsheet.feeds.catalogue.model import Collection, Listing, Source
from tearsheet.feeds.tables import collection_sources, collections, feeds, sources
from tearsheet.masking import without_login
from tearsheet.near_names import MOST_COMPARED, did_you_mean
from tearsheet.urls import BadURL, publisher_of

Row = dict[str, Any]
_INTERNAL = frozenset({"lease", "due_at", "entries_hash"})
_SHOWN = tuple(column for column in feeds.columns if column.name not in _INTERNAL)


# ------------------------------------------------------------------------------------------------------ feeds


def read_feed(database: Database, feed_id: int) -> Row:
    """Every column of a feed that is of interest to people. Raises NotFoundError."""
    with database.read() as connection:
        row = connection.execute(select(*_SHOWN).where(feeds.c.id == feed_id)).mappings().first()
    if row is None:
        raise no_feed(feed_id)
    return shown_feed(row)


def access_kinds(database: Database, feed_id: int) -> tuple[str, ...]:
    """What a feed's server is told, by name and without any value."""
    with database.read() as connection:
        return read_access(connection, [feed_id]).get(feed_id, FeedAccess()).kinds


def find_feed(database: Database, id_or_url: str) -> int:
    """The id of a feed, given its id or its address. Raises NotFoundError."""
    if _is_id(id_or_url):
        return int(read_feed(database, int(id_or_url))["id"])
    with database.read() as connection:
        found = connection.execute(select(feeds.c.id).where(feeds.c.url == id_or_url).order_by(feeds.c.id)).scalar()
        near = _near(connection, feeds.c.url, id_or_url, "feeds") if found is None else ""
    if found is None:
        raise NotFoundError(f"there is no feed with the address {id_or_url}; {near}")
    return int(found)


def is_known_feed(database: Database, url: str) -> bool:
    """Whether there is a feed with this address."""
    with database.read() as connection:
        return connection.execute(select(feeds.c.id).where(feeds.c.url == url).limit(1)).first() is not None


def feeds_of_source(database: Database, source_id: int) -> list[Row]:
    """The feeds of a source, in order of id."""
    query = select(*_SHOWN).where(feeds.c.sources_id == source_id).order_by(feeds.c.id)
    with database.read() as connection:
        return [shown_feed(row) for row in connection.execute(query).mappings()]


def shown_feed(row: Mapping[Any, Any]) -> Row:
    """A feed as it is shown."""
    return dict(row) | {"url": without_login(row["url"])}


def no_feed(feed_id: int) -> NotFoundError:
    """The error for a feed that does not exist."""
    return NotFoundError(f"there is no feed {feed_id}; `tearsheet feeds list` shows them")


# --------------------------------------------------------------------------------------------- sources, collections


def read_source(database: Database, source_id: int) -> Row:
    """A source's columns. Raises NotFoundError."""
    with database.read() as connection:
        row = connection.execute(select(sources).where(sources.c.id == source_id)).mappings().first()
    if row is None:
        raise no_source(source_id)
    return dict(row)


def no_source(source_id: int) -> NotFoundError:
    """The error for a source that does not exist."""
    return NotFoundError(f"there is no source {source_id}; `tearsheet sources list` shows them")


def find_source(database: Database, id_or_site: str) -> int:
    """The id of a source, given its id, its domain or an address of its site. Raises NotFoundError."""
    with database.read() as connection:
        if _is_id(id_or_site):
            found = connection.execute(select(sources.c.id).where(sources.c.id == int(id_or_site))).scalar()
        else:
            try:
                found = source_of_domain(
                    connection, publisher_of(id_or_site if "://" in id_or_site else f"http://{id_or_site}/")
                )
            except BadURL:
                found = None
        near = _near(connection, sources.c.domain, id_or_site, "sources") if found is None else ""
    if found is None:
        raise NotFoundError(f"there is no source {id_or_site!r}; {near}")
    return int(found)


def source_of_domain(connection: Connection, domain: str) -> int | None:
    """The id of the oldest source of a domain."""
    query = select(sources.c.id).where(sources.c.domain == domain).order_by(sources.c.id).limit(1)
    return connection.execute(query).scalar()


def list_sources(
    database: Database,
    *,
    name: str = "",
    collection_id: int | None = None,
    ids: Iterable[int] | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Listing:
    """Sources in order of id; `name` is part of their name or domain; case does not matter."""
    mine = select(func.count()).where(collection_sources.c.source_id == sources.c.id).scalar_subquery()
    statement = select(sources, mine.label("collections"))
    if name:
        statement = statement.where(_contains(sources.c.name, name) | _contains(sources.c.domain, name))
    if collection_id is not None:
        members = select(collection_sources.c.source_id).where(collection_sources.c.collection_id == collection_id)
        statement = statement.where(sources.c.id.in_(members))
    if ids is not None:
        statement = statement.where(sources.c.id.in_(list(ids)))
    found = page_of_rows(database, statement, sources.c.id, limit, offset)
    return Listing([Source(**row) for row in found.rows], found.count)


def find_collection(database: Database, id_or_name: str) -> int:
    """The id of a collection, given its name or id. Raises NotFoundError."""
    with database.read() as connection:
        found = connection.execute(select(collections.c.id).where(collections.c.name == id_or_name)).scalar()
        if found is None and _is_id(id_or_name):
            found = connection.execute(select(collections.c.id).where(collections.c.id == int(id_or_name))).scalar()
        near = _near(connection, collections.c.name, id_or_name, "collections") if found is None else ""
    if found is None:
        raise NotFoundError(f"there is no collection {id_or_name!r}; {near}")
    return int(found)


def known_collections(database: Database, ids: Iterable[int]) -> list[int]:
    """These ids of collections. Raises NotFoundError when one of them is of none."""
    wanted = sorted(set(ids))
    with database.read() as connection:
        found = set(connection.execute(select(collections.c.id).where(collections.c.id.in_(wanted))).scalars())
    for missing in (one for one in wanted if one not in found):
        raise no_collection(str(missing))
    return wanted


def no_collection(shown: str) -> NotFoundError:
    """The error for a collection that does not exist, or that somebody must not know of: it says nothing of others."""
    return NotFoundError(f"there is no collection {shown}; `tearsheet collections list` shows them")


def list_collections(
    database: Database,
    *,
    name: str = "",
    source_id: int | None = None,
    ids: Iterable[int] | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Listing:
    """Collections in order of id; `name` is part of their name; case does not matter."""
    mine = select(func.count()).where(collection_sources.c.collection_id == collections.c.id).scalar_subquery()
    statement = select(collections, mine.label("sources"))
    if name:
        statement = statement.where(_contains(collections.c.name, name))
    if source_id is not None:
        theirs = select(collection_sources.c.collection_id).where(collection_sources.c.source_id == source_id)
        statement = statement.where(collections.c.id.in_(theirs))
    if ids is not None:
        statement = statement.where(collections.c.id.in_(list(ids)))
    found = page_of_rows(database, statement, collections.c.id, limit, offset)
    return Listing([Collection(**row) for row in found.rows], found.count)


def members_of(
    database: Database,
    source_ids: Iterable[int] = (),
    collections: Iterable[str] = (),
    collection_ids: Iterable[int] = (),
) -> tuple[set[str], set[int]]:
    """Domains and ids of the sources and of all members of the collections: a story names its source by either.

    Raises NotFoundError for a collection that does not exist. A source may be unknown here: stories name others, too.
    """
    wanted = [find_collection(database, name) for name in collections]
    wanted += known_collections(database, collection_ids)
    members = select(collection_sources.c.source_id).where(collection_sources.c.collection_id.in_(wanted))
    named = set(source_ids)
    statement = select(sources.c.id, sources.c.domain).where(sources.c.id.in_(named) | sources.c.id.in_(members))
    with database.read() as connection:
        found = connection.execute(statement).all()
    return {row.domain for row in found}, named | {row.id for row in found}


def _near(connection: Connection, column: ColumnElement[str], written: str, what: str) -> str:
    """What was perhaps meant by a name that is in no row, or the command that lists them."""
    known = connection.execute(select(column).distinct().limit(MOST_COMPARED)).scalars()
    return did_you_mean(written, map(without_login, known), f"`tearsheet {what} list` shows them")


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 18


def _contains(column: ColumnElement[str], part: str) -> ColumnElement[bool]:
    return func.lower(column).contains(part.lower(), autoescape=True)


def page_of_rows(
    database: Database, statement: Select[Any], order: ColumnElement[Any], limit: int, offset: int
) -> Listing:
    """A page of what a statement finds, and how many there are in all."""
    with database.read() as connection:
        count = connection.execute(select(func.count()).select_from(statement.subquery())).scalar_one()
        rows = connection.execute(statement.order_by(order).limit(limit).offset(offset)).mappings().all()
    return Listing([dict(row) for row in rows], int(count))
