# ruff: noqa: E501 - one rule a line
"""Thirty pages and more, each of which stresses one rule."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import pytest

from tearsheet.ingest import IngestLimits
from tearsheet.ingest.model import IngestWebResult
from tests.support.ingest_checks import check
from tests.support.ingest_site import Answer, Site, prose

LONG = prose(1500)
URL = "http://a.example/x/y"


@dataclass
class Rule:
    name: str
    head: str
    body: str
    expected: dict[str, Any]
    url: str = URL


def biblio(**fields: Any) -> dict[str, Any]:
    return {f"html_biblio.{name}": value for name, value in fields.items()}


def meta(**values: str) -> str:
    return "".join(f'<meta name="{name.replace("__", ".")}" content="{value}">' for name, value in values.items())


RULES = [
    Rule("a year alone stays a year", meta(citation_date="2020"), LONG, biblio(release_year=2020, release_date=None)),
    Rule("a month gives no day", meta(citation_date="2020-09"), LONG, biblio(release_year=2020, release_date=None)),
    Rule("words before a year", meta(DC__Date="Spring 2001"), LONG, biblio(release_year=2001, release_date=None)),
    Rule("a year that is none", meta(citation_year="soon"), LONG, biblio(release_year=None)),
    Rule("a written date", meta(citation_date="Apr 22, 2019"), LONG, biblio(release_date="2019-04-22")),
    Rule("an address as DOI", meta(citation_doi="https://doi.org/10.1000/AB%2F1"), LONG, biblio(doi="10.1000/ab/1")),
    Rule("doi: in an identifier", meta(DC__Identifier="doi:10.1000/x.1"), LONG, biblio(doi="10.1000/x.1")),
    Rule("an empty duplicate hides nothing", meta(citation_title="") + meta(citation_title="T"), LONG, biblio(title="T")),
    Rule("Open Graph by property", '<meta property="og:title" content="G">', LONG, biblio(title="G")),
    Rule("PRISM", meta(prism__volume="4", prism__startingPage="7"), LONG, biblio(volume="4", first_page="7", pages="7")),
    Rule("eprints", meta(eprints__creators_name="Li, B.", eprints__type="thesis"), LONG,
         biblio(contrib_names=["Li, B."], release_type="thesis")),
    Rule("Bepress", meta(bepress_citation_title="B", bepress_citation_author="C"), LONG, biblio(title="B", contrib_names=["C"])),
    Rule("an ISBN of ten", meta(citation_isbn="0-306-40615-2"), LONG, biblio(isbn13="9780306406157", isbn="0-306-40615-2")),
    Rule("an ISBN that is wrong", meta(citation_isbn="0-306-40615-3"), LONG, biblio(isbn13=None, isbn="0-306-40615-3")),
    Rule("JSON-LD", """<script type="application/ld+json">{"@type":"ScholarlyArticle","headline":"J","author":[{"name":"N"},{"@type":"Person","givenName":"G","familyName":"F"}],
         "datePublished":"2021","isPartOf":{"@type":"PublicationIssue","issueNumber":"2","isPartOf":{"name":"Jrnl","issn":"12345678"}},
         "license":"https://cc.example/by","sameAs":"https://doi.org/10.1000/j"}</script>""", LONG,
         biblio(title="J", contrib_names=["N", "G F"], release_year=2021, issue="2", container_name="Jrnl", container_issn="1234-5678",
                license="https://cc.example/by", doi="10.1000/j", release_type="article-journal")),
    Rule("JSON-LD that is broken", '<script type="application/ld+json">{"@type": [</script>', LONG, {"status": "success"}),
    Rule("a generator without content", "<meta name=generator>", LONG, {"status": "success", "platform": None}),
    Rule("a translation is no full text", '<link rel=alternate type="text/html" hreflang=de href="/de">', LONG,
         {"status": "success", "html_biblio": None}),
    Rule("500 words of a blog", meta(generator="WordPress 6.1"), prose(600), {"scope": "article-fulltext", "platform": "wordpress"}),
    Rule("500 words of nobody", "", prose(600), {"scope": "unknown"}),
    Rule("a full text of OJS", meta(generator="Open Journal Systems 2.4", citation_title="T"), LONG,
         {"scope": "article-fulltext", "platform": "ojs"}),
    Rule("a landing page of OJS", meta(generator="Open Journal Systems 3.3", citation_title="T"), prose(300),
         {"scope": "landingpage", "platform": "ojs3", "status": "wrong-scope", "html_resources": None}),
    Rule("a stub", "", "<p>Nothing here.", {"scope": "stub"}),
    Rule("a front page", "", LONG, {"scope": "homepage-domain", "status": "wrong-scope"}, "http://a.example/"),
    Rule("an abstract with its PDF", meta(citation_title="T", citation_abstract="A", citation_pdf_url="/t.pdf"), prose(150),
         {"scope": "article-abstract"} | biblio(pdf_fulltext_url="http://a.example/t.pdf")),
    Rule("a paywall by its words", "", "<p>Subscribe to continue reading.", {"scope": "blocked-paywall", "status": "blocked-wall"}),
    Rule("a paywall by its word", '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script>',
         prose(60), {"scope": "blocked-paywall", "html_body": None}),
    Rule("an error page that says 200", "<title>404 Not Found</title>", "<p>Sorry.", {"scope": "errorpage", "status": "wrong-scope"}),
    Rule("an article about captchas", "", LONG + "<p>verify you are human</p>", {"scope": "article-fulltext"}),
    Rule("SciELO by its address", "", prose(100), {"scope": "article-fulltext", "platform": "scielo"},
         "http://www.scielo.example/scielo.php?script=sci_arttext&pid=1"),
    Rule("a late refresh is no hop", '<meta http-equiv=refresh content="300;url=/other">', LONG, {"hops": [URL], "status": "success"}),
    Rule("a refresh to itself", '<meta http-equiv=refresh content="5">', LONG, {"hops": [URL], "status": "success"}),
    Rule("a full text that is this page", meta(citation_fulltext_html_url="https://www.a.example/x/y/"), prose(300),
         {"scope": "article-fulltext", "hops": [URL]}),
]  # fmt: skip


def value_of(result: IngestWebResult, path: str) -> Any:
    value: Any = result
    for name in path.split("."):
        value = getattr(value, name) if value is not None else None
    return value


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_rule(rule):
    site = Site(otherwise=lambda path: None if path == "/robots.txt" else page)
    page = Answer(f"<!doctype html><html><head>{rule.head}</head><body>{rule.body}</body></html>".encode())
    result = check(site.run(rule.url))
    assert {path: value_of(result, path) for path in rule.expected} == rule.expected


@pytest.mark.parametrize(
    "refresh",
    ["0;URL=/next", "0; url=/next", "0;url='/next'", '0;URL="/next"', "1.5 , url = /next", "0;/next", ";url=/next"],
)
def test_a_refresh_is_a_hop_however_it_is_written(refresh):
    site = Site({"/next": Answer(LONG.encode())})
    site.page(
        "/x/y", f"<html><head><meta http-equiv='ReFresh' content='{refresh.replace(chr(39), '&#39;')}'></head></html>"
    )
    result = check(site.run(URL))
    assert (result.status, result.hops) == ("success", [URL, "http://a.example/next"])


def test_the_base_of_a_page_is_honoured():
    site = Site()
    site.page("/x/y", "<base href='http://b.example/deep/'><meta name=citation_fulltext_html_url content=full.html>")
    site.page("b.example/deep/full.html", f"<base href='/img/'>{LONG}<img src=a.png>")
    site.file("b.example/img/a.png")
    result = check(site.run(URL))
    assert result.hops == [URL, "http://b.example/deep/full.html"]
    assert [(r.url, r.status) for r in result.html_resources or ()] == [("http://b.example/img/a.png", "success")]


def test_pages_that_send_to_each_other_end():
    site = Site()
    site.page("/x/y", "<meta http-equiv=refresh content='0;url=/b'>")
    site.page("/b", f"<meta http-equiv=refresh content='0;url=/x/y'>{LONG}")
    result = check(site.run(URL))
    assert (result.status, result.hops) == ("success", [URL, "http://a.example/b"])


def test_resources_are_listed_in_order_once_and_without_what_nobody_wants():
    site = Site(
        otherwise=lambda path: Answer(b"GIF89a", headers=("Content-Type: image/gif",)) if "robots" not in path else None
    )
    site.page(
        "/x/y",
        f"""<link rel="preload stylesheet" href=a.css><link rel="alternate stylesheet" href=no.css><link rel=icon href=/favicon.ico>{LONG}
        <img src="b.gif#top"><img src=b.gif><img src="DATA:image/gif;base64,R0"><img src=" c.gif "><img src="http://https://a.example/d.gif">
        <img src="not an address"><picture><source srcset="e.gif 480w, f.gif 800w"><img src=g.gif></picture>
        <script src="//www.googletagmanager.com/gtm.js"></script><iframe src="frame.html"></iframe><object data=h.gif></object>
        <div style="background: url(i.gif)"></div><video><source src=j.mp4><track src=k.vtt></video><img src="http://10.0.0.1/l.gif">""",
    )  # fmt: skip
    result = check(site.run(URL))
    assert [(r.url.rpartition("/")[2], r.resource_type) for r in result.html_resources or ()] == [
        ("a.css", "stylesheet"), ("b.gif", "image"), ("c.gif", "image"), ("d.gif", "image"), ("g.gif", "image"), ("l.gif", "image"),
        ("j.mp4", "media"), ("k.vtt", "media"), ("h.gif", "media"), ("frame.html", "subdocument"), ("e.gif", "image"),
        ("f.gif", "image"), ("i.gif", "image"),
    ]  # fmt: skip
    assert {r.url: r.status for r in result.html_resources or ()}["http://10.0.0.1/l.gif"] == "skip-url-blocklist"


def test_pictures_that_a_script_would_show_and_those_for_readers_without_scripts_are_taken():
    site = Site(otherwise=lambda path: Answer(b"GIF89a", headers=("Content-Type: image/gif",)))
    site.page(
        "/x/y",
        f"""{LONG}<img src="data:image/gif;base64,R0" data-src=a><img data-original=b><img data-lazy-src=c>
        <picture><source data-srcset="d 1x"><img></picture><svg><image xlink:href=e /><image href=f /><use xlink:href="g#part"/></svg>
        <noscript><link rel=stylesheet href=h.css><img src=i><style>b {{ background: url(j) }}</style></noscript>
        <link rel=preload as=image imagesrcset="k 1x"><div style="background: URL(l)"></div>""",
    )  # fmt: skip
    result = check(site.run(URL, obey_robots=False))
    assert sorted(r.url.rpartition("/")[2] for r in result.html_resources or ()) == [*"abcdefg", "h.css", *"ijkl"]


@pytest.mark.parametrize("stated", ["text/css", "text/css; charset=shift_jis"])
def test_style_sheets_say_how_they_are_written(stated):
    site = Site()
    site.page(
        "/x/y",
        f"<link rel=stylesheet href=a.css><link rel=stylesheet href=b.css>{LONG}".encode("cp1251"),
        headers=("Content-Type: text/html; charset=windows-1251",),
    )
    own = b"" if "charset" in stated else b'@charset "shift_jis";'
    site.file("/x/a.css", own + "p { background: url(日本.png) }".encode("shift_jis"), stated)
    site.file("/x/b.css", "p { background: url(мир.png) }".encode("cp1251"), "text/css")  # as its page
    result = check(site.run(URL))
    assert [r.url.rpartition("/")[2] for r in result.html_resources or ()][2:] == ["日本.png", "мир.png"]


def test_a_long_page_with_its_pictures_inside_is_read_to_its_end():
    site = Site()
    picture = "A" * 14_000_000
    site.page("/x/y", f"<title>T</title><img src='data:image/png;base64,{picture}'>{LONG}<img src=/last.png>")
    result = check(site.run(URL))
    assert (result.status, [r.url for r in result.html_resources or ()]) == ("success", ["http://a.example/last.png"])
    assert result.file_meta is not None and result.file_meta.size_bytes > 14_000_000


def test_sizes_of_pictures_are_left_out_before_a_document_is_refused():
    site = Site(otherwise=lambda path: Answer(b"GIF89a") if path.endswith(".gif") else None)
    sets = "".join(f"<img src={n}.gif srcset='{n}-1.gif 1x, {n}-2.gif 2x, {n}-3.gif 3x'>" for n in range(10))
    site.page("/x/y", LONG + sets)
    assert len(check(site.run(URL, limits=IngestLimits(max_resources=40))).html_resources or ()) == 40
    assert len(check(site.run(URL, limits=IngestLimits(max_resources=39))).html_resources or ()) == 10
    assert check(site.run(URL, limits=IngestLimits(max_resources=9))).status == "too-many-resources"


def test_style_sheets_that_import_each_other_end():
    site = Site()
    site.page("/x/y", f"<style>@import 'a.css'</style>{LONG}")
    site.file("/x/a.css", b"@import url(b.css);", "text/css")
    site.file("/x/b.css", b"@import url(a.css); p { background: url('missing.png') }", "text/css")
    result = check(site.run(URL))
    assert [(r.url.rpartition("/")[2], r.status) for r in result.html_resources or ()] == [
        ("a.css", "success"),
        ("b.css", "success"),
        ("missing.png", "not-found"),
    ]


def test_150_resources_of_which_some_are_missing_and_some_are_slow_within_the_deadline():
    site = Site()
    site.page("/x/y", LONG + "".join(f"<img src=/img/{n}.png>" for n in range(150)))
    for number in range(150):
        if number % 15 != 7:
            site.file(f"/img/{number}.png", delay=30 if number % 30 == 3 else 0.05)
    started = time.monotonic()
    result = check(site.run(URL, limits=IngestLimits(seconds=60, resource_seconds=2)))
    assert time.monotonic() - started < 40
    assert (result.status, result.hit) == ("success", True)
    counts: dict[str, list[int]] = {}
    for resource in result.html_resources or ():
        counts.setdefault(resource.status, []).append(int(resource.url.rpartition("/")[2][:-4]))
    assert counts["not-found"] == list(range(7, 150, 15))
    assert counts["read-timeout"] == list(range(3, 150, 30))
    assert len(counts["success"]) == 135


def test_what_is_not_there_at_the_deadline_is_said():
    site = Site()
    site.page("/x/y", f"{LONG}<img src=/fast.png><img src=/slow.png>")
    site.file("/fast.png")
    site.file("/slow.png", delay=30)
    result = check(site.run(URL, limits=IngestLimits(seconds=3)))
    assert result.status == "success"
    assert [r.status for r in result.html_resources or ()] == ["success", "timeout"]
