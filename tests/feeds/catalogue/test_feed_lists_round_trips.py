"""Out, in and out again: the same bytes, whatever people call their feeds and folders."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tearsheet.engines.database import Database
from tearsheet.feeds.catalogue.csv_lists import write_feeds_csv
from tearsheet.feeds.catalogue.directory_form import write_directory
from tearsheet.feeds.catalogue.feed_lists import parse_feed_list
from tearsheet.feeds.catalogue.listing import all_feeds
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.opml import write_opml
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.feeds.catalogue.syncing import sync_feeds
from tearsheet.feeds.tables import collection_sources, collections, feed_directories, feed_secrets, feeds, sources
from tests.support.feed_fakes import NOW, new_database

TEXT = st.text(st.sampled_from("ab é/\\;,\"'<&=@\n\t\x00\x0b\x85\u2028日"), max_size=6)
FEEDS = st.lists(
    st.builds(
        NewFeed,
        url=st.sampled_from([f"http://{host}.example/rss?a=1&b='\"" for host in "abc"]),
        name=TEXT,
        sources_id=st.sampled_from([3, 7, None]),
        homepage=st.sampled_from([None, "http://a.example/?x=1&y", " http://b.example/"]),
        collections=st.lists(TEXT, max_size=2).map(tuple),
        folders=st.lists(st.lists(TEXT, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple),
        active=st.booleans(),
        admin_minutes=st.sampled_from([None, 5, 600]),
        ignore_validators=st.booleans(),
    ),
    max_size=5,
)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """One for all examples: making one takes longer than all of them."""
    database = new_database(tmp_path_factory.mktemp("lists"))
    yield database
    database.close()


def as_opml(found: Iterable[NewFeed]) -> bytes:
    return "".join(write_opml(found, "list")).encode("utf-8", "replace")


def as_csv(found: Iterable[NewFeed]) -> bytes:
    return b"".join(write_feeds_csv(found))


def as_directory(found: Iterable[NewFeed]) -> bytes:
    return b"".join(write_directory(found))


def empty(database: Database) -> None:
    with database.begin() as connection:
        for table in (feed_secrets, feed_directories, collection_sources, collections, feeds, sources):
            connection.execute(table.delete())


def comes_back(
    database: Database, write: Callable[[Iterable[NewFeed]], bytes], add: Callable[[list[NewFeed]], object]
) -> None:
    first = write(all_feeds(database))
    empty(database)
    add(parse_feed_list(first) if first.strip() else [])
    assert write(all_feeds(database)) == first


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(given_feeds=FEEDS)
def test_lists_and_directories_come_back_byte_by_byte(database, given_feeds: list[NewFeed]) -> None:
    for write, add in (
        (as_opml, lambda rows: add_feeds(database, rows, NOW)),
        (as_csv, lambda rows: add_feeds(database, rows, NOW)),
        (as_directory, lambda rows: sync_feeds(database, "there", rows, NOW, full=True)),
    ):
        empty(database)
        add_feeds(database, given_feeds, NOW)
        comes_back(database, write, add)
