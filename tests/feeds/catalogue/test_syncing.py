"""Feeds that come from a directory."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.changing import change_feed, remove_feed
from tearsheet.feeds.catalogue.directory import read_feed
from tearsheet.feeds.catalogue.listing import all_feeds
from tearsheet.feeds.catalogue.model import AddReport, NewFeed, UnreadRow
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.feeds.catalogue.syncing import last_sync, sync_feeds
from tearsheet.feeds.tables import feeds
from tests.support.feed_fakes import NOW, new_database

ROWS = [
    NewFeed("http://a.example/rss", id=101, sources_id=7, name="A", ignore_validators=None),
    NewFeed("http://b.example/rss", id=102, sources_id=8, name="B"),
    NewFeed("http://a.example/rss", id=103, sources_id=9, name="A again"),
]
LATER = NOW + timedelta(days=1)


@pytest.fixture
def database(tmp_path: Path):
    database = new_database(tmp_path)
    yield database
    database.close()


def said(report: AddReport) -> dict[int | None, str]:
    return {row.id: row.what for row in report.rows}


def test_ids_moves_and_renames_are_kept(database) -> None:
    assert said(sync_feeds(database, "there", ROWS, NOW, full=False)) == {101: "added", 102: "added", 103: "added"}
    with database.begin() as connection:
        connection.execute(feeds.update().values(http_etag="old", poll_minutes=99))
    changed = [
        NewFeed("http://new.example/rss", id=101, sources_id=7, name="A"),
        NewFeed("http://b.example/rss", id=102, sources_id=9, name="B2", active=False),
        ROWS[2],
    ]
    report = sync_feeds(database, "there", changed, LATER, full=True)
    assert said(report) == {101: "changed", 102: "changed", 103: "known"}
    assert [(row.id, row.url, row.sources_id, row.name, row.active) for row in all_feeds(database)] == [
        (101, "http://new.example/rss", 7, "A", True),
        (102, "http://b.example/rss", 9, "B2", False),
        (103, "http://a.example/rss", 9, "A again", True),
    ]
    assert (read_feed(database, 101)["http_etag"], read_feed(database, 102)["http_etag"]) == (None, "old")
    assert last_sync(database, "there") == LATER


def test_what_the_directory_no_longer_has_is_removed_only_by_a_full_sync_and_no_id_comes_back(database) -> None:
    add_feeds(database, [NewFeed("http://mine.example/rss")], NOW)
    sync_feeds(database, "there", ROWS, NOW, full=False)
    assert said(sync_feeds(database, "there", ROWS[:1], NOW, full=False)) == {101: "known"}
    report = sync_feeds(database, "there", ROWS[:1], NOW, full=True)
    assert said(report) == {101: "known", 102: "removed", 103: "removed"}
    assert [row.id for row in all_feeds(database)] == [1, 101]
    remove_feed(database, 101)
    assert add_feeds(database, [NewFeed("http://next.example/rss")], NOW).added == [104]


def test_a_dry_run_tells_and_changes_nothing(database) -> None:
    assert len(sync_feeds(database, "there", ROWS, NOW, full=True, dry_run=True).added) == 3
    assert all_feeds(database) == [] and last_sync(database, "there") is None


def test_a_feed_of_ones_own_with_the_same_id_stays(database) -> None:
    add_feeds(database, [NewFeed("http://mine.example/rss", id=101)], NOW)
    report = sync_feeds(database, "there", ROWS, NOW, full=True)
    assert said(report) == {101: "refused", 102: "added", 103: "added"}
    assert read_feed(database, 101)["url"] == "http://mine.example/rss"


def test_what_was_set_here_stays(database) -> None:
    sync_feeds(database, "there", ROWS, NOW, full=True)
    change_feed(database, 101, NOW, admin_minutes=30, folders=(("Mine",),), ignore_validators=True)
    assert said(sync_feeds(database, "there", ROWS, NOW, full=True))[101] == "known"
    row = read_feed(database, 101)
    assert (row["admin_minutes"], row["folders"], row["ignore_validators"]) == (30, "Mine", True)


def test_a_directory_that_lost_most_of_its_feeds_is_not_believed(database) -> None:
    many = [NewFeed(f"http://a.example/{n}", id=n, sources_id=1) for n in range(1, 31)]
    sync_feeds(database, "there", many, NOW, full=True)
    with pytest.raises(UsageError, match="no longer in there, and to be removed: 29 of 30 feeds"):
        sync_feeds(database, "there", many[:1], NOW, full=True)
    assert len(all_feeds(database)) == 30
    assert len(sync_feeds(database, "there", many[:1], NOW, full=True, many=True).removed) == 29


def test_hostile_rows_are_refused_one_by_one(database) -> None:
    rows = [NewFeed("javascript:alert(1)", id=1), NewFeed("http://me:hidden@/", id=2), *ROWS]
    report = sync_feeds(database, "there", rows, NOW, full=True)
    assert said(report) == {1: "refused", 2: "refused", 101: "added", 102: "added", 103: "added"}
    assert not any("hidden" in row.url + row.detail for row in report.rows)


def test_rows_that_cannot_be_read_stop_no_other_and_remove_nothing_they_may_be_about(database) -> None:
    sync_feeds(database, "there", ROWS, NOW, full=True)
    known = sync_feeds(database, "there", ROWS[:1], NOW, full=True, unread=[UnreadRow(102, "feed 2 has no address")])
    assert said(known) == {101: "known", 102: "refused", 103: "removed"}
    nameless = sync_feeds(database, "there", ROWS[:1], NOW, full=True, unread=[UnreadRow(None, "feed 2 has no id")])
    assert said(nameless) == {101: "known", None: "refused"}


def test_an_empty_directory_removes_nothing(database) -> None:
    sync_feeds(database, "there", ROWS, NOW, full=True)
    with pytest.raises(UsageError, match="3 of 3 feeds"):
        sync_feeds(database, "there", [], NOW, full=True)
    assert len(all_feeds(database)) == 3
