"""The fetcher stage against a server on loopback."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tearsheet.fetch import HostStore, PoliteClient
from tearsheet.pipeline.fetcher import Fetcher
from tearsheet.settings import FetchSettings
from tearsheet.story import RSSEntry, Story
from tearsheet.work.outcomes import Drop, Outcome, Paused, Requeue, Retry, Skipped
from tests.support.loopback_web import Web, redirect, response, serve

PAGE = b"<html><body>news</body></html>"


def story(link: str | None) -> Story:
    return Story(rss_entry=RSSEntry(link=link))


def with_fetcher(answer, test: Callable[[Fetcher, Web], Awaitable[None]], store: HostStore | None = None, **settings):
    """Run a test with a fetcher for which every host name is answered by one server."""

    async def run():
        async with serve(answer) as web:
            values: dict[str, Any] = {"connect_to": {"*": f"127.0.0.1:{web.port}"}, "timeout_seconds": 30} | settings
            fetch = FetchSettings(allow_addresses=["127.0.0.0/8"], **values)
            async with PoliteClient(fetch, store) as client:
                await test(Fetcher(client), web)

    asyncio.run(asyncio.wait_for(run(), 30))


async def outcome_for(fetcher: Fetcher, link: str | None) -> Outcome:
    with pytest.raises(Outcome) as caught:
        await fetcher.process(story(link))
    return caught.value


async def site(request, writer):
    """A host that does what the path says."""
    match request.path:
        case "/robots.txt":
            writer.write(response(b"User-agent: *\nDisallow: /private\n"))
        case "/moved":
            writer.write(redirect("http://other.example/page"))
        case "/tube":
            writer.write(redirect("https://www.youtube.com/watch"))
        case "/inside":
            writer.write(redirect("http://127.0.0.1:1/"))
        case "/outlaw":
            writer.write(redirect("/private/page"))
        case "/round":
            writer.write(redirect("/round"))
        case "/odd":
            writer.write(redirect("gopher://x/"))
        case "/film":
            writer.write(response(b"x", headers=("Content-Type: video/mp4",)))
        case "/untyped":
            writer.write(response(PAGE, headers=()))
        case "/blank":
            writer.write(response(b" \n"))
        case path if path[1:].isdigit():
            writer.write(response(b"no", f"{path[1:]} Said", ("Retry-After: 90",)))
        case _:
            writer.write(response(PAGE, headers=("Content-Type: text/html; charset=koi8-r",)))


def test_a_story_is_filled_in():
    async def test(fetcher, web):
        got = await fetcher.process(story("http://paper.example/page"))
        assert got.raw_html.html == PAGE
        http = got.http_metadata
        assert (http.response_code, http.final_url, http.encoding) == (200, "http://paper.example/page", "koi8-r")
        assert http.fetch_timestamp == got.exchanges[0].timestamp
        assert web.paths == ["/robots.txt", "/page"]

    with_fetcher(site, test, interval_seconds=0)


def test_a_redirected_story_has_its_hops():
    async def test(fetcher, web):
        got = await fetcher.process(story("http://paper.example/moved"))
        assert [hop.status for hop in got.exchanges] == [302, 200]
        assert got.http_metadata.final_url == "http://other.example/page"
        assert (await fetcher.process(story("http://paper.example/untyped"))).raw_html.html == PAGE
        assert [(r.host, r.path) for r in web.requests].count(("other.example", "/robots.txt")) == 1

    with_fetcher(site, test, interval_seconds=0)


def test_drops_and_retries():
    async def test(fetcher, web):
        cases = {
            None: (Drop, "no-url"),
            "": (Drop, "no-url"),
            "nonsense": (Drop, "bad-url"),
            "http://": (Drop, "bad-url"),
            "http://10.0.0.1/": (Drop, "bad-host"),
            "http://www.tiktok.com/x": (Drop, "non-news"),
            "http://a.example/tube": (Drop, "non-news2"),
            "http://b.example/private/x": (Drop, "robots"),
            "http://b.example/outlaw": (Drop, "robots"),
            "http://c.example/round": (Drop, "maxredir"),
            "http://c.example/odd": (Drop, "badredir"),
            "http://d.example/film": (Drop, "not-text"),
            "http://d.example/blank": (Drop, "no-html"),
            "http://e.example/404": (Drop, "http-404"),
            "http://e.example/403": (Drop, "http-403"),
            "http://e.example/410": (Drop, "http-4xx"),
            "http://f.example/500": (Retry, "http-5xx"),
            "http://g.example/429": (Retry, "http-429"),
            "http://g.example/page": (Paused, "busy"),
            "http://h.example/503": (Retry, "http-5xx"),
            "http://h.example/page": (Paused, "busy"),
        }
        for link, (kind, reason) in cases.items():
            outcome = await outcome_for(fetcher, link)
            assert (type(outcome), outcome.reason) == (kind, reason), link
            if isinstance(outcome, Retry):
                assert outcome.after == 90 and not outcome.keep
            if isinstance(outcome, Requeue):
                assert 85 < outcome.after < 100

    with_fetcher(site, test, interval_seconds=0)


def test_oversized():
    async def test(fetcher, web):
        assert (await outcome_for(fetcher, "http://paper.example/page")).reason == "oversized"

    with_fetcher(site, test, interval_seconds=0, max_bytes=len(PAGE) - 1)


def test_a_host_that_is_down_is_spared():
    async def test(fetcher, web):
        down = "http://down.example/"
        first = await outcome_for(fetcher, down)
        assert isinstance(first, Retry) and first.reason == "noconn" and not first.keep
        second = await outcome_for(fetcher, down)
        assert isinstance(second, Skipped) and second.reason == "skipped"
        assert 50 < (second.after or 0) <= 60

    with_fetcher(site, test, interval_seconds=0, connect_to={"*": "127.0.0.1:1"})


@pytest.mark.parametrize("status", ["500 Broken", "503 Busy", "429 Slow"])
def test_a_robots_file_that_cannot_be_had_forbids_for_a_while(status):
    async def answer(request, writer):
        writer.write(response(b"", status if request.path == "/robots.txt" else "200 OK"))

    async def test(fetcher, web):
        outcome = await outcome_for(fetcher, "http://paper.example/page")
        assert isinstance(outcome, Retry) and outcome.reason == "robots-error" and outcome.after == 600
        assert web.paths == ["/robots.txt"]

    with_fetcher(answer, test, interval_seconds=0)


def test_manners_can_be_switched_off_for_a_host_one_owns():
    async def answer(request, writer):
        writer.write(response(PAGE, "429 Slow" if request.path == "/429" else "200 OK"))

    async def test(fetcher, web):
        for number in range(5):
            await fetcher.process(story(f"http://www.mine.example/{number}"))
        assert (await outcome_for(fetcher, "http://mine.example/429")).reason == "http-429"
        await fetcher.process(story("http://mine.example/again"))
        assert "/robots.txt" not in web.paths

    with_fetcher(answer, test, interval_seconds=60, manners_off={"mine.example": "all"})
