"""Making our feeds those of a directory: what it has is added or changed, and what it no longer has is removed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, select, update

from tearsheet.counts import how_many
from tearsheet.engines.database import Database
from tearsheet.errors import UsageError
from tearsheet.feeds.access_store import forget_access
from tearsheet.feeds.catalogue.matching import KnownFeed, match_of_directory, missing, too_many_gone
from tearsheet.feeds.catalogue.model import REFUSED, REMOVED, AddReport, NewFeed, RowOutcome, UnreadRow
from tearsheet.feeds.catalogue.store import carry_out, checked_feed, find_known
from tearsheet.feeds.polling import forget_documents
from tearsheet.feeds.tables import feed_directories, feeds, fetch_events
from tearsheet.masking import redacted, shown_url

_CHUNK = 500


class _TakenBack(Exception):
    """Ends a transaction that was only a trial."""


def last_sync(database: Database, directory: str) -> datetime | None:
    """When the feeds of a directory were last taken over; None if never."""
    query = select(feed_directories.c.synced_at).where(feed_directories.c.name == directory)
    with database.read() as connection:
        return connection.execute(query).scalar()


def sync_feeds(
    database: Database,
    directory: str,
    rows: Sequence[NewFeed],
    now: datetime,
    *,
    full: bool,
    dry_run: bool = False,
    many: bool = False,
    unread: Sequence[UnreadRow] = (),
) -> AddReport:
    """Add and change feeds as the rows of a directory say; returns what became of each.

    With `full`, the rows are the whole directory, and its feeds that are not among them are removed; the stories seen in them
    stay, and so do feeds that are not from this directory. Raises UsageError when so many are missing that the directory is
    more likely broken, unless `many` may be. With `dry_run`, all is taken back at the end. `unread` rows are refused; feeds that
    they may be about stay as they are.
    """
    report = AddReport()
    try:
        with database.begin() as connection:
            known = find_known(connection, feeds.c.directory == directory)
            gone = missing(known, rows, unread) if full else []
            if too_many_gone(len(gone), len(known), len(rows)) and not many:
                raise UsageError(
                    f"no longer in {directory}, and to be removed: {len(gone):,} of {how_many(len(known), 'feed')}: "
                    "look whether it is whole, and give --yes if it is"
                )
            report.rows += (_one(connection, directory, row, now) for row in rows)
            report.rows += (RowOutcome(REFUSED, row.id, directory, row.problem) for row in unread)
            report.rows += _remove(connection, gone)
            _remember(connection, directory, now)
            if dry_run:
                raise _TakenBack
    except _TakenBack:
        pass
    return report


def _one(connection: Connection, directory: str, given: NewFeed, now: datetime) -> RowOutcome:
    try:
        row = checked_feed(given)
        same_id = find_known(connection, feeds.c.id == row.id) if row.id is not None else []
        return carry_out(
            connection, row, match_of_directory(row, directory, same_id[0] if same_id else None), now, directory
        )
    except UsageError as error:
        return RowOutcome(REFUSED, given.id, shown_url(given.url), redacted(str(error)))


def _remove(connection: Connection, gone: Sequence[KnownFeed]) -> Iterable[RowOutcome]:
    ids = [feed.id for feed in gone]
    forget_access(connection, ids)
    forget_documents(connection, ids)
    for start in range(0, len(ids), _CHUNK):
        some = ids[start : start + _CHUNK]
        connection.execute(delete(fetch_events).where(fetch_events.c.feed_id.in_(some)))
        connection.execute(delete(feeds).where(feeds.c.id.in_(some)))
    return [RowOutcome(REMOVED, feed.id, shown_url(feed.url), "no longer in the directory") for feed in gone]


def _remember(connection: Connection, directory: str, now: datetime) -> None:
    table: Any = feed_directories
    if not connection.execute(update(table).where(table.c.name == directory).values(synced_at=now)).rowcount:
        connection.execute(table.insert().values(name=directory, synced_at=now))
