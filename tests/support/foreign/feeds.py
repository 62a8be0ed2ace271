"""Readers of feeds, sitemaps and lists of feeds."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from datetime import UTC, datetime

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.csv_lists import read_feeds_csv
from tearsheet.feeds.catalogue.directory_form import read_directory
from tearsheet.feeds.catalogue.opml import read_opml
from tearsheet.feeds.formats import EMPTY, HTML, NO_VERSION, TOO_LARGE
from tearsheet.feeds.polling.reading import READ_FEED, ReceivedFeed
from tests.support.foreign.http import MARKS
from tests.support.foreign.model import ForeignReader, job_reader, numbered, repeated

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_ITEM = (
    b"<item><title>News &amp; views</title><link>https://news.example/1</link><guid>1</guid>"
    b"<pubDate>Sun, 15 Nov 2025 10:00:00 +0100</pubDate><dc:creator>A. Writer</dc:creator></item>"
)
_RSS = b"<?xml version='1.0' encoding='utf-8'?><rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><title>News</title>"
_END = b"</channel></rss>"
_ATOM = (
    b"<feed xmlns='http://www.w3.org/2005/Atom' xml:base='https://news.example/'><title type='html'>a &lt;b&gt;b&lt;/b&gt;</title>"
    b"<entry><id>1</id><link rel='alternate' href='../a'/><updated>2025-11-15T10:00:00Z</updated></entry></feed>"
)
_JSON = b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": 1, "url": "/a", "date_published": "2025-11-15"}]}'
_SITEMAP = (
    b"<urlset xmlns:news='x'><url><loc>https://news.example/a</loc><lastmod>2025-11-15</lastmod>"
    b"<news:news><news:title>t</news:title></news:news></url></urlset>"
)
_DIRECTORY = (
    b'{"count": 1, "next": null, "results": [{"id": 1, "source": 2, "url": "https://news.example/f", "name": "n", '
    b'"admin_rss_enabled": true, "created_at": "2026-11-15T10:00:00Z"}]}'
)
_OPML = (
    b"<opml version='2.0'><body><outline text='folder'><outline type='rss' text='a' xmlUrl='https://news.example/f'/>"
    b"</outline></body></opml>"
)
_CSV = b"url,name,collections\nhttps://news.example/f,News,a;b\n"
_XML_TOKENS = (
    b"<item>", b"</item>", b"<entry>", b"<title>", b"<link>", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<?", b"?>", b"<!DOCTYPE a [",
    b"<!ENTITY a 'b'>", b"]>", b"&a;", b"&", b"&#0;", b"&#xd800;", b"&#55357;", b"&nbsp;", b"&lt;", b"xmlns:a='b'", b"\xff",
        b"\0", b"\xef\xbb\xbf",
    b"\xe9", b"encoding='utf-16'", b"<?xml version='1.0' encoding='gb18030'?>", b"https://", b"<outline", b"xmlUrl='",
        b"<url><loc>", b"<html>",
    b"99/99/9999", b"2025-11-15", b"&#" + b"9" * 5_000, MARKS * 20, b"{", b"[", b'"items":', b'"\\ud800"', b"1e999", b'"version":',
)  # fmt: skip


def _feed(body: bytes) -> ReceivedFeed:
    return ReceivedFeed(body, "https://news.example/feed", "iso-8859-2", _NOW, max_bytes=15_000_000, limit=1_000)


def _in_title(part: bytes) -> Callable[[int], bytes]:
    return repeated(part, _RSS + b"<item><title>", b"</title></item>" + _END)


FEEDS = (
    job_reader(
        "feed",
        READ_FEED,
        _feed,
        (EMPTY, HTML, NO_VERSION, TOO_LARGE),
        modules=(
            "feeds/polling/reading.py", "feeds/polling/dedupe.py",
            "feeds/formats/parse.py", "feeds/formats/xml_text.py", "feeds/formats/xml_feed.py", "feeds/formats/sitemap.py",
            "feeds/formats/json_feed.py", "feeds/formats/dates.py", "feeds/formats/titles.py", "feeds/formats/periods.py",
            "feeds/formats/soup.py", "feeds/formats/encodings.py", "feeds/formats/links.py", "feeds/formats/entry_parts.py",
            "feeds/formats/relative_links.py",
        ),
        samples=(_RSS + _ITEM * 3 + _END, _ATOM, _JSON, _SITEMAP, gzip.compress(_RSS + _ITEM + _END, mtime=0),
            _RSS.replace(b"'2.0'", b"2.0") + _ITEM),
        worst={
            "items": (repeated(_ITEM, _RSS, _END), 100),
            "items that are never closed": (repeated(b"<item><title>", _RSS), 500),
            "elements in elements": (repeated(b"<a>", _RSS), 2_000),
            "ends of nothing": (repeated(b"</item>", _RSS), 2_000),
            "brackets": (repeated(b"<", _RSS), 5_000),
            "comments": (repeated(b"<!--", _RSS), 5_000),
            "CDATA": (repeated(b"<![CDATA[", _RSS), 5_000),
            "instructions": (repeated(b"<?xml "), 2_000),
            "attributes": (numbered(b" a%d='1'", _RSS + b"<item", b"/>" + _END), 1_000),
            "one attribute": (repeated(b" a='1'", _RSS + b"<item", b"/>" + _END), 1_000),
            "namespaces": (numbered(b" xmlns:a%d='b'", b"<rss", b"><channel>" + _ITEM + _END), 500),
            "declared entities": (numbered(b"<!ENTITY e%d 'x'>", b"<!DOCTYPE a [", b"]>" + _RSS + b"&e1;" + _END), 500),
            "entities in entities": (numbered(b"<!ENTITY e%d '&e0;&e0;&e0;'>", b"<!DOCTYPE a [", b"]>" + _RSS + b"&e9;"), 500),
            "bare ampersands": (repeated(b"& ", _RSS + b"<item><title>"), 5_000),
            "names of entities": (repeated(b"&abcdefghijklmnopqrstuvwxyz", _RSS), 1_000),
            "zeros of a reference": (repeated(b"0", _RSS + b"&#", b"x"), 20_000),
            "references to zero": (repeated(b"&#x00", _RSS), 2_000),
            "half characters": (repeated(b"&#xd83d;&#xde00;&#xd83d;", _RSS + b"& <item>"), 1_000),
            "bytes of two encodings": (repeated(b"\xe9\xc3\xa9", _RSS + b"<item><title>"), 3_000),
            "markup in a title": (_in_title(b"&lt;a "), 1_000),
            "blanks in a title": (_in_title(b"&lt;a" + b" " * 50), 200),
            "references in a title": (_in_title(b"&amp;amp;"), 1_000),
            "elements in a title": (_in_title(b"<b>x</b>"), 500),
            "marks on a letter of a link": (repeated(MARKS, _RSS + b"<item><link>//a", b"</link></item>" + _END), 500),
            "links of an entry": (repeated(b"<link href='x'/>", b"<feed xmlns='http://www.w3.org/2005/Atom'><entry>",
                b"</entry></feed>"), 300),
            "fields that are never closed": (repeated(b"<title>a<link>b<guid>", _RSS), 500),
            "ends of elements above": (repeated(b"<b></title>", _RSS + b"<item><title>"), 1_000),
            "comments and their ends": (repeated(b"<!----><!--", _RSS), 2_000),
            "open quotes": (repeated(b"<a b='", _RSS), 2_000),
            "attributes of soup": (numbered(b" a%d=1", _RSS + b"<item", b">" + _ITEM), 1_000),
            "declarations of soup": (numbered(b"<a:b xmlns:a%d='c'>", _RSS), 500),
            "documents in one": (repeated(_RSS + _ITEM + _END), 100),
            "scripts in a title": (_in_title(b"&lt;script a=b&gt;"), 1_000),
            "scripts and an end": (repeated(b"&lt;script a=b&gt;", _RSS + b"<item><title>",
                b"&lt;/style&gt;</title></item>" + _END), 1_000),
            "authors of an entry": (numbered(b"<author>a%d</author>", _RSS + b"<item>", b"</item>" + _END), 300),
            "enclosures of an entry": (numbered(b"<enclosure url='http://a.example/%d'/>", _RSS + b"<item>", b"</item>" + _END),
                300),
            "markup of a content": (repeated(b"<b>x</b>", b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><content>",
                b"</content></entry></feed>"), 500),
            "schemes of a link": (repeated(b"http:/", _RSS + b"<item><link>", b"</link></item>" + _END), 2_000),
            "blanks of a link": (repeated(b" \n a", _RSS + b"<item><link>http://a.example/", b"</link></item>" + _END), 2_000),
            "letters of no encoding": (repeated(b"\xc7\xd1\xb1\xdb\x82", _RSS + b"<item><title>"), 2_000),
            "bases": (repeated(b"<entry xml:base='b/'><link href='x'/></entry>", b"<feed>", b"</feed>"), 150),
            "blanks before": (repeated(b" ", b"", _RSS), 100_000),
            "blanks and comments before": (repeated(b" ", b"<?xml?><!-- -->", b"x"), 50_000),
            "addresses of a sitemap": (repeated(b"<url><loc>https://news.example/a</loc></url>", b"<urlset>", b"</urlset>"), 200),
            "objects": (repeated(b'{"url":"/a","id":"1"},', b'{"version":"https://jsonfeed.org/version/1","items":[', b"{}]}"),
                150),
            "objects in objects": (repeated(b'{"a":'), 5_000),
            "lists in lists": (repeated(b"[", b'{"version":"1","items":'), 5_000),
            "digits": (repeated(b"9", b'{"version":', b"}"), 5_000),
            "half characters of JSON": (repeated(b"\\ud800", b'{"version":"', b'"}'), 5_000),
            "packed": (lambda count: gzip.compress(_RSS + _ITEM * count + _END, 1), 100),
            "packed in members": (repeated(gzip.compress(b"", mtime=0)), 2_000),
        },
        tokens=_XML_TOKENS,
        share=8,
        containers=(gzip.compress, lambda data: data.decode("utf-8", "replace").encode("utf-16")),
    ),
    ForeignReader(
        name="OPML",
        modules=("feeds/catalogue/opml.py",),
        read=read_opml,
        samples=(_OPML, _OPML.replace(b"opml", b"OPML")),
        worst={
            "outlines": (repeated(b"<outline xmlUrl='https://news.example/f'/>", b"<opml><body>", b"</body></opml>"), 200),
            "outlines in outlines": (repeated(b"<outline text='a' xmlUrl='http://a.example/'>", b"<opml><body>"), 300),
            "folders of folders": (lambda n: b"<opml><body>" + (b"<outline text='a'>" * 200 + b"</outline>" * 200) * n, 10),
            "collections of one feed": (numbered(b"<outline xmlUrl='http://a.example/' category='c%d'/>", b"<opml><body>"), 200),
            "long names": (repeated(b"a", b"<opml><body><outline text='", b"'><outline xmlUrl='http://a.example/'/></outline>"),
                20_000),
            "brackets": (repeated(b"<", b"<opml>"), 5_000),
        },
        errors=(UsageError,),
        tokens=_XML_TOKENS,
        share=4,
        containers=(gzip.compress,),
    ),
    ForeignReader(
        name="list of feeds",
        modules=("feeds/catalogue/csv_lists.py",),
        read=read_feeds_csv,
        samples=(_CSV, b"https://news.example/f\nhttps://news.example/g\n", gzip.compress(_CSV, mtime=0)),
        worst={
            "rows": (repeated(b"https://news.example/f,n,c\n", b"url,name,collections\n"), 500),
            "cells": (repeated(b",", b"url\n"), 20_000),
            "quotes": (repeated(b'"', b"url\n"), 20_000),
            "an open quote": (repeated(b"a\n", b'url\n"'), 10_000),
            "collections": (repeated(b"a;", b"url,collections\nhttp://a.example/,"), 5_000),
            "folders": (repeated(b"a\\/", b"url;folders\nhttp://a.example/;"), 5_000),
            "empty rows": (repeated(b"\n", b"url\n"), 10_000),
        },
        errors=(UsageError,),
        tokens=(b'"', b",", b"\n", b"\r", b"\0", b";", b"url", b"id", b"99999999999999999999", b"=1+1", b"'=", b"\xff"),
        share=4,
        containers=(gzip.compress,),
    ),
    ForeignReader(
        name="directory of feeds",
        modules=("feeds/catalogue/directory_form.py",),
        read=read_directory,
        samples=(_DIRECTORY, b"[]"),
        worst={
            "rows": (repeated(b'{"id": 1, "url": "http://a.example/"},', b"[", b'{"url": "x"}]'), 500),
            "names": (repeated(b"a ", b'[{"url": "x", "name": "', b'"}]'), 5_000),
            "nested": (repeated(b"[", b'{"results": '), 1_000),
            "numbers": (repeated(b"9", b'[{"url": "x", "id": ', b"}]"), 2_000),
        },
        errors=(UsageError,),
        tokens=(b"{", b"}", b"[", b"]", b'"', b":", b",", b"null", b'"url"', b'"id"', b'"source"', b"1e999", b"\\ud800", b"\xff"),
        share=2,
    ),
)  # fmt: skip
