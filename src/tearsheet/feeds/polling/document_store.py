"""The last document of each feed that could not be read, kept for a look."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, delete, select

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.feeds.formats import document_text
from tearsheet.feeds.tables import feed_documents

MAX_DOCUMENT = 200_000
"""How many bytes of a document are kept."""


class FailedDocument(NamedTuple):
    """A document that could not be read."""

    received_at: datetime
    note: str
    """Why."""
    size: int
    """How long it was, of which the beginning is kept."""
    text: str


class Failure(NamedTuple):
    """A document that has just failed."""

    feed_id: int
    received_at: datetime
    note: str
    body: bytes


def keep_documents(connection: Connection, failures: Iterable[Failure]) -> None:
    """Keep documents in the place of earlier ones of their feeds."""
    last = {failure.feed_id: failure for failure in failures}
    if not last:
        return
    connection.execute(delete(feed_documents).where(feed_documents.c.feed_id.in_(last)))
    rows = [
        {
            "feed_id": one.feed_id, "received_at": one.received_at, "note": one.note, "size": len(one.body),
            "body": zlib.compress(one.body[:MAX_DOCUMENT], 6),
        }
        for one in last.values()
    ]  # fmt: skip
    connection.execute(feed_documents.insert(), rows)


def forget_documents(connection: Connection, feed_ids: Iterable[int]) -> None:
    """Forget what was kept of feeds that are removed."""
    for some in chunks(feed_ids):
        connection.execute(delete(feed_documents).where(feed_documents.c.feed_id.in_(some)))


def failed_document(database: Database, feed_id: int) -> FailedDocument | None:
    """The last document of a feed that could not be read; None if there was none."""
    with database.read() as connection:
        row = connection.execute(select(feed_documents).where(feed_documents.c.feed_id == feed_id)).first()
    if row is None:
        return None
    return FailedDocument(row.received_at, row.note, row.size, document_text(zlib.decompress(row.body), MAX_DOCUMENT))
