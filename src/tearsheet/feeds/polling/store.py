"""The SQL of leases and paces: who may fetch which feed, and when. What polls find is in `result_store` and `story_store`."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    String,
    bindparam,
    case,
    cast,
    delete,
    literal,
    select,
    text,
    update,
)

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.feeds.access import FeedAccess
from tearsheet.feeds.access_store import read_access
from tearsheet.feeds.intervals import usable_minutes
from tearsheet.feeds.polling.pace import Booking, Freed, assign_starts
from tearsheet.feeds.polling.result_store import RESULT_COLUMNS, add_events
from tearsheet.feeds.polling.rhythm import read_rhythm
from tearsheet.feeds.polling.schedule import FeedState
from tearsheet.feeds.tables import QUEUED, feed_paces, feeds

_SOURCE = "source:"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_POLLABLE = text("active AND system_enabled")
"""Written exactly so, because this is the condition of the index `feeds_due`."""

PAUSED = "its host asked us to wait (Retry-After)"
FAILING = "its host could not be reached lately"
PUT_OFF = "its turn, after other feeds of the same host or source"


@dataclass(slots=True)
class LeasedFeed:
    """A feed that one poller may fetch at `start_at`; the lease expires at `lease_until`."""

    id: int
    sources_id: int | None
    url: str
    host: str
    state: FeedState
    http_etag: str | None
    http_last_modified: str | None
    http_304: bool
    http_lies: bool
    last_fetch_hash: str | None
    entries_hash: str | None
    last_full_fetch: datetime | None
    redirect_url: str | None
    redirect_seen: int
    skip_times: str | None
    user_agent: str | None
    ignore_validators: bool
    access: FeedAccess
    columns: dict[str, Any]
    """Every column that a poll may change, as it was before."""
    lease: str
    start_at: datetime
    lease_until: datetime

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its pace: the host, and the source if it has one."""
        return pace_keys(self.host, self.sources_id)

    @property
    def source_keys(self) -> tuple[str, ...]:
        """The keys that are shared with other pollers: the source, if it has one."""
        return self.keys[1:]


def pace_keys(host: str, sources_id: int | None) -> tuple[str, ...]:
    """The keys under which a feed's turn is planned; the host comes first."""
    return (host,) if sources_id is None else (host, f"{_SOURCE}{sources_id}")


# ---------------------------------------------------------------------------------------------------------- leases


def due_feeds(now: datetime, due: datetime, limit: int, owner: str, only: Sequence[int] = ()) -> Select[Any]:
    """The feeds that have been due the longest, except those of sources that another poller holds."""

    def held_by_another(key: ColumnElement[str]) -> ColumnElement[bool]:
        p = feed_paces.c
        return select(p.key).where(p.key == key, p.owner != owner, p.owner_until > now).exists()

    source = literal(_SOURCE) + cast(feeds.c.sources_id, String)
    named = [feeds.c.id.in_(only)] if only else []
    return (
        select(feeds)
        .where(_POLLABLE, feeds.c.due_at <= due, ~held_by_another(source), *named)
        .order_by(feeds.c.due_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )


@dataclass(slots=True, frozen=True)
class LeaseTerms:
    """How a poller leases feeds: its name, how many at once, at what pace, how far ahead, and for how long."""

    owner: str
    limit: int
    gap: timedelta
    horizon: timedelta | None
    lease: timedelta
    only: Sequence[int] = ()
    """If not empty, lease only these feeds."""
    hosts: Booking = field(default_factory=lambda: Booking({}, {}))
    """The poller's own plan: when it will fetch the next feed from each host. Changed by each lease."""


def lease_due(database: Database, terms: LeaseTerms, now: datetime, due: datetime) -> tuple[list[LeasedFeed], int]:
    """Lease feeds that were due at `due`, each with the moment at which it may be fetched.

    A feed whose turn lies beyond the horizon is postponed to that turn and not leased. A lease is a due time in the future:
    when its poller dies, the feed is simply due again. With its first feed a poller holds the source, so that its own count of
    running requests and its own clock are the only ones. Returns the leased feeds, and how many were due.
    """
    token = uuid.uuid4().hex
    with database.begin() as connection:
        rows = connection.execute(due_feeds(now, due, terms.limit, terms.owner, terms.only)).all()
        if not rows:
            return [], 0
        sources = {key for row in rows for key in pace_keys(row.host, row.sources_id)[1:]}
        shared, foreign = _read_booking(database, connection, sources, terms.owner, now)
        mine = [row for row in rows if foreign.isdisjoint(pace_keys(row.host, row.sources_id))]
        keys = [pace_keys(row.host, row.sources_id) for row in mine]
        turns = assign_starts(keys, (booking := shared.with_plan(terms.hosts)), now, terms.gap, terms.horizon)
        pairs = list(zip(mine, turns, strict=True))
        access = read_access(connection, [row.id for row, turn in pairs if turn.taken])
        taken = [
            _leased(row, access.get(row.id, FeedAccess()), token, turn.at, turn.at + terms.lease)
            for row, turn in pairs
            if turn.taken
        ]
        _write_leases(
            connection, taken, [{"b_id": row.id, "b_due": turn.at} for row, turn in pairs if not turn.taken], now
        )
        _write_booking(connection, booking, sources)
        _hold(connection, taken, terms.owner)
    terms.hosts.take_over(booking, {own[0] for own in keys}, now)
    return taken, len(rows)


def _leased(row: Any, access: FeedAccess, token: str, start_at: datetime, lease_until: datetime) -> LeasedFeed:
    state = FeedState(
        created_at=row.created_at,
        failures=row.last_fetch_failures,
        poll_minutes=row.poll_minutes,
        update_minutes=row.update_minutes,
        admin_minutes=usable_minutes(row.admin_minutes),
        last_fetch_success=row.last_fetch_success,
        last_new_stories=row.last_new_stories,
        gone_seen=row.gone_seen,
        last_fetch_attempt=row.last_fetch_attempt,
        planned_at=row.next_fetch_attempt,
        rhythm=read_rhythm(row.rhythm),
    )
    return LeasedFeed(
        id=row.id, sources_id=row.sources_id, url=row.url, host=row.host, state=state,
        http_etag=row.http_etag, http_last_modified=row.http_last_modified, http_304=bool(row.http_304),
        http_lies=row.http_lies, last_fetch_hash=row.last_fetch_hash, entries_hash=row.entries_hash,
        last_full_fetch=row.last_full_fetch, redirect_url=row.redirect_url, redirect_seen=row.redirect_seen,
        skip_times=row.skip_times, user_agent=row.user_agent, ignore_validators=row.ignore_validators, access=access,
        columns={name: getattr(row, name) for name in RESULT_COLUMNS},
        lease=token, start_at=start_at, lease_until=lease_until,
    )  # fmt: skip


def _read_booking(
    database: Database, connection: Connection, keys: set[str], owner: str, now: datetime
) -> tuple[Booking, set[str]]:
    """When each key is free, and which are held by others. Locks the rows, so that two pollers book one after the other."""
    ordered = sorted(keys)
    blank = [{"key": key, "next_start": _EPOCH, "tail": _EPOCH} for key in ordered]
    if blank:
        connection.execute(database.insert(feed_paces).on_conflict_do_nothing(), blank)
    booking, foreign = Booking({}, {}), set()
    for some in chunks(ordered):
        query = select(feed_paces).where(feed_paces.c.key.in_(some)).order_by(feed_paces.c.key).with_for_update()
        for row in connection.execute(query):
            booking.free[row.key] = row.next_start
            booking.tail[row.key] = row.tail
            if row.owner not in (None, owner) and row.owner_until > now:
                foreign.add(row.key)
    return booking, foreign


def _hold(connection: Connection, taken: Sequence[LeasedFeed], owner: str) -> None:
    until: dict[str, datetime] = {}
    for feed in taken:
        for key in feed.source_keys:
            until[key] = max(feed.lease_until, until.get(key, feed.lease_until))
    statement = (
        update(feed_paces)
        .where(feed_paces.c.key == bindparam("b_key"))
        .values(owner=owner, owner_until=bindparam("b_until"))
    )
    if until:
        connection.execute(statement, [{"b_key": key, "b_until": when} for key, when in sorted(until.items())])


def let_sources_go(database: Database, owner: str, now: datetime, gap: timedelta) -> None:
    """End a poller's hold of its sources, as at a clean stop; the next poller keeps the distance from its last request."""
    mine = feed_paces.c.owner == owner
    with database.begin() as connection:
        soon = now + gap
        connection.execute(update(feed_paces).where(mine, feed_paces.c.next_start < soon).values(next_start=soon))
        connection.execute(update(feed_paces).where(mine).values(owner=None, owner_until=None))


def _write_booking(connection: Connection, booking: Booking, keys: Iterable[str]) -> None:
    statement = (
        update(feed_paces)
        .where(feed_paces.c.key == bindparam("b_key"))
        .values(next_start=bindparam("b_next"), tail=bindparam("b_tail"))
    )
    rows = [{"b_key": key, "b_next": booking.free[key], "b_tail": booking.tail[key]} for key in sorted(keys)]
    if rows:
        connection.execute(statement, rows)


def _write_leases(
    connection: Connection, taken: Sequence[LeasedFeed], put_off: list[dict[str, Any]], now: datetime
) -> None:
    by_id = feeds.c.id == bindparam("b_id")
    if put_off:
        later: dict[str, Any] = {"due_at": bindparam("b_due"), "next_fetch_attempt": bindparam("b_due")}
        # Any lease that it still has was a dead poller's.
        later |= {"next_fetch_reason": PUT_OFF, "queued": False, "lease": None}
        connection.execute(update(feeds).where(by_id).values(**later), put_off)
    if not taken:
        return
    connection.execute(
        update(feeds).where(by_id).values(due_at=bindparam("b_due"), lease=bindparam("b_lease"), queued=True),
        [{"b_id": feed.id, "b_due": feed.lease_until, "b_lease": feed.lease} for feed in taken],
    )
    add_events(
        connection,
        [{"feed_id": feed.id, "event": QUEUED, "note": None, "created_at": now, "counts": None} for feed in taken],
    )


def free_all_leases(database: Database, now: datetime) -> int:
    """End every lease: for a poller that knows it is the only one, to clear what a dead one left behind. Returns how many."""
    freed = update(feeds).where(feeds.c.queued).values(due_at=now, queued=False, lease=None)
    with database.begin() as connection:
        connection.execute(update(feed_paces).values(owner=None, owner_until=None))
        return connection.execute(freed).rowcount


def give_back(database: Database, leased: Sequence[LeasedFeed], now: datetime) -> None:
    """End leases without a poll, as at a clean stop: the feeds are due again at once."""
    if not leased:
        return
    statement = (
        update(feeds)
        .where(feeds.c.id == bindparam("b_id"), feeds.c.lease == bindparam("b_lease"))
        .values(due_at=now, lease=None, queued=False)
    )
    with database.begin() as connection:
        connection.execute(statement, [{"b_id": feed.id, "b_lease": feed.lease} for feed in leased])


@dataclass(slots=True, frozen=True)
class PutOff:
    """A leased feed that is not fetched now, because its host must be left alone: until when, and why."""

    feed: LeasedFeed
    until: datetime
    reason: str


def put_off(database: Database, feeds_put_off: Sequence[PutOff], owner: str, freed: Sequence[Freed]) -> None:
    """End leases without a poll: each feed is due when its host may be contacted again."""
    statement = (
        update(feeds)
        .where(feeds.c.id == bindparam("b_id"), feeds.c.lease == bindparam("b_lease"))
        .values(
            due_at=bindparam("b_due"), next_fetch_attempt=bindparam("b_due"), next_fetch_reason=bindparam("b_reason"),
            lease=None, queued=False,
        )
    )  # fmt: skip
    rows = [
        {"b_id": one.feed.id, "b_lease": one.feed.lease, "b_due": one.until, "b_reason": one.reason}
        for one in feeds_put_off
    ]
    with database.begin() as connection:
        connection.execute(statement, rows)
        free_sources(connection, owner, freed)


def still_leased(connection: Connection, leased: Sequence[LeasedFeed]) -> set[int]:
    """Which of these leases are still valid. One that expired and was taken by another poller is not."""
    held: set[int] = set()
    tokens = {feed.id: feed.lease for feed in leased}
    for some in chunks(sorted(tokens)):
        query = select(feeds.c.id, feeds.c.lease).where(feeds.c.id.in_(some)).order_by(feeds.c.id).with_for_update()
        held |= {row.id for row in connection.execute(query) if row.lease == tokens[row.id]}
    return held


def free_sources(connection: Connection, owner: str, freed: Sequence[Freed]) -> None:
    """End the owner's hold of sources that it has finished with."""
    if freed:
        connection.execute(
            _FREE, [{"b_key": f.key, "b_next": f.next_start, "b_until": f.held_until, "b_owner": owner} for f in freed]
        )


_FREE = (
    update(feed_paces)
    .where(
        feed_paces.c.key == bindparam("b_key"),
        feed_paces.c.owner == bindparam("b_owner"),
        feed_paces.c.owner_until <= bindparam("b_until"),
    )
    .values(
        owner=None,
        owner_until=None,
        next_start=case(
            (feed_paces.c.next_start < bindparam("b_next"), bindparam("b_next")), else_=feed_paces.c.next_start
        ),
    )
)
"""The end of a hold, unless it was extended meanwhile; the next poller keeps the distance from the last request."""


def forget_idle_paces(database: Database, since: datetime) -> None:
    """Delete the paces of hosts and sources for which there was no request or turn since then."""
    with database.begin() as connection:
        connection.execute(delete(feed_paces).where(feed_paces.c.next_start < since, feed_paces.c.tail < since))
