"""The SQL of what feeds' servers have to be told. It has a table of its own, so that no list of feeds can hold it by mistake."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlalchemy import Connection, delete, select

from tearsheet.feeds.access import FeedAccess
from tearsheet.feeds.tables import feed_secrets

_CHUNK = 500


def read_access(connection: Connection, ids: Iterable[int]) -> dict[int, FeedAccess]:
    """By feed, what its server has to be told; feeds that need nothing are left out. It is hidden from then on."""
    found = {}
    wanted = sorted(set(ids))
    for start in range(0, len(wanted), _CHUNK):
        query = select(feed_secrets).where(feed_secrets.c.feed_id.in_(wanted[start : start + _CHUNK]))
        for row in connection.execute(query):
            headers = tuple((str(name), str(value)) for name, value in json.loads(row.headers or "[]"))
            access = FeedAccess(row.username, row.password, row.token, row.cookie, headers, row.origin)
            access.hide()
            found[row.feed_id] = access
    return found


def write_access(connection: Connection, feed_id: int, access: FeedAccess) -> None:
    """Keep what a feed's server has to be told, instead of what was kept before."""
    forget_access(connection, [feed_id])
    if access:
        access.hide()
        values = {
            "feed_id": feed_id, "origin": access.origin, "username": access.username, "password": access.password,
            "token": access.token, "cookie": access.cookie,
            "headers": json.dumps(access.headers) if access.headers else None,
        }  # fmt: skip
        connection.execute(feed_secrets.insert().values(values))


def forget_access(connection: Connection, ids: Iterable[int]) -> None:
    """Delete what the servers of these feeds had to be told."""
    wanted = list(ids)
    for start in range(0, len(wanted), _CHUNK):
        connection.execute(delete(feed_secrets).where(feed_secrets.c.feed_id.in_(wanted[start : start + _CHUNK])))
