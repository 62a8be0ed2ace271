"""Feeds that were switched off because they had moved to the address of another: they are tried again, lest one is lost."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.feeds.polling.moves import try_joined
from tearsheet.feeds.polling.result_store import polled_at
from tearsheet.feeds.tables import feeds

_REASON = "to see whether it still leads to another feed"


def wake_joined(database: Database, now: datetime) -> int:
    """Let joined feeds be polled once more when it is time to; one that still leads there is joined again by that poll. How many.

    They are told from feeds that were switched off for failing by having no failures.
    """
    f = feeds.c
    joined = f.active & ~f.system_enabled & f.redirect_url.is_not(None) & (f.last_fetch_failures == 0)
    query = select(f.id, f.redirect_url, f.redirect_since, f.last_fetch_attempt).where(joined)
    with database.begin() as connection:
        rows = connection.execute(query).mappings().all()
        polled = polled_at(connection, {row["redirect_url"] for row in rows})
        ids = [row["id"] for row in rows if try_joined(dict(row), now, row["redirect_url"] in polled)]
        for some in chunks(ids):
            values = {"system_enabled": True, "due_at": now, "next_fetch_attempt": None, "next_fetch_reason": _REASON}
            connection.execute(update(feeds).where(f.id.in_(some), joined).values(values))
    return len(ids)
