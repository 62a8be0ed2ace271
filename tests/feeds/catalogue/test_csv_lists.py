"""CSV in and out."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue import csv_lists
from tearsheet.feeds.catalogue.csv_lists import read_feeds_csv, read_sources_csv, write_feeds_csv
from tearsheet.feeds.catalogue.feed_lists import parse_feed_list
from tearsheet.feeds.catalogue.model import NewFeed


def test_csv_round_trip() -> None:
    feeds = [
        NewFeed("http://a.example/rss", id=7, sources_id=3, name='A, "quoted"', collections=("x", "y"), active=False),
        NewFeed("http://b.example/rss", admin_minutes=30, homepage="http://b.example/", source_name="B"),
    ]
    text = b"".join(write_feeds_csv(feeds))
    assert read_feeds_csv(text) == feeds
    assert read_feeds_csv(gzip.compress(text)) == feeds


def test_a_list_of_addresses_is_enough() -> None:
    feeds = parse_feed_list(b"# mine\nhttp://a.example/rss\n\n#\n# yours\nhttps://b.example/rss\n#")
    assert [feed.url for feed in feeds] == ["http://a.example/rss", "https://b.example/rss"]


def test_errors_name_the_line() -> None:
    with pytest.raises(UsageError, match=r"line 3 .* sources_id"):
        read_feeds_csv(b"url,sources_id\nhttp://a.example/,1\nhttp://b.example/,x\n")
    with pytest.raises(UsageError, match="column `url`"):
        read_feeds_csv(b"address\nhttp://a.example/\n")


@given(st.lists(st.text("'=+-@ax", min_size=1, max_size=4), min_size=1, max_size=3), st.text("'=+-@;x", max_size=4))
def test_what_looks_like_a_formula_comes_back_as_it_was(names: list[str], source: str) -> None:
    feeds = [NewFeed("http://a.example/rss", name=names[0], source_name=source or None, collections=tuple(names))]
    lines = b"".join(write_feeds_csv(feeds))
    assert read_feeds_csv(lines) == feeds
    cells = lines.decode().splitlines()[1].split(",")
    assert not any(cell.lstrip('"').startswith(("=", "+", "-", "@")) for cell in cells)


HOSTILE = {
    "rows": (b"url\n" + b"h\n" * 1_500, "more than 1,000 rows: split it"),
    "blank rows": (b"url\n" + b"\n" * 1_500, "more than 1,000 rows: split it"),
    "cells": (b"url\n" + b"h," * 1_500_000, "more than 1,000,000 characters"),
    "cells over many lines": (b"url\n" + b'"\n",' * 500_000, "more than 1,000,000 characters"),
}


@pytest.mark.parametrize("reads", [read_feeds_csv, read_sources_csv])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_small_file_that_unpacks_to_a_large_table_is_refused(
    name: str, reads: Callable[[bytes], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_lists, "MAX_ROWS", 1_000)
    body, problem = HOSTILE[name]
    with pytest.raises(UsageError, match=problem):
        reads(gzip.compress(body))
