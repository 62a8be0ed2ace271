"""The SQL that adds the feeds of a list, and updates those that it knows when asked to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select, update

from tearsheet.engines.database import Database
from tearsheet.errors import UsageError
from tearsheet.feeds.access import FeedAccess, checked_access, without_access
from tearsheet.feeds.access_store import read_access, write_access
from tearsheet.feeds.catalogue.feed_changes import at_new_address, check_user_agent
from tearsheet.feeds.catalogue.folders import folders_text
from tearsheet.feeds.catalogue.matching import KnownFeed, Match, differences, match_of_list, told
from tearsheet.feeds.catalogue.model import ADDED, CHANGED, KNOWN, REFUSED, AddReport, NewFeed, RowOutcome
from tearsheet.feeds.catalogue.source_store import (
    ensure_source,
    find_or_add_source,
    join_collections,
    move_to_source,
    skip_taken_ids,
)
from tearsheet.feeds.intervals import checked_minutes
from tearsheet.feeds.tables import feeds
from tearsheet.masking import redacted, shown_url
from tearsheet.urls import MAX_URL_LENGTH, BadURL, host_of, publisher_of

_KNOWN = [feeds.c[one.name] for one in fields(KnownFeed)]


def add_feeds(database: Database, new: Iterable[NewFeed], now: datetime, *, update: bool = False) -> AddReport:
    """Add feeds, their sources and their collections. A feed that exists already only joins the collections.

    With `update`, it becomes what the row says, as far as that says anything. New feeds are due at once; the pace of their hosts
    spreads them.
    """
    report = AddReport()
    with database.begin() as connection:
        report.rows += (_add_one(connection, row, now, update) for row in new)
    return report


def _add_one(connection: Connection, given: NewFeed, now: datetime, update: bool) -> RowOutcome:
    try:
        row = checked_feed(given)
        same_id = find_known(connection, feeds.c.id == row.id) if row.id is not None else []
        same_address = find_known(connection, feeds.c.url == row.url)
        match = match_of_list(row, same_id[0] if same_id else None, same_address, update)
        return carry_out(connection, row, match, now)
    except UsageError as error:
        name = shown_url(given.url) if given.url.strip() else repr(given.name or "")
        return RowOutcome(REFUSED, given.id, name[:MAX_URL_LENGTH], redacted(str(error)))


def find_known(connection: Connection, condition: Any) -> list[KnownFeed]:
    """The feeds of which this is true, in order of id."""
    query = select(*_KNOWN).where(condition).order_by(feeds.c.id)
    return [KnownFeed(*row) for row in connection.execute(query)]


def checked_feed(given: NewFeed) -> NewFeed:
    """A feed as it can be kept: a login in its address is taken out of it. Raises UsageError, which shows no password."""
    if not given.url.strip():
        raise UsageError("it has no address")
    url, login = without_access(web_address(given.url))
    if len(url) > MAX_URL_LENGTH or len(host_of(url)) > 255:
        raise BadURL(f"longer than {MAX_URL_LENGTH} characters")
    if given.admin_minutes is not None:
        checked_minutes(given.admin_minutes)
    check_user_agent(given.user_agent)
    homepage = (given.homepage or "").strip() or None
    return replace(given, url=url, homepage=homepage, access=checked_access(given.access or login))


def web_address(url: str) -> str:
    """An address that may be written as browsers hand it to feed readers: `feed://host/…` or `feed:https://host/…`."""
    url = url.strip()
    if url[:5].lower() != "feed:":
        return url
    rest = url[5:]
    return f"http:{rest}" if rest.startswith("//") else rest


def carry_out(
    connection: Connection, row: NewFeed, match: Match, now: datetime, directory: str | None = None
) -> RowOutcome:
    """Do what a match says with a checked row."""
    url = shown_url(row.url)
    if match.what == REFUSED:
        return RowOutcome(REFUSED, row.id, url, match.why)
    if match.feed is None:
        return RowOutcome(ADDED, _insert(connection, row, now, directory), url)
    join_collections(connection, match.feed.sources_id, row.collections, now)
    if match.what == KNOWN:
        return RowOutcome(KNOWN, match.feed.id, url)
    return _update(connection, row, match.feed, now, directory)


def _insert(connection: Connection, row: NewFeed, now: datetime, directory: str | None) -> int:
    source = row.sources_id
    if source is None:
        source = _source_for(connection, row, now)
    else:
        domain = publisher_of(row.url)
        ensure_source(connection, source, row.source_name or domain, domain, now)
    values = {
        "sources_id": source, "name": row.name, "url": row.url, "host": host_of(row.url), "active": row.active is not False,
        "created_at": row.created_at or now, "due_at": now, "admin_minutes": row.admin_minutes or None,
        "next_fetch_reason": "new", "folders": folders_text(row.folders) or None, "homepage": row.homepage,
        "user_agent": row.user_agent, "ignore_validators": bool(row.ignore_validators), "directory": directory,
        "modified_at": row.modified_at or now,
    }  # fmt: skip
    if row.id is not None:
        values["id"] = row.id
    made = connection.execute(feeds.insert().values(values)).inserted_primary_key
    assert made is not None
    if row.id is not None:
        skip_taken_ids(connection, feeds)
    write_access(connection, int(made[0]), row.access)
    join_collections(connection, source, row.collections, now)
    return int(made[0])


def _update(connection: Connection, row: NewFeed, feed: KnownFeed, now: datetime, directory: str | None) -> RowOutcome:
    wanted = {name: value for name, value in _said(row).items() if value is not None}
    if directory is not None:
        wanted["directory"] = directory
    if row.admin_minutes == 0:
        wanted["admin_minutes"] = None
    changes = differences(feed, wanted)
    detail = told(feed, {name: value for name, value in changes.items() if name != "directory"})
    if row.access and read_access(connection, [feed.id]).get(feed.id, FeedAccess()) != row.access:
        write_access(connection, feed.id, row.access)
        detail += ("; " if detail else "") + "login"
    if changes:
        _write_changes(connection, row, feed.id, changes, now)
    return RowOutcome(CHANGED if detail else KNOWN, feed.id, shown_url(row.url), detail)


def _said(row: NewFeed) -> dict[str, Any]:
    """The columns of a feed as a row has them; None where it says nothing."""
    return {
        "url": row.url, "sources_id": row.sources_id, "name": row.name, "active": row.active,
        "admin_minutes": row.admin_minutes or None, "folders": folders_text(row.folders) or None, "homepage": row.homepage,
        "user_agent": row.user_agent, "ignore_validators": row.ignore_validators,
    }  # fmt: skip


def _write_changes(connection: Connection, row: NewFeed, feed_id: int, changes: dict[str, Any], now: datetime) -> None:
    values = dict(changes) | {"modified_at": row.modified_at or now}
    if "url" in changes:
        values |= at_new_address(row.url, now)
    if (source := values.pop("sources_id", None)) is not None:
        domain = publisher_of(row.url)
        ensure_source(connection, source, row.source_name or domain, domain, now)
        move_to_source(connection, [feed_id], source, now)
    if "admin_minutes" in changes:
        values |= {"due_at": now, "next_fetch_attempt": None}
    connection.execute(update(feeds).where(feeds.c.id == feed_id).values(values))


def _source_for(connection: Connection, feed: NewFeed, now: datetime) -> int:
    """The source of the feed's site: found by its homepage where that is known, else by the feed's own address."""
    site = feed.homepage or feed.url
    try:
        domain = publisher_of(site)
    except BadURL:
        domain = publisher_of(feed.url)
    return find_or_add_source(connection, feed.source_name or domain, domain, feed.homepage, now)
