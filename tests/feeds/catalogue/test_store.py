"""Lists of feeds, added and updated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tearsheet.feeds.access import FeedAccess
from tearsheet.feeds.access_store import read_access
from tearsheet.feeds.catalogue.directory import read_feed
from tearsheet.feeds.catalogue.listing import all_feeds
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds, web_address
from tearsheet.feeds.tables import feeds
from tests.support.feed_fakes import NOW, new_database

ROWS = [
    NewFeed("http://a.example/rss", id=101, sources_id=7, name="A"),
    NewFeed("http://b.example/rss", id=102, sources_id=8, name="B"),
    NewFeed("http://a.example/rss", id=103, sources_id=9, name="A again"),
]


@pytest.fixture
def database(tmp_path: Path):
    database = new_database(tmp_path)
    yield database
    database.close()


def test_one_address_may_be_that_of_several_feeds_in_different_sources(database) -> None:
    assert add_feeds(database, ROWS, NOW).added == [101, 102, 103]
    assert add_feeds(database, ROWS, NOW).known == [101, 102, 103]
    assert add_feeds(database, [NewFeed("http://a.example/rss")], NOW).known == [101]


def test_a_list_with_other_ids_changes_nothing_unless_it_may(database) -> None:
    add_feeds(database, ROWS, NOW)
    changed = [
        NewFeed("http://new.example/rss", id=101, sources_id=7, name="A"),
        NewFeed("http://b.example/rss", id=102, sources_id=7, name="B2", active=False, folders=(("X", "Y"),)),
    ]
    report = add_feeds(database, changed, NOW)
    assert [row.what for row in report.rows] == ["refused", "known"]
    assert (read_feed(database, 101)["url"], read_feed(database, 102)["name"]) == ("http://a.example/rss", "B")
    report = add_feeds(database, changed, NOW, update=True)
    assert [(row.what, row.id) for row in report.rows] == [("changed", 101), ("changed", 102)]
    assert report.rows[0].detail == "address: http://a.example/rss → http://new.example/rss"
    assert report.rows[1].detail == "source: 8 → 7; name: B → B2; active: yes → no; folders: none → X/Y"
    assert [row.id for row in all_feeds(database)] == [101, 102, 103]
    row = read_feed(database, 102)
    assert (row["sources_id"], row["name"], row["active"], row["folders"]) == (7, "B2", False, "X/Y")
    assert add_feeds(database, changed, NOW, update=True).known == [101, 102]


def test_what_a_list_says_nothing_about_stays(database) -> None:
    add_feeds(database, [NewFeed("http://a.example/rss", name="A", active=False, admin_minutes=30)], NOW)
    silent = NewFeed("http://a.example/rss", active=None, ignore_validators=None)
    assert add_feeds(database, [silent], NOW, update=True).known == [1]
    assert not read_feed(database, 1)["active"]
    assert add_feeds(
        database, [NewFeed("http://a.example/rss", active=None, admin_minutes=0)], NOW, update=True
    ).changed
    assert read_feed(database, 1)["admin_minutes"] is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("feed://a.example/rss", "http://a.example/rss"),
        ("feed:https://a.example/rss", "https://a.example/rss"),
        ("FEED://a.example/rss", "http://a.example/rss"),
        (" http://a.example/rss ", "http://a.example/rss"),
    ],
)
def test_addresses_as_browsers_hand_them_to_readers(written: str, meant: str, database) -> None:
    assert web_address(written) == meant
    add_feeds(database, [NewFeed(written)], NOW)
    assert [feed.url for feed in all_feeds(database)] == [meant]


def test_a_login_leaves_the_address_and_every_list(database) -> None:
    report = add_feeds(database, [NewFeed("http://me:hidden@a.example/rss"), NewFeed("http://me:hidden@/")], NOW)
    assert [row.what for row in report.rows] == ["added", "refused"]
    assert not any("hidden" in row.url + row.detail for row in report.rows)
    [feed] = all_feeds(database)
    assert (feed.url, feed.access) == ("http://a.example/rss", FeedAccess())
    with database.read() as connection:
        assert read_access(connection, [1])[1].headers_for(feed.url)
        assert not connection.execute(feeds.select().where(feeds.c.url.contains("hidden"))).first()
    again = [NewFeed("http://me:other@a.example/rss")]
    assert [(row.what, row.detail) for row in add_feeds(database, again, NOW, update=True).rows] == [
        ("changed", "login")
    ]


@pytest.mark.parametrize("minutes", [-5, 9_999_999_999])
def test_a_number_that_is_no_interval_is_refused(minutes: int, database) -> None:
    assert add_feeds(database, [NewFeed("http://a.example/rss", admin_minutes=minutes)], NOW).refused
    assert all_feeds(database) == []


def test_a_row_without_an_address_is_told_by_its_name(database) -> None:
    report = add_feeds(database, [NewFeed(" ", name="Evening Post")], NOW)
    assert report.refused == [("'Evening Post'", "it has no address")]
