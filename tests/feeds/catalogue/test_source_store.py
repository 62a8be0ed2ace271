"""Sources and collections: changed, merged, split and removed."""

from __future__ import annotations

import pytest

from tearsheet.errors import NotFoundError, UsageError
from tearsheet.feeds.catalogue.directory import list_collections, list_sources
from tearsheet.feeds.catalogue.history import newest_stories
from tearsheet.feeds.catalogue.listing import all_feeds
from tearsheet.feeds.catalogue.model import NewFeed, NewSource
from tearsheet.feeds.catalogue.source_store import (
    add_sources,
    change_members,
    change_source,
    merge_sources,
    remove_source,
    split_source,
)
from tearsheet.feeds.catalogue.store import add_feeds
from tests.support.feed_fakes import NOW
from tests.support.feed_rows import add_stories, story


def test_a_source_changes_its_name_and_its_collections_together(database) -> None:
    change_members(database, "Old", [7], NOW)
    change_source(database, 7, NOW, name="The Seven", join=["New"], leave=["Old"])
    assert [row.name for row in list_sources(database, ids=[7]).rows] == ["The Seven"]
    assert [row.name for row in list_collections(database, source_id=7).rows] == ["New"]
    with pytest.raises(NotFoundError):
        change_source(database, 7, NOW, name="Half", leave=["nowhere"])
    assert [row.name for row in list_sources(database, ids=[7]).rows] == ["The Seven"]


def test_a_source_is_removed_with_its_feeds_and_memberships(database) -> None:
    change_members(database, "Press", [7], NOW)
    others = [feed.id for feed in all_feeds(database) if feed.sources_id != 7]
    assert remove_source(database, 7) == 3
    assert [feed.id for feed in all_feeds(database)] == others
    assert list_sources(database, ids=[7]).rows == []
    assert [row.sources for row in list_collections(database, name="Press").rows] == [0]


def test_sources_are_merged_with_feeds_entries_and_collections(database) -> None:
    add_feeds(database, [NewFeed("http://d.example/rss", sources_id=8)], NOW)
    change_members(database, "Press", [8], NOW)
    add_stories(database, story(1, feed_id=4, sources_id=8), story(2, feed_id=99, sources_id=8), story(3, sources_id=7))
    assert merge_sources(database, [8], 7, NOW) == 1
    assert {feed.sources_id for feed in all_feeds(database)} == {7}
    assert {row["sources_id"] for row in newest_stories(database)} == {7}
    assert [row.id for row in list_sources(database).rows] == [7]
    assert [row.name for row in list_collections(database, source_id=7).rows] == ["Press"]
    with pytest.raises(UsageError):
        merge_sources(database, [7], 7, NOW)
    with pytest.raises(NotFoundError):
        merge_sources(database, [99], 7, NOW)


def test_a_source_is_split_by_its_feeds(database) -> None:
    change_members(database, "Press", [7], NOW)
    add_stories(database, story(1, feed_id=1), story(2, feed_id=2))
    made = split_source(database, 7, [2, 3], "Sport", "http://sport.example/", NOW)
    assert {feed.id: feed.sources_id for feed in all_feeds(database)} == {1: 7, 2: made, 3: made}
    assert {row["feed_id"]: row["sources_id"] for row in newest_stories(database)} == {1: 7, 2: made}
    [row] = list_sources(database, ids=[made]).rows
    assert (row.name, row.domain, row.collections) == ("Sport", "sport.example", 1)
    with pytest.raises(UsageError, match="feed 2 is not of source 7"):
        split_source(database, 7, [1, 2], "Half", None, NOW)
    assert all_feeds(database)[0].sources_id == 7


def test_no_id_of_a_source_is_given_twice(database) -> None:
    remove_source(database, 7)
    [made] = add_sources(database, [NewSource("new.example")], NOW).added
    assert made > 7
