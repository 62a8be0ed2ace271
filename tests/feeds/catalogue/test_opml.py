"""OPML in and out."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.opml import read_opml, write_opml
from tests.support.feed_fakes import OPML
from tests.support.growth import assert_linear


def test_folders_are_collections() -> None:
    feeds = {feed.url: feed for feed in read_opml(OPML)}
    assert feeds["http://a.example/rss"].folders == (("Europe", "Press & radio"), ("Africa",))
    assert feeds["http://a.example/rss"].collections == ("Europe / Press & radio", "Africa")
    assert feeds["http://a.example/rss"].homepage == "http://a.example/"
    assert feeds["http://b.example/atom.xml"].collections == ("Europe",)
    assert feeds["http://c.example/rss"].collections == ()


def test_a_feed_that_is_off_stays_off_in_another_reader_of_comments() -> None:
    off, on = NewFeed("http://a.example/rss", folders=(("News",),), active=False), NewFeed("http://b.example/rss")
    written = "".join(write_opml([off, on], "list"))
    assert written.count('isComment="true"') == 1
    assert {feed.url: feed.active for feed in read_opml(written.encode())} == {off.url: False, on.url: None}
    namesake = NewFeed(off.url, sources_id=2)
    assert "isComment" not in "".join(write_opml([off, namesake], "list")), "one of the two is polled"


def test_what_is_in_a_folder_that_is_a_comment_is_off_unless_it_is_elsewhere_too() -> None:
    one, two = (f'<outline type="rss" text="x" xmlUrl="http://{name}.example/rss"/>' for name in "ab")
    body = f'<opml><body><outline text="Old" isComment="true">{one}{two}</outline>{two}</body></opml>'
    assert [feed.active for feed in read_opml(body.encode())] == [False, None]


def test_what_is_no_opml_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match="not an OPML file"):
        read_opml(b"<html></html>")


def test_a_bare_ampersand_does_not_lose_the_list() -> None:
    broken = OPML.replace(b"&amp;", b"&")
    assert len(read_opml(broken)) == 3


@pytest.mark.parametrize(
    ("before", "part", "after"),
    [
        ("", '<outline text="f%d"><outline xmlUrl="http://a.example/rss"/></outline>', ""),
        (f'<outline text="{"long " * 2000}">', '<outline text="%d"><outline xmlUrl="http://%d.example/"/></outline>', "</outline>"),
        ("", '<outline text="f%d">', ""),
        ("", '<outline category="' + "/a,/b," * 20 + '" xmlUrl="http://%d.example/rss"/>', ""),
        ("", '<outline xmlUrl="http://%d.example/?a&b"/>&', ""),
    ],
    ids=["one feed in many folders", "a long name", "nested", "categories", "broken"],
)  # fmt: skip
def test_a_list_made_to_be_expensive_takes_time_that_grows_with_it(before: str, part: str, after: str) -> None:
    def make(count: int) -> bytes:
        parts = "".join(part.replace("%d", str(number)) for number in range(count))
        return f"<opml><body>{before}{parts}{after}</body></opml>".encode()

    assert_linear(read_opml, make, 2_000)


def test_a_list_takes_no_more_memory_than_a_multiple_of_its_length() -> None:
    feeds = "".join(f'<outline xmlUrl="http://{number}.example/rss"/>' for number in range(3_000))
    body = f"<opml><body><outline text='{'long' * 100_000}'>{feeds}</outline></body></opml>".encode()
    found = read_opml(body)
    assert len(found) == 3_000
    assert {id(feed.collections[0]) for feed in found} == {id(found[0].collections[0])} and len(
        found[0].collections[0]
    ) == 200


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=5))
def test_opml_round_trip(names: list[tuple[str, str]]) -> None:
    feeds = [
        NewFeed(f"http://{number}.example/rss?a=1&b=2", name=name, collections=(folder,) if folder.strip() else ())
        for number, (name, folder) in enumerate(names)
    ]
    text = "".join(write_opml(feeds, "list"))
    back = {feed.url: feed for feed in read_opml(text.encode("utf-8", "replace"))}
    assert set(back) == {feed.url for feed in feeds}


def test_an_outline_with_very_many_attributes_is_passed_over():
    many = " ".join(f'a{number}="x"' for number in range(30_000))
    body = (
        f'<opml><body><outline {many} xmlUrl="http://a.example/1"/><outline xmlUrl="http://a.example/2"/></body></opml>'
    )
    begun = time.thread_time()
    assert [feed.url for feed in read_opml(body.encode())] == ["http://a.example/2"]
    assert time.thread_time() - begun < 3, "to list the attributes would take ten seconds and more"


@pytest.mark.parametrize("mark", [b"<a/>", b" b=''"])
def test_a_list_of_nothing_but_elements_or_attributes_is_refused_before_it_is_a_tree(mark: bytes) -> None:
    with pytest.raises(UsageError, match="more than 3,000,000 elements and attributes: split it"):
        read_opml(b"<opml><body><outline" + mark * 3_000_000 + b"/></body></opml>")


def test_feeds_without_an_address_are_told_of():
    feeds = b'<outline text="One" xmlUrl=""/><outline text="Two" xmlUrl=" "/>'
    body = b'<opml><body><outline text="News">' + feeds + b"</outline></body></opml>"
    assert [(feed.url, feed.name) for feed in read_opml(body)] == [("", "One"), ("", "Two")]


def test_a_folder_with_an_empty_address_is_a_folder():
    body = b'<opml><body><outline text="News" xmlUrl=""><outline text="One" xmlUrl="https://a.example/f"/></outline></body></opml>'
    assert [(feed.url, feed.folders) for feed in read_opml(body)] == [("https://a.example/f", (("News",),))]
