"""The SQL of subscriptions to hubs."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, or_, select, update

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.feeds.polling.websub import ACTIVE, ASKED, ENDING, REFUSED, WANTED, is_relied_on
from tearsheet.feeds.tables import feed_subscriptions, feeds

PUSHED = "its hub says that there is news"
_AT_ONCE = 50
_s = feed_subscriptions.c


@dataclass(slots=True, frozen=True)
class Subscription:
    """What a feed's hub was asked for, and what it said."""

    feed_id: int
    hub: str
    topic: str
    token: str
    secret: str
    state: str
    ask_at: datetime
    asked: int
    lease_until: datetime | None
    pushed_at: datetime | None
    note: str | None
    """What went wrong the last time that it was asked."""
    active_since: datetime | None
    """Since when it has told of news without a pause."""


def want(connection: Connection, wanted: Iterable[tuple[int, str, str]], now: datetime) -> None:
    """Ask these hubs for the news of these feeds (feed, hub, topic) unless they were asked already."""
    for feed_id, hub, topic in wanted:
        row = connection.execute(select(_s.hub, _s.topic).where(_s.feed_id == feed_id)).first()
        if row is not None and (row.hub, row.topic) == (hub, topic):
            continue
        connection.execute(delete(feed_subscriptions).where(_s.feed_id == feed_id))
        connection.execute(
            feed_subscriptions.insert(),
            {"feed_id": feed_id, "hub": hub, "topic": topic, "token": secrets.token_hex(24), "secret": secrets.token_hex(32),
             "state": WANTED, "ask_at": now, "asked": 0},
        )  # fmt: skip


def due_subscriptions(database: Database, now: datetime, limit: int = _AT_ONCE) -> list[Subscription]:
    """Subscriptions that a hub is to be asked about now, the longest due first."""
    query = select(feed_subscriptions).where(_s.ask_at <= now).order_by(_s.ask_at).limit(limit)
    with database.read() as connection:
        return [Subscription(**row._mapping) for row in connection.execute(query)]


def subscriptions_of(database: Database, feed_ids: Collection[int]) -> dict[int, Subscription]:
    """The subscriptions of those of these feeds that have a hub."""
    found: dict[int, Subscription] = {}
    with database.read() as connection:
        for some in chunks(sorted(feed_ids)):
            query = select(feed_subscriptions).where(_s.feed_id.in_(some))
            found |= {row.feed_id: Subscription(**row._mapping) for row in connection.execute(query)}
    return found


def by_token(database: Database, token: str) -> Subscription | None:
    """The subscription whose hub was told this token."""
    with database.read() as connection:
        row = connection.execute(select(feed_subscriptions).where(_s.token == token)).first()
    return Subscription(**row._mapping) if row else None


def change(database: Database, subscription: Subscription, **values: Any) -> None:
    """Write what became of a subscription, unless it was replaced meanwhile."""
    same = (_s.feed_id == subscription.feed_id) & (_s.token == subscription.token)
    with database.begin() as connection:
        connection.execute(update(feed_subscriptions).where(same).values(**values))


def drop(database: Database, subscription: Subscription) -> None:
    """Forget a subscription."""
    with database.begin() as connection:
        connection.execute(delete(feed_subscriptions).where(_s.token == subscription.token))


def end_unwanted(database: Database, now: datetime, *, all_of_them: bool) -> None:
    """Let the hubs of feeds that are no longer polled, or `all_of_them`, be told so. What none was asked for is forgotten."""
    polled = select(feeds.c.id).where(feeds.c.active, feeds.c.system_enabled)
    unwanted: ColumnElement[bool] = _s.state != ENDING
    if not all_of_them:
        unwanted &= _s.feed_id.not_in(polled)
    with database.begin() as connection:
        connection.execute(delete(feed_subscriptions).where(unwanted, _s.state.in_((WANTED, REFUSED))))
        connection.execute(
            update(feed_subscriptions)
            .where(unwanted, _s.state.in_((ASKED, ACTIVE)))
            .values(state=ENDING, ask_at=now, asked=0)
        )


def poll_soon(database: Database, subscription: Subscription, now: datetime, apart: timedelta) -> bool:
    """A hub has told of news: poll its feed, but not sooner after its last poll than `apart`. False if it is due already."""
    with database.begin() as connection:
        connection.execute(update(feed_subscriptions).where(_s.token == subscription.token).values(pushed_at=now))
        f = feeds.c
        last = connection.execute(select(f.last_fetch_attempt).where(f.id == subscription.feed_id)).scalar()
        when = max(now, last + apart) if last else now
        pollable = (f.id == subscription.feed_id) & f.active & f.system_enabled & ~f.queued & (f.due_at > when)
        soon = update(feeds).where(pollable).values(due_at=when, next_fetch_attempt=when, next_fetch_reason=PUSHED)
        return bool(connection.execute(soon).rowcount)


def relied_on(connection: Connection, feed_ids: Collection[int], now: datetime) -> set[int]:
    """Those of these feeds whose hub tells of news."""
    found: set[int] = set()
    for some in chunks(sorted(feed_ids)):
        query = select(_s.feed_id, _s.state, _s.lease_until, _s.pushed_at).where(
            _s.feed_id.in_(some), or_(_s.state == ACTIVE, _s.state == ASKED)
        )
        rows = connection.execute(query)
        found |= {row.feed_id for row in rows if is_relied_on(row.state, row.lease_until, row.pushed_at, now)}
    return found
