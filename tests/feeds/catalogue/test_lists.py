"""OPML and CSV in and out."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.errors import UsageError
from tearsheet.feeds import NewFeed, parse_feed_list, read_feed_list
from tearsheet.feeds.catalogue.csv_lists import read_feeds_csv, write_feeds_csv
from tearsheet.feeds.catalogue.opml import read_opml, write_opml
from tests.support.feed_fakes import NOW

OPML = b"""<?xml version="1.0"?><opml version="1.1"><head><title>x</title></head><body>
<outline text="Europe"><outline text="Press &amp; radio">
  <outline text="A" type="rss" xmlUrl="http://a.example/rss" htmlUrl="http://a.example/"/></outline>
  <outline title="B" XMLURL="http://b.example/atom.xml"/></outline>
<outline text="C" type="rss" url="http://c.example/rss"/>
<outline text="Africa"><outline text="A again" xmlUrl="http://a.example/rss"/></outline>
</body></opml>"""


def test_folders_are_collections() -> None:
    feeds = {feed.url: feed for feed in read_opml(OPML)}
    assert feeds["http://a.example/rss"].collections == ("Europe / Press & radio", "Africa")
    assert feeds["http://a.example/rss"].homepage == "http://a.example/"
    assert feeds["http://b.example/atom.xml"].collections == ("Europe",)
    assert feeds["http://c.example/rss"].collections == ()


def test_what_is_no_opml_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match="not an OPML file"):
        read_opml(b"<html></html>")


def test_a_bare_ampersand_does_not_lose_the_list() -> None:
    broken = OPML.replace(b"&amp;", b"&")
    assert len(read_opml(broken)) == 3


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=5))
def test_opml_round_trip(names: list[tuple[str, str]]) -> None:
    feeds = [
        NewFeed(f"http://{number}.example/rss?a=1&b=2", name=name, collections=(folder,) if folder.strip() else ())
        for number, (name, folder) in enumerate(names)
    ]
    text = "".join(write_opml(feeds, "list", NOW))
    back = {feed.url: feed for feed in read_opml(text.encode("utf-8", "replace"))}
    assert set(back) == {feed.url for feed in feeds}


def test_csv_round_trip() -> None:
    feeds = [
        NewFeed("http://a.example/rss", id=7, sources_id=3, name='A, "quoted"', collections=("x", "y"), active=False),
        NewFeed("http://b.example/rss", admin_minutes=30, homepage="http://b.example/", source_name="B"),
    ]
    text = b"".join(write_feeds_csv(feeds))
    assert read_feeds_csv(text) == feeds
    assert read_feeds_csv(gzip.compress(text)) == feeds


@given(st.lists(st.text("'=+-@ax", min_size=1, max_size=4), min_size=1, max_size=3), st.text("'=+-@;x", max_size=4))
def test_what_looks_like_a_formula_comes_back_as_it_was(names: list[str], source: str) -> None:
    feeds = [NewFeed("http://a.example/rss", name=names[0], source_name=source or None, collections=tuple(names))]
    lines = b"".join(write_feeds_csv(feeds))
    assert read_feeds_csv(lines) == feeds
    cells = lines.decode().splitlines()[1].split(",")
    assert not any(cell.lstrip('"').startswith(("=", "+", "-", "@")) for cell in cells)


def test_a_list_of_addresses_is_enough() -> None:
    feeds = parse_feed_list(b"# mine\nhttp://a.example/rss\n\nhttps://b.example/rss\n")
    assert [feed.url for feed in feeds] == ["http://a.example/rss", "https://b.example/rss"]


def test_errors_name_the_line() -> None:
    with pytest.raises(UsageError, match=r"line 3 .* sources_id"):
        read_feeds_csv(b"url,sources_id\nhttp://a.example/,1\nhttp://b.example/,x\n")
    with pytest.raises(UsageError, match="column `url`"):
        read_feeds_csv(b"address\nhttp://a.example/\n")


def test_arguments_are_addresses_or_files(tmp_path: Path) -> None:
    assert read_feed_list("https://a.example/rss")[0].url == "https://a.example/rss"
    (tmp_path / "list.opml").write_bytes(OPML)
    assert len(read_feed_list(str(tmp_path / "list.opml"))) == 3
    with pytest.raises(UsageError, match="neither"):
        read_feed_list(str(tmp_path / "none.opml"))
