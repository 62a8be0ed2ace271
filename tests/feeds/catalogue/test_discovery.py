"""Discovery: on sloppy HTML, by robots.txt, in the usual places; ranked."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.feeds.catalogue.discovery import NoSite, discover, feed_candidates, guesses, may_be_page, robots_sitemaps
from tearsheet.fetch import FetchError, FetchRequest, HostBusy, HostFailing
from tearsheet.work import ThreadReader
from tests.support.feed_fakes import NOW, FakeClient, response, rss

SLOPPY = b"""<HTML><HEAD><BASE HREF=https://news.example/base/>
<LINK REL=alternate TYPE=application/rss+xml HREF=/all.rss title=All>
<link rel="alternate" type="application/rss+xml" href="/comments/feed/" title="Comments Feed">
<link rel='feed alternate' type='application/feed+json; charset=utf-8' href=feed.json>
<link rel=stylesheet type=text/css href=/x.css>
<body><p><a href=/sport.xml>Sport</a> <a href="/about">About <a href="/feeds-we-love">x</a><a href='javascript:void(0)'>RSS</a>
<a href="http://[broken/rss">b</a>"""
NEWS = b"""<urlset xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>https://news.example/1</loc>
<n:news><n:publication_date>2026-11-14</n:publication_date></n:news></url></urlset>"""


def test_sloppy_html_is_read_as_browsers_do() -> None:
    found = [(candidate.url, candidate.score) for candidate in feed_candidates(SLOPPY, "https://news.example/")]
    assert found == [
        ("https://news.example/all.rss", 100),
        ("https://news.example/base/feed.json", 100),
        ("https://news.example/sport.xml", 60),
        ("https://news.example/comments/feed/", 50),
        ("https://news.example/feeds-we-love", 40),
    ]


def test_robots_and_usual_places() -> None:
    robots = "User-agent: *\nSITEMAP : /sitemap.xml\nSitemap: https://news.example/gnews/news.xml\nDisallow: /x"
    assert [c.url for c in robots_sitemaps(robots, "https://news.example/")] == [
        "https://news.example/gnews/news.xml",
        "https://news.example/sitemap.xml",
    ]
    urls = [candidate.url for candidate in guesses("https://news.example/sport/football?x=1")]
    assert "https://news.example/feed" in urls
    assert "https://news.example/sport/football/feed" in urls


def site(pages: dict[str, bytes]):
    def answer(request: FetchRequest):
        path = request.url.removeprefix("https://news.example")
        if path not in pages:
            return response(b"<html>nothing here", 404)
        return response(pages[path])

    return FakeClient(answer)


def find(client: FakeClient, url: str = "https://news.example/"):
    return asyncio.run(discover(client, ThreadReader(), url, now=NOW))


def test_feeds_are_fetched_read_and_ranked() -> None:
    client = site(
        {
            "/": SLOPPY,
            "/all.rss": rss("https://news.example/1", title="All the news"),
            "/comments/feed/": rss("https://news.example/1#c1"),
            "/sport.xml": b"<html>moved",
            "/robots.txt": b"Sitemap: https://news.example/news-map.xml",
            "/news-map.xml": NEWS,
        }
    )
    found = find(client)
    assert [(feed.url, feed.version) for feed in found] == [
        ("https://news.example/all.rss", "rss 2.0"),
        ("https://news.example/news-map.xml", "news sitemap"),
        ("https://news.example/comments/feed/", "rss 2.0"),
    ]
    assert (found[0].title, found[0].entries) == ("All the news", 1)
    assert found[1].newest is not None


def test_usual_places_are_tried_when_the_page_says_nothing() -> None:
    client = site({"/": b"<html>hello", "/atom.xml": rss("https://news.example/1")})
    assert [feed.url for feed in find(client, "news.example/")] == ["https://news.example/atom.xml"]
    assert len(client.requests) < 50


def test_a_feed_is_its_own_answer() -> None:
    client = site({"/rss": rss("https://news.example/1")})
    [found] = find(client, "https://news.example/rss")
    assert found.how == "it is a feed itself"
    assert len(client.requests) == 1


@pytest.mark.parametrize("answer", [FetchError("connect", "refused"), response(b"", 500)])
def test_a_site_that_cannot_be_had(answer) -> None:
    with pytest.raises(NoSite):
        find(FakeClient(lambda _: answer))


@given(st.binary(max_size=300))
def test_any_page_can_be_read(html: bytes) -> None:
    feed_candidates(html, "https://news.example/")


def test_a_feed_that_is_shown_to_readers_without_scripts_is_found():
    page = b"<body><noscript><a href=/rss.xml>RSS</a></noscript>"
    assert [candidate.url for candidate in feed_candidates(page, "https://news.example/")] == [
        "https://news.example/rss.xml"
    ]


def test_a_page_that_is_nested_without_end_takes_no_time():
    started = time.process_time()
    feed_candidates(b"<div>" * 200_000 + b"<a href=/rss.xml>RSS</a>", "https://news.example/")
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("https://paper.example/", True),
        ("https://paper.example/news/local?page=2", True),
        ("https://rss.example/", True),
        ("https://paper.example/feed", False),
        ("https://paper.example/news.RSS", False),
        ("https://paper.example/?feed=rss2", False),
        ("https://paper.example/sitemap-news.xml", False),
    ],
)
def test_an_address_that_is_called_like_a_feed_is_no_page(url, page):
    assert may_be_page(url) is page


def test_a_declared_feed_is_enough_and_nothing_else_is_asked() -> None:
    page = b'<link rel="alternate" type="application/rss+xml" href="/all.rss"><a href="/sport.rss">Sport</a>'
    pages = {"/": page, "/all.rss": rss("https://news.example/1"), "/sport.rss": rss("https://news.example/2")}
    asked: list[str] = []

    def look() -> list[str]:
        asked.clear()
        looking = discover(
            site(pages), ThreadReader(), "https://news.example/", now=NOW, one_declared=True, asking=asked.append
        )
        return [feed.url for feed in asyncio.run(looking)]

    assert look() == asked == ["https://news.example/all.rss"]
    del pages["/all.rss"]
    assert look() == ["https://news.example/sport.rss"]
    places = ["https://news.example/all.rss", "https://news.example/robots.txt", "https://news.example/sport.rss"]
    assert asked[:3] == places
    assert len(set(asked)) == len(asked)


def test_a_feed_that_is_declared_without_a_type_is_found() -> None:
    page = b"""<link rel=feed href=/a><link rel="alternate" href=/b>
        <link rel="feed" type="text/html" href=/c><link rel="ALTERNATE Feed" href=/d>"""
    assert [found.url for found in feed_candidates(page, "http://a.example/")] == [
        "http://a.example/a",
        "http://a.example/d",
    ]


@pytest.mark.parametrize(
    ("busy", "told"),
    [(HostFailing(58), "could not be reached a moment ago; try again in 58 s"), (HostBusy(58), "left alone for now")],
)
def test_whoever_types_an_address_again_is_not_kept_waiting_for_its_host(busy: HostBusy, told: str) -> None:
    def answer(request: FetchRequest):
        assert request.patience <= 10, "somebody is watching"
        raise busy

    with pytest.raises(NoSite, match=told):
        find(FakeClient(answer))
