"""The SQL that changes and removes feeds, and has them polled soon. They are added in `store`, and read in `directory`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from random import random as roll
from typing import Any, Unpack

from sqlalchemy import Connection, bindparam, select, update

from tearsheet.engines.database import Database
from tearsheet.errors import BusyError
from tearsheet.feeds.access import FeedAccess, checked_access, merged_access, origin_of, without_access
from tearsheet.feeds.access_store import forget_access, read_access, write_access
from tearsheet.feeds.catalogue.directory import no_feed
from tearsheet.feeds.catalogue.feed_changes import ASKED, FeedChanges, changed_columns
from tearsheet.feeds.catalogue.source_store import move_to_source
from tearsheet.feeds.catalogue.store import web_address
from tearsheet.feeds.polling import forget_documents, spread_over_source
from tearsheet.feeds.tables import feeds, fetch_events


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


def poll_now(database: Database, feed_id: int, now: datetime) -> str:
    """Make a feed due now and change nothing else about it; returns why it cannot be polled, or nothing. Raises NotFoundError."""
    with database.begin() as connection:
        columns = (feeds.c.queued, feeds.c.due_at, feeds.c.active, feeds.c.system_enabled, feeds.c.next_fetch_reason)
        row = connection.execute(select(*columns).where(feeds.c.id == feed_id)).first()
        if row is None:
            raise no_feed(feed_id)
        if not row.active:
            return f"it is switched off: `tearsheet feeds set {feed_id} --on` switches it on"
        if not row.system_enabled:
            return f"it is {row.next_fetch_reason}: `tearsheet feeds fetch-soon {feed_id}` gives it another chance"
        if row.queued and row.due_at > now:
            return "it is being fetched just now"
        _update(connection, feed_id, due_at=now)
    return ""


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
    """Change what is given, by the rules of `changed_columns`. Raises NotFoundError or UsageError.

    Logins are those of the address that the feed has then; of another origin than before, they have to be given again.
    """
    changes, login = _login_apart(changes)
    values = changed_columns(changes, now)
    with database.begin() as connection:
        row = connection.execute(select(feeds.c.url).where(feeds.c.id == feed_id)).first()
        if row is None:
            raise no_feed(feed_id)
        if values:
            _update(connection, feed_id, **values, modified_at=now)
        if (source := changes.get("source")) is not None:
            move_to_source(connection, [feed_id], source, now)
        if login or changes.get("url") is not None:
            _change_access(connection, feed_id, changes.get("url") or row.url, login)


def _login_apart(changes: FeedChanges) -> tuple[FeedChanges, dict[str, Any]]:
    """The changes with a login of the new address taken out of it, and all changes of what the server is told."""
    login: dict[str, Any] = dict(changes.get("access") or {})
    if (url := changes.get("url")) is None:
        return changes, login
    bare, inside = without_access(web_address(url))
    told = {"username": inside.username, "password": inside.password} if inside else {}
    return {**changes, "url": bare}, {**told, **login}


def _change_access(connection: Connection, feed_id: int, url: str, login: dict[str, Any]) -> None:
    old = read_access(connection, [feed_id]).get(feed_id, FeedAccess())
    origin = origin_of(url)
    kept = old if old.origin == origin else FeedAccess()  # what was for another server is not for this one
    write_access(connection, feed_id, replace(checked_access(merged_access(kept, login)), origin=origin))


def remove_feed(database: Database, feed_id: int) -> None:
    """Remove a feed and its events; the stories seen in it stay. Raises NotFoundError."""
    with database.begin() as connection:
        if not connection.execute(feeds.delete().where(feeds.c.id == feed_id)).rowcount:
            raise no_feed(feed_id)
        connection.execute(fetch_events.delete().where(fetch_events.c.feed_id == feed_id))
        forget_access(connection, [feed_id])
        forget_documents(connection, [feed_id])


def _update(connection: Connection, feed_id: int, **values: Any) -> None:
    connection.execute(update(feeds).where(feeds.c.id == feed_id).values(**values))
