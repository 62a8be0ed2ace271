"""The pure parts of the ingest: rules by example, and parsers that take anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tearsheet.errors import UsageError
from tearsheet.extract import Document
from tearsheet.ingest.biblio import clean_doi, clean_isbn13, clean_issn, html_biblio, release_time
from tearsheet.ingest.css import css_references, rewrite_css
from tearsheet.ingest.file_facts import HTML_TYPES, sniff_type
from tearsheet.ingest.hops import clean_url, next_hop, refusal, same_page, terminal_refusal
from tearsheet.ingest.model import Biblio, result_schema
from tearsheet.ingest.names import Names, bucket_url, tei_key
from tearsheet.ingest.requests import read_request
from tearsheet.ingest.resources import is_unwanted, page_references, srcset_addresses
from tearsheet.ingest.scopes import Seen, scope_of
from tearsheet.ingest.statuses import status_of_code
from tearsheet.ingest.tei import html_body, tei_xml
from tests.support.ingest_checks import SCHEMA, check_tei

MARKUP = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from(
            "<meta name=citation_date content='20|<meta property=og:title content=x>|<base href=//|<img srcset='a 1x,|"
            "<style>@import|"
            "url(|<iframe src=|<meta http-equiv=refresh content='0;url=|<script type=application/ld+json>{|</script>|<p>|</p>|'>|"
            "<h1>|<li>|\x00|\ud800|<td background=|<link rel=stylesheet href=|&#0;|]]>|<!--|--!>".split("|")
        ),
    ),
    max_size=40,
).map("".join)


def test_the_published_schema_is_the_one_of_the_program():
    assert json.loads(SCHEMA.read_text()) == result_schema()
    assert Path(SCHEMA).read_text().endswith("}\n")


@settings(max_examples=150)
@given(MARKUP)
def test_any_page_can_be_looked_at_and_written_as_tei(markup):
    document = Document(markup, "http://a.example/x/y")
    biblio = html_biblio(document)
    html_body(document, biblio)
    check_tei(tei_xml(document, biblio))
    for reference in page_references(document):
        assert reference.url.startswith(("http://", "https://"))
    next_hop(document, biblio.html_fulltext_url, ["http://a.example/x/y"])


@given(st.text(alphabet="ab,. ()'\"1xw\n", max_size=60))
def test_any_srcset_ends(text):
    assert all(address and not address.endswith(",") for address in srcset_addresses(text) if address.strip(","))


@pytest.mark.parametrize(
    ("srcset", "addresses"),
    [
        ("a.png", ["a.png"]),
        ("a.png 1x, b.png 2x", ["a.png", "b.png"]),
        ("a.png,b.png 2x", ["a.png,b.png"]),
        ("a.png, b.png", ["a.png", "b.png"]),
        (" a,b.png 100w ,\n c.png 200w", ["a,b.png", "c.png"]),
        ("data:image/gif;base64,R0 1x, b.png", ["data:image/gif;base64,R0", "b.png"]),
        ("a.png calc(1px, 2px), b.png", ["a.png", "b.png"]),
        ("", []),
        (" , ,", []),
    ],
)
def test_srcset(srcset, addresses):
    assert [address for address in srcset_addresses(srcset) if address] == addresses


def test_style_sheets():
    text = """@import "a.css"; @IMPORT url(b.css) print; /* url(no.png) */ p { background: URL( 'c d.png' ) }
    @font-face { src: url(f.woff2?x#y), url("data:font/woff,x") } q { cursor: url() } @import 'unclosed"""
    assert list(css_references(text)) == [
        ("stylesheet", "a.css"),
        ("stylesheet", "b.css"),
        ("image", "c d.png"),
        ("font", "f.woff2?x#y"),
        ("image", "data:font/woff,x"),
    ]
    sheet = "a{b:url('c') url(c;v=1)}@import \"d\";@import url( d );q{r:image-set('c' 1x)}"
    new = {("image", "c"): "C", ("stylesheet", "d"): "D", ("image", "c;v=1"): "V"}
    assert (
        rewrite_css(sheet, lambda kind, address: new.get((kind, address)))
        == "a{b:url('C') url(V)}@import \"D\";@import url( D );q{r:image-set('C' 1x)}"
    )


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("a{b:url(/i;jsessionid=1.png)}", ["/i;jsessionid=1.png"]),
        (r"a{b:url(a\(1\).png)}", ["a(1).png"]),
        (r'a{b:url("a\"b.png")}', ['a"b.png']),
        (r"a{b:url(\61 .png)}", ["a.png"]),
        (
            r"a{b:url(\0.png) url(\d800.png) url('x\
y.png')}",
            ["\ufffd.png", "\ufffd.png", "xy.png"],
        ),
        ("@namespace url(http://www.w3.org/1999/xhtml); a{b:url(c)}", ["c"]),
        ("""a{content:"url(no.png)"; b:url(c)}""", ["c"]),
        ("""a{content:"/*"; b:url(c)} d{content:"*/"}""", ["c"]),
        ("""a{content:'it"s'; b:url(c)}""", ["c"]),
        ("""a{b:image-set("c" type("image/avif") 1x, url(d) 2x); content:"no"}""", ["c", "d"]),
        ("""a{b:-webkit-image-set( 'c' 1x) "no"}""", ["c"]),
        ("@import/**/url(c)layer(x) supports(display:grid);a{content:'no'}", ["c"]),
        ("@media print{@import 'c'} @charset 'utf-8'; @layer x;", ["c"]),
        ("a{b:url('c", []),
        ("a{b:url('c\n) d:url(e)", ["e"]),
        ("a{b:url(" + "c" * 4001 + ") d:url(e)}", ["e"]),
    ],
)
def test_what_a_style_sheet_names(text, addresses):
    assert [address for _, address in css_references(text)] == addresses


@given(st.text(alphabet="@import url('\")(/*; a", max_size=200))
def test_any_style_sheet_can_be_read(text):
    assert rewrite_css(text, lambda kind, address: None) == text


def test_patterns_stay_linear():
    for text in (
        "url(" * 50_000,
        "@import " * 50_000,
        "/*" * 100_000,
        "@import url( " + " " * 100_000,
        "'" * 100_000,
        '"' + "\\'" * 50_000,
        '"' + '\\"' * 50_000,
        "url('\\'" * 30_000,
    ):
        list(css_references(text))
    list(srcset_addresses("a (" * 6_000))
    list(srcset_addresses("," * 20_000))


@pytest.mark.parametrize(
    ("url", "cleaned"),
    [
        (" http://A.example ", "http://a.example/"),
        ("https://https://a.example/x", "https://a.example/x"),
        ("http://a.example:/x", "http://a.example/x"),
        ("http://a.example:80/x y#f", "http://a.example/x%20y"),
    ],
)
def test_addresses_are_repaired(url, cleaned):
    assert clean_url(url) == cleaned


def test_same_page():
    assert same_page("http://www.a.example/x/", "https://a.example/x#top")
    assert not same_page("http://a.example/x", "http://a.example/X")
    assert not same_page("http://a.example/x?a", "http://a.example/x")
    assert not same_page("http://a.example:81/x", "http://a.example/x")


def test_block_lists_are_about_hosts_not_about_letters():
    assert refusal("http://www.orcid.org/1") == "skip-url-blocklist"
    assert refusal("http://a.example/about-orcid.org") is None
    assert refusal("http://notorcid.org/") is None
    assert terminal_refusal("http://login.bepress.com/x") == "blocked-wall"


@pytest.mark.parametrize(
    ("values", "day", "year"),
    [
        (["2020"], None, 2020),
        (["2020-9"], None, 2020),
        (["", "2020/09/10"], "2020-09-10", 2020),
        (["20200115"], "2020-01-15", 2020),
        (["2019/13/40"], None, 2019),
        (["yesterday"], None, None),
        (["Jul-Aug 2002"], None, 2002),
        (["0020"], None, None),
    ],
)
def test_release_time(values, day, year):
    assert release_time(values) == (day, year)


def test_identifiers():
    assert clean_doi("DOI: 10.1234/Ab.c).") == "10.1234/ab.c"
    assert clean_doi("10.12/x") is None
    assert clean_issn("ISSN 1234567x") == "1234-567X"
    assert clean_isbn13("978-0-306-40615-7") == "9780306406157"
    assert clean_isbn13("978-0-306-40615-8") is None


@pytest.mark.parametrize(
    ("body", "stated", "kind"),
    [
        (b"<!DOCTYPE html><p>", "text/plain; x", "text/plain"),
        (b"<!DOCTYPE html><p>", None, "text/html"),
        (b"\n\n<!-- c --><HTML>", "application/octet-stream", "text/html"),
        (b"plain words", "text/html", "text/html"),
        (b"plain words", None, "text/plain"),
        (b"%PDF-1.7", "text/html", "application/pdf"),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', "text/html", "application/xhtml+xml"),
        (b'<?xml version="1.0"?><article dtd="x">', "text/xml", "application/jats+xml"),
        (b"<svg xmlns=x>", None, "image/svg+xml"),
        (b"\xff\xfe<\x00h\x00t\x00m\x00l\x00", "text/html", "text/html"),
        ("\n <html>日本".encode("utf-16-le"), "text/html; charset=utf-16le", "text/html"),
        ("<html>日本".encode("utf-16-be"), "text/html", "text/html"),
        ("日本".encode("utf-16"), "text/plain", "text/plain"),
        (b"RIFF0000WEBPVP8", None, "image/webp"),
        (b"\x00\x01\x02" * 50, "text/html", "application/octet-stream"),
        (b"", None, "text/plain"),
    ],
)
def test_sniffed_types(body, stated, kind):
    assert sniff_type(body, stated) == kind
    assert (kind in HTML_TYPES) == kind.endswith(("html", "xhtml+xml"))


def seen(**more: Any) -> Seen:
    facts: dict[str, Any] = {
        "url": "http://a.example/x/y",
        "biblio": Biblio(),
        "platform": None,
        "word_count": 0,
        "visible": "",
        "markup": "",
    }
    return Seen(**(facts | more))


@pytest.mark.parametrize(
    ("words", "platform", "scope"),
    [
        (19, None, "stub"), (20, None, "unknown"), (500, "wordpress", "unknown"), (501, "blogger", "article-fulltext"),
        (1200, None, "unknown"), (1201, None, "article-fulltext"), (600, "ojs", "other"),
    ],
)  # fmt: skip
def test_thresholds_of_words(words, platform, scope):
    assert scope_of(seen(word_count=words, platform=platform)) == scope


def test_unwanted_resources():
    assert is_unwanted("https://www.google-analytics.com/analytics.js")
    assert is_unwanted("http://a.example/favicon.ico")
    assert not is_unwanted("http://a.example/google-analytics.com.png")


def test_requests():
    request = read_request({"base_url": "http://a.example/", "edit_extra": {"x": 1}, "force_recrawl": True})
    assert (request.ingest_type, request.force_recrawl, request.raw["edit_extra"]) == ("html", True, {"x": 1})
    assert read_request({"base_url": "u", "ingest_type": "file"}).ingest_type == "pdf"
    wrongs: tuple[Any, ...] = (
        None,
        [],
        {},
        {"base_url": 1},
        {"base_url": " "},
        {"base_url": "x" * 1501},
        {"base_url": "x", "ingest_type": "video"},
        {"base_url": "http://a.example/\ud800"},
        {"base_url": "x", "edit_extra": {"y": ["\udfff"]}},
        {"base_url": "x", "edit_extra": float("nan")},
    )
    for wrong in wrongs:
        with pytest.raises(UsageError):
            read_request(wrong)


def test_names():
    names = Names("qa")
    assert (names.teixml, names.results) == ("sandcrawler-qa.html-teixml", "sandcrawler-qa.ingest-file-results")
    assert names.group("persist-result") == "sandcrawler-qa-persist-ingest"
    assert tei_key("ab" * 20) == f"html/ab/ab/{'ab' * 20}.tei.xml"
    with pytest.raises(UsageError):
        tei_key("../x")
    assert bucket_url("s3://k:s@h:1/news", "sandcrawler") == "s3://k:s@h:1/sandcrawler"
    assert bucket_url("file:///blobs", "sandcrawler") == "file:///blobs/sandcrawler"


def test_codes():
    assert [status_of_code(code) for code in (200, 226, 304, 402, 403, 410, 502)] == [
        None, "terminal-bad-status", "bad-redirect", "terminal-bad-status", "forbidden", "not-found", "remote-server-error",
    ]  # fmt: skip
