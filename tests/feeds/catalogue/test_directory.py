from __future__ import annotations

import pytest

from tearsheet.errors import NotFoundError
from tearsheet.feeds.catalogue.directory import find_collection, find_feed, find_source, members_of
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


@pytest.mark.parametrize(
    ("find", "written", "hint"),
    [
        (find_source, "aa.example", "did you mean a.example?"),
        (find_source, "https://other.org/", "`tearsheet sources list` shows them"),
        (find_source, "99", "`tearsheet sources list` shows them"),
        (find_collection, "press", "did you mean Press?"),
        (find_collection, "Radio", "`tearsheet collections list` shows them"),
        (find_feed, "http://a.example/rss.xml", "did you mean http://a.example/rss?"),
        (find_feed, "feed", "`tearsheet feeds list` shows them"),
    ],
)
def test_a_name_that_is_not_there_is_told_with_what_is_near(press, find, written, hint):
    with pytest.raises(NotFoundError) as told:
        find(press, written)
    assert str(told.value).endswith(hint)
