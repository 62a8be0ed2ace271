"""Sources and collections: changed, merged, split and removed."""

from __future__ import annotations

import pytest

from tearsheet.errors import NotFoundError
from tearsheet.feeds.catalogue.directory import list_collections, list_sources
from tearsheet.feeds.catalogue.listing import all_feeds
from tearsheet.feeds.catalogue.source_store import change_members, change_source, remove_source
from tests.support.feed_fakes import NOW


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
