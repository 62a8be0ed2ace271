"""What people change about feeds."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tearsheet.errors import BusyError, NotFoundError, UsageError
from tearsheet.feeds.catalogue import feeds_of_source, read_feed
from tearsheet.feeds.catalogue.changing import change_feed, fetch_soon, fetch_source_soon, remove_feed
from tearsheet.feeds.catalogue.listing import all_feeds
from tearsheet.feeds.polling import store
from tearsheet.feeds.tables import feeds
from tests.support.feed_fakes import NOW


def test_fetch_soon(database) -> None:
    with database.begin() as connection:
        connection.execute(
            feeds.update().values(due_at=NOW + timedelta(days=1), last_fetch_failures=9.0, system_enabled=False)
        )
    fetch_soon(database, 1, NOW)
    row = read_feed(database, 1)
    assert (row["next_fetch_attempt"], row["last_fetch_failures"], row["system_enabled"]) == (None, 0, True)
    terms = store.LeaseTerms("x", 10, timedelta(0), None, timedelta(minutes=5))
    [leased], _ = store.lease_due(database, terms, NOW, NOW)
    assert leased.id == 1
    with pytest.raises(BusyError):
        fetch_soon(database, 1, NOW)
    with pytest.raises(NotFoundError):
        fetch_soon(database, 99, NOW)


def test_fetch_soon_for_a_source_is_spread(database) -> None:
    assert fetch_source_soon(database, 7, NOW, random=lambda: 0.0) == 3
    times = [row["next_fetch_attempt"] for row in feeds_of_source(database, 7)]
    assert times == [NOW, NOW + timedelta(minutes=5), NOW + timedelta(minutes=10)]
    assert fetch_source_soon(database, 8, NOW) == 0


def test_another_address_is_another_feed(database) -> None:
    with database.begin() as connection:
        connection.execute(
            feeds.update().values(
                http_etag="x", last_fetch_hash="y", last_fetch_failures=5.0, poll_minutes=10, lease="z"
            )
        )
    change_feed(database, 1, NOW, url="https://new.example/rss", name="New", admin_minutes=20)
    row = read_feed(database, 1)
    assert (row["url"], row["host"], row["name"], row["admin_minutes"]) == (
        "https://new.example/rss",
        "new.example",
        "New",
        20,
    )
    assert (row["http_etag"], row["last_fetch_hash"], row["last_fetch_failures"], row["poll_minutes"]) == (
        None,
        None,
        0,
        None,
    )
    with pytest.raises(UsageError):
        change_feed(database, 1, NOW, url="ftp://new.example/")
    remove_feed(database, 1)
    with pytest.raises(NotFoundError):
        read_feed(database, 1)
    assert len(all_feeds(database)) == 2
