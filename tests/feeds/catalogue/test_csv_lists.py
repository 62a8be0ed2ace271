"""CSV in and out."""

from __future__ import annotations

import gzip

import pytest

from tearsheet.errors import UsageError
from tearsheet.feeds import NewFeed, parse_feed_list
from tearsheet.feeds.catalogue.csv_lists import read_feeds_csv, write_feeds_csv


def test_csv_round_trip() -> None:
    feeds = [
        NewFeed("http://a.example/rss", id=7, sources_id=3, name='A, "quoted"', collections=("x", "y"), active=False),
        NewFeed("http://b.example/rss", admin_minutes=30, homepage="http://b.example/", source_name="B"),
    ]
    text = "".join(write_feeds_csv(feeds)).encode()
    assert read_feeds_csv(text) == feeds
    assert read_feeds_csv(gzip.compress(text)) == feeds


def test_a_list_of_addresses_is_enough() -> None:
    feeds = parse_feed_list(b"# mine\nhttp://a.example/rss\n\nhttps://b.example/rss\n")
    assert [feed.url for feed in feeds] == ["http://a.example/rss", "https://b.example/rss"]


def test_errors_name_the_line() -> None:
    with pytest.raises(UsageError, match=r"line 3 .* sources_id"):
        read_feeds_csv(b"url,sources_id\nhttp://a.example/,1\nhttp://b.example/,x\n")
    with pytest.raises(UsageError, match="column `url`"):
        read_feeds_csv(b"address\nhttp://a.example/\n")
