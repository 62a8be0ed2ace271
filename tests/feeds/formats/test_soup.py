"""Markup that is not XML: read as feedparser reads it, and the rest of the document with it."""

from __future__ import annotations

import feedparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.feeds import parse_feed
from tearsheet.feeds.formats.soup import MAX_DEPTH, read_soup
from tearsheet.feeds.formats.titles import plain_title

URL = "http://site.test/feed"
TWO = "<item><title>Two</title><link>http://site.test/2</link><pubDate>Sun, 15 Nov 2026 10:00:00 GMT</pubDate></item>"
DAMAGED = {
    "a tag in a title": "<item><title>One <b>x</title><link>http://site.test/1</link></item>",
    "markup in a description": "<item><description><p>a<br>b<img src=x></description><link>http://site.test/1</link></item>",
    "crossed tags": "<item><title><b><i>One</b></i></title><link>http://site.test/1</link></item>",
    "an end of nothing": "<item></p><title>One</title></div><link>http://site.test/1</link></item>",
    "an attribute without quotes": "<item><title type=text>One</title><link rel=alternate href=http://site.test/1 /></item>",
    "a less-than sign": "<item><title>1 < 2 & 3</title><link>http://site.test/1</link></item>",
    "an ampersand in CDATA": "<item><link><![CDATA[http://site.test/1?a=b&c=d]]></link><p></item>",
    "capitals": "<ITEM><TITLE>One<BR></TITLE><LINK>http://site.test/1</LINK></ITEM>",
    "a prefix that is not declared": "<item><link>http://site.test/1</link><dc:date>2026-11-15<b></dc:date></item>",
    "a comment with a tag": "<item><!-- <title>no --><title>One<br></title><link>http://site.test/1</link></item>",
}


@pytest.mark.parametrize("item", DAMAGED.values(), ids=DAMAGED)
def test_links_and_titles_are_those_that_feedparser_finds(item: str) -> None:
    document = f"<rss version='2.0'><channel><title>News</title>{item}{TWO}</channel></rss>"
    ours, theirs = parse_feed(document, URL), feedparser.parse(document)
    assert ours.damaged and ours.title == "News"
    assert [entry.link for entry in ours.entries] == [entry.get("link") for entry in theirs.entries]
    assert all(ours.published for ours, other in zip(ours.entries, theirs.entries, strict=True) if "published" in other)
    assert [entry.title for entry in ours.entries] == [
        plain_title(entry.get("title") or "") for entry in theirs.entries
    ]


def test_what_is_never_closed_ends_where_the_next_begins() -> None:
    document = "<rss><channel><item><title>One<link>http://site.test/1<guid>a<item><title>Two<link>http://site.test/2</channel>"
    found = [(entry.title, entry.link, entry.guid) for entry in parse_feed(document, URL).entries]
    assert found == [("One", "http://site.test/1", "a"), ("Two", "http://site.test/2", None)]


def test_several_documents_in_one_are_read_as_one() -> None:
    one = "<?xml version='1.0'?><rss version='2.0'><channel><title>{0}</title><item><link>http://site.test/{0}</link></item></channel></rss>"
    feed = parse_feed(one.format("1") + "\n" + one.format("2"), URL)
    assert (feed.title, [entry.link for entry in feed.entries]) == ("1", ["http://site.test/1", "http://site.test/2"])
    sitemap = "<urlset><url><loc>http://site.test/{0}</loc></url></urlset>"
    assert [e.link for e in parse_feed(sitemap.format(1) + sitemap.format(2), URL).entries] == [
        "http://site.test/1", "http://site.test/2",
    ]  # fmt: skip


def test_a_namespace_counts_by_its_address_and_not_by_its_prefix() -> None:
    document = (
        "<rss xmlns:d='http://purl.org/dc/elements/1.1/' xmlns:link='http://other.test/'><channel><item><p>"
        "<d:date>2026-11-15</d:date><link:title>no</link:title><title>yes</title></item></channel></rss>"
    )
    entry = parse_feed(document, URL).entries[0]
    assert entry.published is not None and entry.title == "yes"


def test_what_is_nested_too_deeply_is_read_as_text() -> None:
    root = read_soup("<rss>" + "<b>" * 3 * MAX_DEPTH + "words" + "</b>" * 3 * MAX_DEPTH + "<item/>")
    assert root is not None and "".join(map(str, root.itertext())) == "words"
    assert root.find(".//item") is not None


PARTS = [
    "<item>", "</item>", "<title>", "</title>", "<link>", "</link>", "<b>", "</b>", "<a:b c='d'>", "</a:b>", "<!--", "-->", "<?x?>",
    "text", "<![CDATA[", "]]>", "<", ">", "&amp;", "<x y=z/>", "xmlns='q'", "<rss xmlns:dc='x'>", "'", '"', "=", "/",
]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=40))
def test_every_soup_gives_a_tree_and_keeps_its_words(parts: list[str]) -> None:
    root = read_soup("<rss>" + "".join(parts) + "</rss>")
    assert root is not None
    if all(part in ("text", "<b>", "</b>", "<item>", "</item>", "<title>", "</title>") for part in parts):
        assert "".join(map(str, root.itertext())) == "text" * parts.count("text")
