"""Readers of pages and style sheets, and of what is in them."""

from __future__ import annotations

from datetime import UTC, datetime

from tearsheet.archive.inert import make_inert
from tearsheet.extract import as_utf8, extract, parse
from tearsheet.feeds.catalogue.discovery import READ_ROBOTS, READ_SITE_PAGE, ReceivedDocument
from tearsheet.ingest.css import rewrite_css, sheet_text
from tearsheet.ingest.file_facts import file_meta, sniff_type
from tearsheet.ingest.reading import READ_PAGE, READ_SHEET, ReceivedPage, ReceivedSheet
from tearsheet.ingest.replay import self_contained
from tearsheet.story import Story, encode_story
from tearsheet.topics.spider.reading import READ_LINKED_PAGE, READ_LINKS, LinkedPage
from tearsheet.topics.spider.reading import ReceivedPage as MinedPage
from tests.support.foreign.http import MARKS
from tests.support.foreign.model import ForeignReader, job_reader, numbered, repeated

_URL = "https://news.example/2025/11/story"
_PAGE = (
    "<!doctype html><html lang=en><head><meta charset=utf-8><title>Climate strike | News</title><base href='/a/'>"
    "<meta name=author content='A. Writer and B. Writer'><meta property='og:title' content='Climate &amp; strike'>"
    "<script type='application/ld+json'>{\"@type\":\"NewsArticle\",\"datePublished\":\"2025-11-15\","
    "\"author\":[{\"name\":\"A. Writer\"}]}</script>"
    "<link rel=stylesheet href=s.css><style>p{background:url(p.png)}</style></head><body><nav><a href=/x>Home</a></nav>"
    "<article><h1>Climate strike</h1><time datetime=2025-11-15>15 November 2025</time><p>"
    + "Tens of thousands of people took to the streets. " * 6 +
    "<p>" + "Die grüne Wende ist möglich, sagten viele. " * 5 +
    "<a href='https://other.example/a'>link</a><img srcset='a.png 1x, b.png 2x'>"
    "<table><tr><td>1<td>2</table><ul><li>one<li>two</ul><iframe src=/f></iframe></article><!-- end --></body></html>"
).encode()  # fmt: skip
_SMALL = b"<title>t</title><p>A few words that are long enough to be a text of some kind.</p>"
_SHEET = b"@charset \"utf-8\";@import 'a.css';p{background:url( \"b.png\" )}@font-face{src:url(c.woff2)}/* */e{f:image-set('g' 1x)}"
_HTML_TOKENS = (
    b"<p>", b"</p>", b"<div>", b"<table>", b"<tr><td>", b"<b>", b"<i></b>", b"<font>", b"<a href=", b"<svg>", b"<math>",
        b"<template>", b"<select>",
    b"<!--", b"-->", b"<script>", b"</script>", b"<style>", b"<noscript>", b"<![CDATA[", b"<meta ", b"<title>", b"&", b"&#",
        b"&#x110000;", b"&notit;",
    b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"charset=", b"charset=utf-16", b"charset=iso-2022-jp",
        b"\x1b$B", b"'", b'"', b"=", b" ",
    b"<iframe srcdoc='", b"<form>", b"<plaintext>", b"<frameset>", b"http-equiv=refresh content='0;url=", b"<h1>", b"<li>",
        b"15.11.2025", b"by ",
    b"application/ld+json", b'{"@graph":[', b"datePublished", b"10.1234/abc", b"srcset=", b"style='", b"url(", b"\\",
        b"&#" + b"9" * 5_000, MARKS * 20,
    b'"headline":"', b"\\ud83d", b",}",
)  # fmt: skip


def _page(body: bytes) -> ReceivedPage:
    return ReceivedPage(body, _URL, None, [])


def _linked(body: bytes) -> LinkedPage:
    return LinkedPage(_mined(body), 'climate AND (strike OR "green deal") AND grün*', assume_match=len(body) % 2 == 0)


def _mined(body: bytes) -> MinedPage:
    return MinedPage(body, _URL, None)


def _story(body: bytes) -> object:
    """As the parser of a pipeline reads it: whatever is found has to fit into a message."""
    found = extract(body, _URL)
    encode_story(Story(content_metadata=found))
    return found


def _sheet(body: bytes) -> ReceivedSheet:
    return ReceivedSheet(body, _URL, None, _URL, "utf-8", limit=5_000)


def _rewritten(body: bytes) -> object:
    return rewrite_css(sheet_text(body, None), lambda kind, address: "data:," if kind == "image" else None)


def _encodings(body: bytes) -> object:
    return [
        as_utf8(body, charset)
        for charset in (None, "iso-2022-jp", "gb18030", "utf-16", "windows-1252", "big5", "euc-kr")
    ]


def _site(body: bytes) -> ReceivedDocument:
    return ReceivedDocument(body, _URL, None, datetime(2026, 1, 1, tzinfo=UTC))


def _tree(body: bytes) -> object:
    return len(parse(body).css("*"))


_MARKUP = {
    "paragraphs": (repeated(b"<p>some words that are read</p>"), 100),
    "words": (repeated(b"word ", b"<p>"), 3_000),
    "one word": (repeated(b"a", b"<p>"), 20_000),
    "marks on a letter": (repeated(MARKS, b"<title>a", b"</title><p>words"), 500),
    "marks in the text": (repeated(MARKS, b"<p>words and words a"), 500),
    "elements in elements": (repeated(b"<div>"), 150),
    "lists in lists": (repeated(b"<ul><li>a"), 60),
    "tables in tables": (repeated(b"<table><tr><td>"), 40),
    "links": (numbered(b"<a href='/%d'>a</a>"), 200),
    "marks on a letter of a link": (repeated(MARKS, b"<p><a href='//a", b"'>x</a>"), 500),
    "bold in bold": (repeated(b"<b><i></b>"), 100),
    "attributes": (numbered(b" a%d=1", b"<p", b">"), 300),
    "one attribute": (repeated(b" a=1", b"<p", b">"), 1_000),
    "names of elements": (numbered(b"<e%d>"), 150),
    "comments": (repeated(b"<!--"), 2_000),
    "references": (repeated(b"&amp;", b"<p>"), 2_000),
    "digits of a reference": (repeated(b"9", b"<title>&amp;#", b"</title><p>x"), 1_000),
    "blanks of a title": (repeated(b" \t", b"<title>a", b"b</title>"), 5_000),
    "bars of a title": (repeated(b"a | ", b"<title>", b"</title>"), 500),
    "blanks of a charset": (repeated(b" ", b"<meta charset=", b"!>"), 400),
    "authors": (repeated(b"a and ", b"<meta name=author content='", b"'>"), 300),
    "dates": (repeated(b"1.1.2025 ", b"<p class=date>"), 300),
    "months": (repeated(b"May ", b"<p class=date>"), 500),
    "digits": (repeated(b"1 ", b"<p class=date>"), 2_000),
    "data": (repeated(b"[", b"<script type='application/ld+json'>", b"</script>"), 2_000),
    "objects of data": (repeated(b'{"@type":"NewsArticle","author":[{"name":"x"}]},', b"<script type='application/ld+json'>[",
        b"1]</script>"), 100),
    "commas of data": (repeated(b", ", b"<script type='application/ld+json'>{", b"</script>"), 2_000),
    "dates of a script": (repeated(b'":"2025-01-01', b"<script>", b"</script>"), 500),
    "pictures": (repeated(b"a 1x,", b"<img srcset='", b"'>"), 300),
    "styles": (repeated(b"url(", b"<p style='", b"'>"), 500),
    "noscripts": (repeated(b"<noscript><img src=a></noscript>"), 30),
    "headings": (repeated(b"<h1>a</h1>"), 150),
    "refreshes": (repeated(b" ", b"<meta http-equiv=refresh content='0", b"'>"), 3_000),
    "what looks like our own": (repeated(b'a="b" ', b"<meta content='x\" ", b"'>"), 200),
}  # fmt: skip
_SOME_MARKUP = {name: _MARKUP[name] for name in (
    "paragraphs", "marks on a letter of a link", "elements in elements", "links", "attributes", "names of elements",
        "bold in bold", "comments",
    "what looks like our own", "blanks of a charset",
)}  # fmt: skip
_STYLES = {
            "addresses": (repeated(b"url(a)"), 500),
            "addresses that are never closed": (repeated(b"url("), 1_000),
            "quotes": (repeated(b"url(\""), 1_000),
            "backslashes": (repeated(b"url(\\"), 1_000),
            "addresses, no two alike": (numbered(b"url(a%d)"), 200),
    "escapes": (repeated(b"\\aaaaaa", b"url("), 2_000),
            "comments": (repeated(b"/*"), 10_000),
            "imports": (repeated(b"@import "), 2_000),
            "sets": (repeated(b"image-set("), 2_000),
            "brackets": (repeated(b"("), 10_000),
            "blanks": (repeated(b" ", b"url("), 50_000),
        }  # fmt: skip
_STYLE_TOKENS = (b"url(", b")", b"'", b'"', b"\\", b"\\a", b"\n", b"/*", b"*/", b"@import ", b"@namespace ", b"image-set(", b";",
            b"{", b"}", b"\0", b"\xff", b"data:", b"@charset \"")  # fmt: skip
PAGES = (
    job_reader(
        "page of an ingest",
        READ_PAGE,
        _page,
        ("html-selectolax-error",),
        modules=(
            "ingest/reading.py", "ingest/tei.py", "ingest/biblio.py", "ingest/hops.py", "ingest/scopes.py", "ingest/resources.py",
            "ingest/fulltext_links.py", "ingest/platforms.py", "extract/head.py", "extract/dates.py", "extract/names.py",
                "extract/authors.py",
            "extract/document.py", "extract/blocks.py", "extract/features.py", "extract/text.py", "extract/language.py",
                "foreign_text.py",
        ),
        samples=(_PAGE, _SMALL, b""),
        worst=_MARKUP,
        tokens=_HTML_TOKENS,
        seconds=2.0,
        containers=(lambda data: data.decode("utf-8", "replace").encode("utf-16"), lambda data: data.decode("utf-8",
            "replace").encode("cp1252", "replace")),
    ),
    ForeignReader(
        name="page of a story",
        modules=("extract/article.py",),
        read=_story,
        samples=(_PAGE, _SMALL, b""),
        worst=_SOME_MARKUP,
        tokens=_HTML_TOKENS,
        seconds=2.0,
    ),
    job_reader(
        "page of a spider",
        READ_LINKED_PAGE,
        _linked,
        modules=(
            "topics/spider/reading.py", "topics/spider/web_story.py", "topics/spider/relevance.py", "topics/spider/spellings.py",
        ),
        samples=(_PAGE, _SMALL, b""),
        worst=_SOME_MARKUP | {"escapes": (repeated(b"\\u0067r\\u00fcn", b"<p>"), 500)},
        tokens=_HTML_TOKENS,
        seconds=2.0,
    ),
    job_reader(
        "links of a page",
        READ_LINKS,
        _mined,
        modules=("topics/spider/reading.py", "topics/spider/links.py", "topics/spider/addresses.py"),
        samples=(_PAGE, _SMALL, b""),
        worst=_SOME_MARKUP | {"addresses in the text": (repeated(b"https://a.example/b ", b"<p>"), 100)},
        tokens=_HTML_TOKENS,
        seconds=2.0,
    ),
    ForeignReader(
        name="page that is replayed",
        modules=("ingest/replay.py", "archive/inert.py"),
        read=lambda body: len(self_contained(body, _URL, lambda address: None)),
        samples=(_PAGE, _SMALL, b""),
        worst=_SOME_MARKUP | {"style sheets": (repeated(b"<link rel=stylesheet href=a>"), 100),
            "frames": (repeated(b"<iframe src=a></iframe>"), 100)},
        tokens=_HTML_TOKENS,
        share=2,
        seconds=2.0,
    ),
    ForeignReader(
        name="page made inert",
        modules=("archive/inert.py",),
        read=make_inert,
        samples=(_PAGE, b"<link rel=preconnect href=a><a ping=b src = data:x>"),
        worst={
            "links": (repeated(b"<link ping src"), 5_000),
            "blanks after a name": (repeated(b" ", b" ping"), 50_000),
            "names and blanks": (repeated(b" ping ping\t"), 5_000),
            "blanks after an equals sign": (repeated(b" ", b" src="), 50_000),
        },
        tokens=_HTML_TOKENS,
        share=4,
    ),
    ForeignReader(
        name="tree",
        modules=("extract/guard.py",),
        read=_tree,
        samples=(_PAGE, _SMALL, b""),
        worst=_SOME_MARKUP | {
            "copied elements": (lambda n: b"<font>" * n + b"<p>" * n, 100),
            "copied elements, many": (lambda n: b"<p><font>" * n, 4_000),
            "elements closed from afar": (lambda n: b"<a>" * n + b"</b>" * n, 1_000),
            "foreign elements": (repeated(b"<svg><g a='b' />"), 1_000),
            "tags without an end": (repeated(b"<a b=\"c\" "), 5_000),
        },
        tokens=_HTML_TOKENS,
        share=4,
        seconds=2.0,
    ),
    ForeignReader(
        name="encoding",
        modules=("extract/encoding.py",),
        read=_encodings,
        samples=(_PAGE, "Größe".encode("cp1252"), "日本語".encode("iso-2022-jp"), b""),
        worst={
            "bytes of no encoding": (repeated(b"\xff"), 5_000),
            "bytes of two encodings": (repeated(b"\xc3\xa9\xff"), 3_000),
            "shifts": (repeated(b"\x1b$B\x1b(B"), 2_000),
            "four bytes": (repeated(b"\x81\x30\x81\x30"), 3_000),
            "blanks of a charset": (repeated(b" ", b"<meta charset=", b"!>"), 400),
            "charsets": (repeated(b"<meta charset charset "), 180),
        },
        tokens=(b"\x1b$B", b"\x1b(J", b"~{", b"\x0e", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x81\x30", b"\xed\xa0\x80",
            b"<meta charset='", b"koi8-r'>", b"\xa1\xa1", b"\0"),
        share=2,
    ),
    job_reader(
        "style sheet",
        READ_SHEET,
        _sheet,
        modules=("ingest/css.py", "ingest/reading.py", "ingest/resources.py"),
        samples=(_SHEET, b"", b"\xef\xbb\xbf" + _SHEET),
        worst=_STYLES,
        tokens=_STYLE_TOKENS,
        share=4,
    ),
    ForeignReader(
        name="style sheet that is replayed",
        modules=("ingest/css.py",),
        read=_rewritten,
        samples=(_SHEET, b"", b"\xef\xbb\xbf" + _SHEET),
        worst=_STYLES,
        tokens=_STYLE_TOKENS,
        share=4,
    ),
    ForeignReader(
        name="kind of file",
        modules=("ingest/file_facts.py",),
        read=lambda body: (sniff_type(body, "text/plain"), file_meta(body, "text/plain")),
        samples=(_PAGE, b"%PDF-1.4", b"RIFF\0\0\0\0WEBP", b"<\0h\0t\0m\0l\0"),
        worst={"comments": (repeated(b"<!---->"), 20_000), "zeros": (repeated(b"\0"), 100_000)},
        tokens=(b"<!--", b"-->", b"<?xml ", b"<html", b"<article>", b"ftyp", b"\xff\xfe", b"\0", b"PK\x03\x04"),
        share=4,
    ),
    job_reader(
        "page with feeds",
        READ_SITE_PAGE,
        _site,
        modules=("feeds/catalogue/discovery.py",),
        samples=(_PAGE, b"<link rel=alternate type='application/rss+xml' href=/feed><a href=/rss>RSS</a>",
            b"Sitemap: https://news.example/s.xml\n"),
        worst={
            "feeds": (numbered(b"<link rel=alternate type='application/rss+xml' href=/%d>"), 100),
            "links": (numbered(b"<a href=/rss%d>RSS</a>"), 100),
            "marks on a letter of a link": (repeated(MARKS, b"<a href='//a", b"/rss'>RSS</a>"), 500),
            "elements in elements": (repeated(b"<div>"), 150),
        },
        tokens=(*_HTML_TOKENS, b"rel=alternate", b"type='application/atom+xml'", b"Sitemap:", b"/feed", b"\n"),
        share=2,
    ),
    job_reader(
        "robots.txt with sitemaps",
        READ_ROBOTS,
        _site,
        modules=("feeds/catalogue/discovery.py",),
        samples=(b"Sitemap: https://news.example/s.xml\n", b""),
        worst={"sitemaps": (numbered(b"Sitemap: /%d\n"), 300), "lines": (repeated(b"\n"), 10_000)},
        tokens=(b"Sitemap:", b"http://", b"//", b"\n", b":", b"\xff", MARKS * 20),
        share=2,
    ),
)  # fmt: skip
