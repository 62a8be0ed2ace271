from __future__ import annotations

import pytest

from tearsheet.errors import NotFoundError
from tearsheet.feeds.catalogue.directory import members_of
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds
from tests.support.feed_fakes import NOW, new_database


@pytest.fixture
def press(tmp_path):
    """A source in the collection `Press`, whose id is 1."""
    database = new_database(tmp_path)
    add_feeds(database, [NewFeed("http://a.example/rss", homepage="http://a.example/", collections=("Press",))], NOW)
    yield database
    database.close()


def test_members_of_a_collection_by_name_and_by_id(press):
    assert members_of(press, collections=["Press"]) == members_of(press, collection_ids=[1]) == ({"a.example"}, {1})


@pytest.mark.parametrize("asked", [{"collections": ["Radio"]}, {"collection_ids": [1, 2]}])
def test_a_collection_that_does_not_exist_is_never_an_empty_one(press, asked):
    with pytest.raises(NotFoundError, match="there is no collection"):
        members_of(press, **asked)


def test_a_source_may_be_known_to_stories_only(press):
    assert members_of(press, source_ids=[1, 99]) == ({"a.example"}, {1, 99})
