"""What people change about feeds: poll soon, switch on and off, an interval of one's own, another address."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from random import random as roll
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from tearsheet.engines.database import Database
from tearsheet.errors import BusyError, NotFoundError, UsageError
from tearsheet.feeds.polling import spread_over_source
from tearsheet.feeds.tables import feeds, fetch_events
from tearsheet.urls import BadURL, host_of

ASKED = "somebody asked for it"
_FORGOTTEN: dict[str, Any] = {
    "http_etag": None, "http_last_modified": None, "http_304": None, "http_lies": False, "last_fetch_hash": None,
    "entries_hash": None, "last_full_fetch": None, "last_fetch_failures": 0.0, "gone_seen": 0, "redirect_url": None,
    "redirect_seen": 0, "poll_minutes": None, "update_minutes": None, "skip_times": None, "system_enabled": True,
    "queued": False, "lease": None, "next_fetch_attempt": None,
}  # fmt: skip
"""What is no longer true of a feed at another address."""


def fetch_soon(database: Database, feed_id: int, now: datetime) -> None:
    """Poll a feed as soon as its host allows; its failures are forgotten, and a disabled feed is enabled again.

    Raises NotFoundError, and BusyError when it is being fetched just now.
    """
    with database.begin() as connection:
        row = connection.execute(select(feeds.c.queued, feeds.c.due_at).where(feeds.c.id == feed_id)).first()
        if row is None:
            raise NotFoundError(f"there is no feed {feed_id}; `tearsheet feeds list` shows them")
        if row.queued and row.due_at > now:
            raise BusyError(f"feed {feed_id} is being fetched just now")
        _update(
            connection, feed_id,
            next_fetch_attempt=None, due_at=now, last_fetch_failures=0.0, gone_seen=0, system_enabled=True,
            next_fetch_reason=ASKED,
        )  # fmt: skip


def fetch_source_soon(database: Database, source_id: int, now: datetime, random: Callable[[], float] = roll) -> int:
    """Poll the active feeds of a source soon, one after the other; returns how many. A lease that is held stays as it is."""
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


def change_feed(
    database: Database,
    feed_id: int,
    now: datetime,
    *,
    url: str | None = None,
    name: str | None = None,
    active: bool | None = None,
    admin_minutes: int | None = None,
) -> None:
    """Change what is given; `admin_minutes=0` gives the interval back to the schedule. Raises NotFoundError and UsageError.

    With a new address all that was learned from the old one is forgotten, and a poll that is under way does not count.
    """
    values: dict[str, Any] = {}
    if name is not None:
        values["name"] = name
    if active is not None:
        values["active"] = active
    if admin_minutes is not None:
        values |= {"admin_minutes": admin_minutes or None, "due_at": now, "next_fetch_attempt": None}
    if url is not None:
        values |= _at_new_address(url, now)
    with database.begin() as connection:
        if connection.execute(select(feeds.c.id).where(feeds.c.id == feed_id)).first() is None:
            raise NotFoundError(f"there is no feed {feed_id}; `tearsheet feeds list` shows them")
        if values:
            _update(connection, feed_id, **values)


def _at_new_address(url: str, now: datetime) -> dict[str, Any]:
    try:
        host = host_of(url)
    except BadURL as error:
        raise UsageError(f"{url}: {error}") from error
    return _FORGOTTEN | {"url": url, "host": host, "due_at": now, "next_fetch_reason": "new address"}


def remove_feed(database: Database, feed_id: int) -> None:
    """Forget a feed and its events; the stories seen in it stay. Raises NotFoundError."""
    with database.begin() as connection:
        if not connection.execute(feeds.delete().where(feeds.c.id == feed_id)).rowcount:
            raise NotFoundError(f"there is no feed {feed_id}; `tearsheet feeds list` shows them")
        connection.execute(fetch_events.delete().where(fetch_events.c.feed_id == feed_id))


def _update(connection: Connection, feed_id: int, **values: Any) -> None:
    connection.execute(update(feeds).where(feeds.c.id == feed_id).values(**values))
