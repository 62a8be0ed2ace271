"""What people change about feeds."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tearsheet.errors import BusyError, NotFoundError, UsageError
from tearsheet.feeds.catalogue import feeds_of_source, read_feed
from tearsheet.feeds.catalogue.changing import change_feed, fetch_soon, fetch_source_soon, poll_now, remove_feed
from tearsheet.feeds.catalogue.directory import access_kinds, find_source
from tearsheet.feeds.catalogue.history import newest_stories
from tearsheet.feeds.catalogue.listing import all_feeds
from tearsheet.feeds.catalogue.model import NewSource
from tearsheet.feeds.catalogue.source_store import add_sources
from tearsheet.feeds.polling import store
from tearsheet.feeds.tables import feeds
from tests.support.feed_fakes import NOW
from tests.support.feed_rows import add_stories, story


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


def test_polling_now_changes_nothing_but_the_time(database) -> None:
    with database.begin() as connection:
        connection.execute(feeds.update().values(due_at=NOW + timedelta(days=1), last_fetch_failures=12.5, gone_seen=2))
    before = read_feed(database, 1)
    assert poll_now(database, 1, NOW) == ""
    assert read_feed(database, 1) == before
    terms = store.LeaseTerms("x", 10, timedelta(0), None, timedelta(minutes=5))
    [leased], _ = store.lease_due(database, terms, NOW, NOW)
    assert leased.id == 1
    assert poll_now(database, 1, NOW) == "it is being fetched just now"
    change_feed(database, 2, NOW, active=False)
    assert "switched off" in poll_now(database, 2, NOW)
    with database.begin() as connection:
        connection.execute(feeds.update().where(feeds.c.id == 3).values(system_enabled=False, next_fetch_reason="gone"))
    assert poll_now(database, 3, NOW).startswith("it is gone")


def test_a_feed_moves_to_another_source_with_its_entries(database) -> None:
    add_sources(database, [NewSource("other.example")], NOW)
    add_stories(database, story(1), story(2, feed_id=2))
    other = find_source(database, "other.example")
    change_feed(database, 1, NOW, source=other)
    assert [feed.sources_id for feed in all_feeds(database)] == [other, 7, 7]
    assert {row["feed_id"]: row["sources_id"] for row in newest_stories(database)} == {1: other, 2: 7}
    with pytest.raises(NotFoundError):
        change_feed(database, 1, NOW, source=99)


def test_a_login_stays_with_its_server_and_goes_with_its_feed(database) -> None:
    change_feed(database, 1, NOW, url="http://me:secret@a.example/rss")
    assert read_feed(database, 1)["url"] == "http://a.example/rss"
    assert access_kinds(database, 1) == ("user", "password")
    change_feed(database, 1, NOW, url="http://a.example/other", access={"username": ""})
    assert access_kinds(database, 1) == ("password",)
    change_feed(database, 1, NOW, url="https://a.example/rss")
    assert access_kinds(database, 1) == ()
    change_feed(database, 1, NOW, access={"token": "secret"})
    remove_feed(database, 1)
    assert access_kinds(database, 1) == ()
