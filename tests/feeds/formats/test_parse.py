"""`parse_feed`: formats, relative links, broken documents, reasons."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.feeds import FeedError, parse_feed
from tearsheet.feeds.formats.parse import unzip
from tests.support.feed_fakes import NOW, rss

URL = "https://news.example/feeds/all.xml"
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://other.example/x/"><title>A <b>b</b></title>
<entry><id>tag:1</id><title type="html">One &amp;amp; &lt;i&gt;two&lt;/i&gt;</title><link rel="self" href="self"/>
<link href="one.html"/><updated>2026-11-01T10:00:00Z</updated></entry>
<entry xml:base="/y/"><id>tag:2</id><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Three <em>four</em></div></title>
<link rel="alternate" type="text/html" href="two.html"/><published>2026-11-02T10:00:00+02:00</published>
<updated>2026-11-03T00:00:00Z</updated>
</entry></feed>"""
RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>R</title></channel>
<item rdf:about="https://news.example/1"><title>T</title><link>https://news.example/1</link><dc:date>2026-11-01T00:00+01:00</dc:date></item>
</rdf:RDF>"""
NEWS = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:n="http://www.google.com/schemas/sitemap-news/0.9">
<url><loc> https://news.example/a </loc><lastmod>2026-11-10</lastmod><n:news>
<n:publication><n:name>The Paper</n:name></n:publication>
<n:publication_date>2026-11-09T08:00:00+02:00</n:publication_date><n:title>A</n:title></n:news></url></urlset>"""


def first(body: bytes, **more):
    return parse_feed(body, URL, now=NOW, **more).entries[0]


def test_atom() -> None:
    feed = parse_feed(ATOM, URL, now=NOW)
    assert (feed.version, feed.title) == ("atom 1.0", "A b")
    one, two = feed.entries
    assert (one.link, one.title, one.guid) == ("https://other.example/x/one.html", "One & two", "tag:1")
    assert one.published == datetime(2026, 11, 1, 10, tzinfo=UTC)
    assert (two.link, two.title) == ("https://other.example/y/two.html", "Three four")
    assert two.published == datetime(2026, 11, 2, 8, tzinfo=UTC)


def test_rdf() -> None:
    feed = parse_feed(RDF, URL, now=NOW)
    assert (feed.version, feed.title) == ("rss 1.0", "R")
    assert feed.entries[0].guid == "https://news.example/1"
    assert feed.entries[0].published == datetime(2026, 10, 31, 23, tzinfo=UTC)


def test_json_feed() -> None:
    body = b"""\xef\xbb\xbf {"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [
      {"id": 7, "url": "/a", "title": "T", "date_published": "2026-11-01T00:00:00Z"}, {"id": "https://news.example/b"}, 5]}"""
    feed = parse_feed(body, URL, now=NOW)
    assert (feed.version, feed.title, len(feed.entries)) == ("json feed 1.1", "J", 2)
    assert (feed.entries[0].link, feed.entries[0].guid) == ("https://news.example/a", "7")
    assert feed.entries[1].link == "https://news.example/b"


def test_news_sitemaps_and_indexes() -> None:
    for body in (NEWS, gzip.compress(NEWS)):
        feed = parse_feed(body, URL, now=NOW)
        assert (feed.version, feed.title) == ("news sitemap", "The Paper Google News sitemap")
        entry = feed.entries[0]
        assert (entry.link, entry.title) == ("https://news.example/a", "A")
        assert entry.published == datetime(2026, 11, 9, 6, tzinfo=UTC)
    plain = parse_feed(
        b"<urlset><url><loc>/a</loc><lastmod>2026-11-10</lastmod></url><url></url></urlset>", URL, now=NOW
    )
    assert (plain.version, len(plain.entries)) == ("sitemap", 1)
    assert (plain.entries[0].published, plain.entries[0].updated) == (None, datetime(2026, 11, 10, tzinfo=UTC))
    index = parse_feed(b"<sitemapindex><sitemap><loc>/n.xml</loc></sitemap></sitemapindex>", URL, now=NOW)
    assert index.is_index
    assert index.entries[0].link == "https://news.example/n.xml"


@pytest.mark.parametrize(
    ("link", "resolved"),
    [
        ("/a", "https://news.example/a"), ("a", "https://news.example/feeds/a"), ("//cdn.example/a", "https://cdn.example/a"),
        ("?a=1", "https://news.example/feeds/all.xml?a=1"), (" http://b.example/\n x ", "http://b.example/x"),
        ("mailto:a@b", "mailto:a@b"),
        ("http://[bad", "http://[bad"),
    ],
)  # fmt: skip
def test_relative_links(link: str, resolved: str) -> None:
    assert first(rss(link)).link == resolved


def test_links_from_permanent_ids_only() -> None:
    item = b"<rss version='2.0'><channel><item><guid%s>%s</guid></item></channel></rss>"
    assert first(item % (b"", b"https://news.example/1")).link == "https://news.example/1"
    assert first(item % (b" isPermaLink='false'", b"https://news.example/1")).link is None
    assert first(item % (b"", b"/blog/1")).link == "https://news.example/blog/1"
    assert first(item % (b"", b"5f3c")).link is None


@pytest.mark.parametrize(
    "body",
    [
        rss("https://news.example/a").replace(b"Story", b"Caf\xe9 & co &nbsp; &eacute; &bogus; \x00\x1b &#0; &#11;"),
        b"<br />\nWarning: header()\n" + rss("https://news.example/a"),
        b"\n\n <?xml version='1.0'?>" + rss("https://news.example/a"),
        rss("https://news.example/a").replace(b"</channel></rss>", b""),
        rss("https://news.example/a").replace(b"<item>", b"<description><p>open <br></description><item>"),
        rss("https://news.example/a").replace(b"<item>", b"<x:y>undeclared</x:y><item>"),
        rss("https://news.example/a").decode().encode("utf-16"),
        b"<?xml version='1.0' encoding='nonsense'?>" + rss("https://news.example/a"),
        b"<!DOCTYPE rss [<!ENTITY x 'y'>]>" + rss("https://news.example/a").replace(b"Story", b"&x;&z;"),
    ],
    ids=[
        "entities",
        "warning in front",
        "blanks in front",
        "cut off",
        "unclosed",
        "prefix",
        "utf-16",
        "odd charset",
        "doctype",
    ],
)
def test_broken_feeds_are_read_as_far_as_they_make_sense(body: bytes) -> None:
    assert first(body).link == "https://news.example/a"


@pytest.mark.parametrize(
    ("declared", "encoded"),
    [
        ("utf-8", "utf-8"),
        ("iso-8859-1", "cp1252"),
        ("windows-1251", "cp1251"),
        ("iso-8859-1", "utf-8"),
        ("utf-8", "cp1252"),
    ],
)
def test_characters(declared: str, encoded: str) -> None:
    title = "Привет" if encoded == "cp1251" else "Café – “so”"
    item = f"<item><title>{title}</title></item>"
    body = f"<?xml version='1.0' encoding='{declared}'?><rss version='2.0'><channel>{item}</channel></rss>"
    assert first(body.encode(encoded)).title == title


def test_the_charset_of_http_counts_where_the_document_says_nothing() -> None:
    body = "<rss version='2.0'><channel><item><title>Привет</title></item></channel></rss>".encode("cp1251")
    assert first(body, charset="windows-1251").title == "Привет"


@pytest.mark.parametrize("charset", ["idna", "punycode", "unicode_escape", "zip", "hex", "utf-7", "\0", "x" * 1000])
def test_odd_charsets_do_no_harm(charset: str) -> None:
    assert (
        first(rss("https://news.example/a").replace(b"Story", b"\xff\xfe"), charset=charset).link
        == "https://news.example/a"
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty"), (b" \r\n\t\0", "empty"), (b"\xef\xbb\xbf", "empty"), (gzip.compress(b"", mtime=0), "empty"),
        (b"<!DOCTYPE html><html><head><title>x</title></head></html>", "html?"), (b"<HTML><body>", "html?"),
        (b"<!-- a --><!-- b -->\n<!doctype HTML>", "html?"),
        (b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>", "html?"),
        (b"<div>x</div>", "html?"), (b"<p>x<br>", "html?"),
        (b"hello", "no version"), (b"<a:b/>", "no version"), (b"<opml><body/></opml>", "no version"), (b"{", "no version"),
        (b"{}", "no version"),
        (b'{"version": "2.0", "items": 3}', "no version"), (b"[1]", "no version"), (bytes(range(256)) * 4, "no version"),
        (b"\x1f\x8bxx", "empty"),
        (b'{"version":' + b"[" * 100_000, "no version"),
    ],
)  # fmt: skip
def test_reasons(body: bytes, reason: str) -> None:
    with pytest.raises(FeedError) as caught:
        parse_feed(body, URL, now=NOW)
    assert caught.value.reason == reason
    assert caught.value.note == f"Exception({reason!r})"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("&#55357;&#56832; Smile", "😀 Smile"),
        ("&#xD83D;&#xde00; Smile", "😀 Smile"),
        ("Half &#xD83D; a smile", "Half a smile"),
        ("&#56832;The other&#xFFFE; half", "The other half"),
    ],
)
def test_characters_written_as_halves(written: str, read: str) -> None:
    """Programs that think in UTF-16 write a character as two references, or cut it in the middle."""
    body = f"<rss version='2.0'><channel><item><title>{written}</title><link>http://n.example/a</link></item></channel></rss>"
    assert parse_feed(body.encode(), "http://n.example/").entries[0].title == read


def test_json_with_half_characters_and_nulls() -> None:
    body = (
        rb'{"version": "https://jsonfeed.org/version/1.1", "title": "cut \ud83d", "items": [{"id": "a\u0000b", "url": '
        rb'"http://n.example/\ud83d", "title": "cut here \ud83d"}, {"id": "tab	here", "url": "http://n.example/b"}]}'
    )
    feed = parse_feed(body, "http://n.example/")
    assert [entry.guid for entry in feed.entries] == ["ab", "tab\there"]
    assert feed.entries[0].title == "cut here ?"
    assert feed.entries[1].link == "http://n.example/b"
    texts = [feed.title, *(text for entry in feed.entries for text in (entry.link, entry.title, entry.guid))]
    for text in filter(None, texts):
        text.encode("utf-8")  # so that every database takes it
        assert "\0" not in text


def test_an_external_entity_is_not_read() -> None:
    body = b'<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + rss("https://news.example/a").replace(
        b"Story", b"&x;"
    )
    assert "root" not in (first(body).title or "")


def test_a_gzip_bomb_is_read_so_far_and_no_farther() -> None:
    from tearsheet.feeds.formats.parse import unzip

    bomb = gzip.compress(bytes(30_000_000))
    assert len(unzip(bomb, 1_000_000)) == 1_000_000


PIECES = [
    b"<rss", b" version='2.0'>", b"<channel>", b"<item>", b"</item>", b"<link>", b"https://a.example/", b"</link>",
    b"<title>", b"<![CDATA[",
    b"]]>", b"&amp;", b"&nbsp;", b"&#x1F600;", b"&#0;", b"&", b"<", b">", b"\xff", b"\0", b"<feed>", b"<entry>", b"<guid>",
    b"<pubDate>",
    b"Sun, 15 Nov 2026", b"<urlset>", b"<url>", b"<loc>", b"<?xml version='1.0' encoding='utf-16'?>", b"<!DOCTYPE x [",
    b"<!ENTITY a 'b'>", b"]>",
    b"{", b'"version":', b'"https://jsonfeed.org/version/1"', b"[", b"]", b"}", b"<!--", b"-->", b"\x1f\x8b", b" ", b"\n",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=5), max_size=60).map(b"".join) | st.binary(max_size=300))
def test_any_bytes_give_a_feed_or_a_reason(body: bytes) -> None:
    try:
        feed = parse_feed(body, URL, now=NOW)
    except FeedError as error:
        assert error.reason in ("empty", "html?", "no version")
    else:
        assert all(entry.link is None or entry.link for entry in feed.entries)


def test_a_gzip_file_may_have_several_members():
    parts = [b"<rss><channel>", b"<item><link>http://a.example/1</link></item>", b"</channel></rss>"]
    packed = b"".join(gzip.compress(part) for part in parts)
    assert unzip(packed) == b"".join(parts)
    assert unzip(packed, 20) == b"".join(parts)[:20]
    assert unzip(packed[:-12]).startswith(parts[0] + parts[1])
    assert [entry.link for entry in parse_feed(packed, "http://a.example/").entries] == ["http://a.example/1"]


def test_entries_after_something_too_deep_are_read():
    deep = (
        b"<item><link>http://a.example/1</link><description>"
        + b"<b>" * 3000
        + b"</b>" * 3000
        + b"</description></item>"
    )
    others = b"".join(b"<item><link>http://a.example/%d</link></item>" % number for number in range(2, 6))
    feed = parse_feed(b"<rss version='2.0'><channel>" + deep + others + b"</channel></rss>", "http://a.example/")
    assert (len(feed.entries), feed.tossed) == (5, 0)


def test_text_is_taken_as_it_is_and_no_address_is_needed() -> None:
    text = (
        '\n<?xml version="1.0" encoding="iso-8859-1"?><rss version="2.0"><channel><title>Zürich</title></channel></rss>'
    )
    assert parse_feed(text).title == parse_feed("\ufeff" + text).title == "Zürich"
    assert parse_feed('{"version": "https://jsonfeed.org/version/1.1", "title": "é", "items": []}').title == "é"
    assert (
        parse_feed(b'<rss version="2.0"><channel><item><link>/a</link></item></channel></rss>').entries[0].link == "/a"
    )
    with pytest.raises(FeedError, match="empty"):
        parse_feed(" \n")


def test_an_id_is_a_link_only_where_it_can_be_an_address() -> None:
    feed = parse_feed(b"<feed xmlns='http://www.w3.org/2005/Atom'><id>/news</id></feed>", "http://a.example/x/feed")
    assert feed.home == "http://a.example/news"
    assert parse_feed(b"<feed><id>urn:uuid:1</id></feed>", "http://a.example/feed").home is None
    broken = b"<rss><channel><item><guid>http://a.[example/1</guid></item></channel></rss>"
    assert parse_feed(broken, "http://a.example/").entries[0].link is None
