"""OPML in and out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.opml import read_opml, write_opml
from tests.support.feed_fakes import NOW, OPML


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
