"""Retention, the daily RSS file, what people change, and the sentence that says why."""

from __future__ import annotations

import gzip
from datetime import date, timedelta
from pathlib import Path

import pytest
from lxml import etree
from sqlalchemy import func, select

from tearsheet.errors import BusyError, NotFoundError, UsageError
from tearsheet.feeds import NewFeed, add_feeds, parse_feed
from tearsheet.feeds.catalogue import (
    feeds_of_source,
    fetch_history,
    read_feed,
    stories_by_day,
    stories_from,
    top_counts,
)
from tearsheet.feeds.catalogue.directory import all_feeds
from tearsheet.feeds.catalogue.store import change_feed, fetch_soon, fetch_source_soon, remove_feed
from tearsheet.feeds.polling import store
from tearsheet.feeds.polling.daily_rss import write_daily_rss
from tearsheet.feeds.polling.housekeeping import Housekeeper
from tearsheet.feeds.polling.next_poll_text import next_poll
from tearsheet.feeds.polling.retention import prune
from tearsheet.feeds.tables import feeds, fetch_events, stories
from tearsheet.settings import FeedSettings
from tests.support.feed_fakes import NOW, new_database

DAY = date(2026, 11, 14)
LATER = NOW + timedelta(hours=5)


@pytest.fixture
def database(tmp_path: Path):
    database = new_database(tmp_path)
    add_feeds(database, [NewFeed(f"http://{n}.example/rss?a=1&b='\"", sources_id=7) for n in "abc"], NOW)
    yield database
    database.close()


def story(number: int, **more):
    return {
        "feed_id": 1, "sources_id": 7, "url": f"http://a.example/{number}?x=1&y=2", "normalized_url": f"http://a.example/{number}",
        "fetched_at": NOW - timedelta(days=1), "seen_at": NOW, "queued_at": NOW, "domain": "a.example", "published_at": None,
        "title": f"Tom &amp; <Jerry> \x01 {number}", "normalized_title_hash": None,
    } | more  # fmt: skip


def add_stories(database, *rows) -> None:
    with database.begin() as connection:
        connection.execute(stories.insert(), list(rows))


def count(database, table) -> int:
    with database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def test_old_rows_go_and_those_that_matter_stay(database) -> None:
    old = NOW - timedelta(days=15)
    add_stories(
        database,
        story(1, seen_at=old, fetched_at=old),
        story(2, fetched_at=old),  # still in its feed
        story(3, seen_at=old, fetched_at=old, queued_at=None),  # still waits for the fetch queue
    )
    with database.begin() as connection:
        rows = [
            {"feed_id": 1 + n % 2, "event": "fetch_succeeded", "note": str(n), "created_at": NOW, "counts": None}
            for n in range(100)
        ]
        store.add_events(connection, rows)
    settings = FeedSettings(events_kept=30, story_days=14)
    counted = prune(database, settings, NOW, dry_run=True)
    assert (counted.fetch_events, counted.stories) == (40, 1)
    assert count(database, stories) == 3
    assert prune(database, settings, NOW) == counted
    assert (count(database, stories), count(database, fetch_events)) == (2, 60)
    assert fetch_history(database, 1)[0]["note"] == "98"


def test_the_daily_file_is_whole_and_readable(database, tmp_path: Path) -> None:
    add_stories(database, story(1, published_at=NOW), story(2), story(3, fetched_at=NOW))
    assert write_daily_rss(database, tmp_path / "rss", DAY, NOW) == 2
    [path] = (tmp_path / "rss").iterdir()
    assert path.name == "mc-2026-11-14.rss.gz"
    body = gzip.decompress(path.read_bytes())
    items = etree.fromstring(body).findall(".//item")
    assert [item.findtext("link") for item in items] == ["http://a.example/1?x=1&y=2", "http://a.example/2?x=1&y=2"]
    assert items[0].findtext("title") == "Tom & <Jerry> 1"
    assert (items[0].findtext("pubDate"), items[1].findtext("pubDate")) == ("Sun, 15 Nov 2026 12:00:00 GMT", "")
    source = items[0].find("source")
    assert source is not None
    assert {str(name): value for name, value in source.attrib.items()} == {
        "url": "http://a.example/rss?a=1&b='\"",
        "mcFeedId": "1",
        "mcSourceId": "7",
    }
    assert all(line.count(b"<item>") <= 1 for line in body.splitlines())
    assert len(parse_feed(body, "http://x.example/").entries) == 2


def test_housekeeping_writes_the_files_before_it_drops_the_rows(database, tmp_path: Path) -> None:
    old = NOW - timedelta(days=10)
    add_stories(database, story(1, fetched_at=old, seen_at=old))
    Housekeeper(database, FeedSettings(story_days=9), tmp_path / "rss", clock=lambda: NOW.timestamp()).once()
    assert len(list((tmp_path / "rss").iterdir())) == 8
    assert count(database, stories) == 0


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


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"active": False}, "switched it off"),
        ({"system_enabled": False, "next_fetch_reason": "disabled after 30 failures"}, "disabled after 30"),
        ({"queued": True}, "Being fetched"), ({}, "at the next occasion (new)"),
        ({"next_fetch_attempt": LATER, "next_fetch_reason": "back-off"}, "2026-11-15 17:00 UTC, in 5 hours (back-off)"),
        ({"next_fetch_attempt": NOW + timedelta(minutes=50)}, "in 50 minutes"),
        ({"next_fetch_attempt": NOW + timedelta(days=3)}, "in 3 days"),
    ],
)  # fmt: skip
def test_why_a_feed_is_where_it_is(database, columns, words) -> None:
    assert words in next_poll(read_feed(database, 1) | columns, NOW)


def test_counts_by_day_and_by_value(database) -> None:
    add_stories(database, story(1, published_at=NOW), story(2), story(3, fetched_at=NOW, domain="b.example"))
    assert stories_by_day(database, "fetched_at") == [("2026-11-15", 1), ("2026-11-14", 2)]
    assert stories_by_day(database, "published_at", source_id=7) == [("2026-11-15", 1)]
    assert top_counts(database, "domain", NOW - timedelta(days=3), 1) == [("a.example", 2)]
    assert [row["id"] for row in stories_from(database, 2, 10)] == [2, 3]
