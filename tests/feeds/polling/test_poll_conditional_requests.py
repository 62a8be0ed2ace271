"""Asking only for what has changed: the server's own strings, servers that lie, feeds that move or are gone."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tearsheet.feeds.tables import feed_paces
from tests.support.feed_fakes import rss
from tests.support.loopback_web import Request, redirect, response, serve
from tests.support.patience import PATIENCE
from tests.support.poll_scene import START, PollScene

XML = "Content-Type: application/rss+xml"
ODD_TAG, ODD_DATE = 'W/"a b,c" ;x', "15/Nov/2026 gegen Mittag"


@pytest.fixture
def scene(tmp_path: Path):
    scene = PollScene(tmp_path)
    yield scene
    scene.database.close()


def test_the_servers_own_strings_go_back_as_they_came(scene: PollScene) -> None:
    async def answer(request: Request, writer) -> None:
        if request.headers.get("if-none-match") == ODD_TAG and request.headers.get("if-modified-since") == ODD_DATE:
            writer.write(response(b"", "304 Not Modified", ()))
        else:
            writer.write(
                response(rss("http://n.example/a"), headers=(XML, f"ETag: {ODD_TAG}", f"Last-Modified: {ODD_DATE}"))
            )

    async def test() -> None:
        async with serve(answer) as web:
            scene.add(f"http://127.0.0.1:{web.port}/")
            await scene.poll()
            row = scene.row()
            assert (row.http_etag, row.http_last_modified, row.http_304) == (ODD_TAG, ODD_DATE, None)
            assert "if-none-match" not in web.requests[0].headers
            scene.later(minutes=361)
            await scene.poll()
        row = scene.row()
        assert scene.last_event() == ("fetch_succeeded", "not modified")
        assert (row.http_etag, row.http_last_modified, row.http_304) == (ODD_TAG, ODD_DATE, True)
        assert (row.system_status, row.last_fetch_success) == ("Working", scene.now)
        assert row.last_new_stories == START

    asyncio.run(test())


def test_a_document_that_did_not_change_is_recognised(scene: PollScene) -> None:
    async def test() -> None:
        bodies = [
            rss("http://n.example/a"),
            rss("http://n.example/a"),
            rss("http://n.example/a", extra="<ttl>30</ttl>"),
        ]

        async def answer(_: Request, writer) -> None:
            writer.write(response(bodies.pop(0), headers=(XML,)))

        async with serve(answer) as web:
            scene.add(f"http://127.0.0.1:{web.port}/")
            for _ in range(3):
                await scene.poll()
                scene.later(days=1)
        # The third differs in its bytes and lists the same: no news either.
        notes = [note for event, note in scene.events() if event != "queued"]
        assert notes == ["0 skipped / 1 added", "same hash", "same hash"]
        assert len(scene.row().last_fetch_hash) == 32

    asyncio.run(test())


def test_a_server_that_always_says_not_modified_is_caught(scene: PollScene) -> None:
    stories: list[str] = ["http://n.example/1"]

    async def answer(request: Request, writer) -> None:
        if "if-none-match" in request.headers:
            writer.write(response(b"", "304 Not Modified", ()))
        else:
            writer.write(response(rss(*stories), headers=(XML, 'ETag: "never changes"')))

    async def test() -> None:
        async with serve(answer) as web:
            scene.add(f"http://127.0.0.1:{web.port}/")
            await scene.poll()
            stories.append("http://n.example/2")
            for _ in range(6):
                scene.later(days=1, hours=1)
                await scene.poll()
                assert scene.last_event() == ("fetch_succeeded", "not modified")
            assert len(scene.story_urls()) == 1
            scene.later(days=1, hours=1)
            await scene.poll()  # a week has passed: asked without conditions
            assert scene.last_event() == ("fetch_succeeded", "1 skipped / 1 added")
            assert scene.row().http_lies
            stories.append("http://n.example/3")
            scene.later(days=1, hours=1)
            await scene.poll()  # and never again with them
            assert scene.last_event() == ("fetch_succeeded", "2 skipped / 1 added")

    asyncio.run(test())


def test_an_honest_server_is_not_taken_for_a_liar(scene: PollScene) -> None:
    version = 1

    async def answer(request: Request, writer) -> None:
        if request.headers.get("if-none-match") == f'"{version}"':
            writer.write(response(b"", "304 Not Modified", ()))
        else:
            writer.write(response(rss(f"http://n.example/{version}"), headers=(XML, f'ETag: "{version}"')))

    async def test() -> None:
        nonlocal version
        async with serve(answer) as web:
            scene.add(f"http://127.0.0.1:{web.port}/")
            for day in range(24):
                version = 1 + day // 3
                await scene.poll()
                scene.later(days=1, hours=1)
        assert not scene.row().http_lies
        assert scene.row().http_304
        assert len(scene.story_urls()) == 8

    asyncio.run(test())


def test_a_permanent_redirect_is_believed_when_confirmed(scene: PollScene) -> None:
    async def answer(request: Request, writer) -> None:
        if request.path == "/old":
            writer.write(redirect("/new", status="301 Moved Permanently"))
        else:
            writer.write(response(rss(f"http://n.example/{len(scene.events())}"), headers=(XML,)))

    async def test() -> None:
        async with serve(answer) as web:
            old = f"http://127.0.0.1:{web.port}/old"
            scene.add(old)
            for polls in range(1, 5):
                await scene.poll()
                scene.later(days=1)
                assert scene.row().url.endswith("/old" if polls < 4 else "/new")
            assert scene.row().former_url == old
            scene.later(hours=-2)
            await scene.poll()
            assert web.paths[-1] == "/new"
            assert web.paths[-2] == "/new"

    asyncio.run(test())


@pytest.mark.parametrize("way", ["temporary", "to a web page", "elsewhere each time", "mixed"])
def test_other_redirects_are_not_believed(scene: PollScene, way: str) -> None:
    async def answer(request: Request, writer) -> None:
        count = len(scene.events())
        if request.path == "/old":
            target = f"/new{count}" if way == "elsewhere each time" else "/hop" if way == "mixed" else "/new"
            writer.write(redirect(target, status="302 Found" if way == "temporary" else "301 Moved Permanently"))
        elif request.path == "/hop":
            writer.write(redirect("/new", status="307 Temporary Redirect"))
        elif way == "to a web page":
            writer.write(response(b"<html>maintenance</html>"))
        else:
            writer.write(response(rss(f"http://n.example/{count}"), headers=(XML,)))

    async def test() -> None:
        async with serve(answer) as web:
            scene.add(f"http://127.0.0.1:{web.port}/old")
            for _ in range(5):
                await scene.poll()
                scene.later(days=2)
        assert scene.row().url.endswith("/old")
        assert scene.row().former_url is None

    asyncio.run(test())


def test_gone_is_believed_when_confirmed_and_forgotten_when_not(scene: PollScene) -> None:
    gone = response(b"", "410 Gone", ())
    back = response(rss("http://n.example/a"), headers=(XML,))
    answers = [gone, gone, back, gone, gone, gone]

    async def answer(_: Request, writer) -> None:
        writer.write(answers.pop(0))

    async def test() -> None:
        async with serve(answer) as web:
            scene.add(f"http://127.0.0.1:{web.port}/")
            for _ in range(8):
                await scene.poll()
                scene.later(days=3)
        assert not answers
        kinds = [(event, note) for event, note in scene.events() if event != "queued"]
        assert kinds[2] == ("fetch_succeeded", "0 skipped / 1 added")
        assert [event for event, _ in kinds] == ["fetch_failed", "fetch_failed", "fetch_succeeded"] + [
            "fetch_failed"
        ] * 2 + ["fetch_disabled"]
        row = scene.row()
        assert not row.system_enabled
        assert row.system_status == "HTTP 410 Gone"

    asyncio.run(test())


def test_failures_add_up_back_off_and_disable(scene: PollScene) -> None:
    scene.settings.max_failures = 4

    async def test() -> None:
        async with serve(response(b"", "403 Forbidden", ())) as web:
            scene.add(f"http://127.0.0.1:{web.port}/")
            waits = []
            for _ in range(3):
                await scene.poll()
                waits.append(scene.row().next_fetch_attempt - scene.now)
                scene.now = scene.row().next_fetch_attempt
            assert waits == [timedelta(minutes=360), timedelta(minutes=720), timedelta(minutes=1080)]
            before = scene.row().next_fetch_attempt
            await scene.poll()
        assert scene.last_event() == ("fetch_disabled", "HTTP 403 Forbidden")
        assert scene.row().next_fetch_attempt == before
        scene.later(days=60)
        await scene.poll()
        assert scene.counters == {"feeds.queued": 0}

    asyncio.run(test())


def test_retry_after_is_for_the_whole_host(scene: PollScene) -> None:
    async def answer(request: Request, writer) -> None:
        if request.path == "/busy":
            writer.write(response(b"", "429 Too Many Requests", ("Retry-After: 7200",)))
        else:
            writer.write(response(rss(f"http://n.example{request.path}"), headers=(XML,)))

    async def test() -> None:
        async with serve(answer) as web, serve(answer, "127.0.0.2") as other:
            base = f"http://127.0.0.1:{web.port}"
            scene.add(f"{base}/busy")
            await scene.poll()
            scene.add(f"{base}/one", f"{base}/two", f"http://127.0.0.2:{other.port}/three")
            scene.later(minutes=1)
            await scene.poll()
            assert web.paths == ["/busy"]
            assert other.paths == ["/three"]
            held = scene.row(2)
            assert held.due_at >= START + timedelta(hours=2)
            assert held.next_fetch_attempt == held.due_at
            assert "Retry-After" in held.next_fetch_reason
            scene.now = START + timedelta(hours=2, seconds=1)
            await scene.poll()
            assert web.paths == ["/busy", "/one", "/two"]

    asyncio.run(test())


def test_a_pause_is_for_the_host_that_asked_for_it_and_not_for_the_one_that_led_there(scene: PollScene) -> None:
    async def test() -> None:
        async def far(request: Request, writer) -> None:
            if request.path == "/busy":
                writer.write(response(b"", "429 Too Many Requests", ("Retry-After: 7200",)))
            else:
                writer.write(response(rss("http://n.example/far"), headers=(XML,)))

        async def near(request: Request, writer) -> None:
            if request.path == "/moved":
                writer.write(redirect(f"http://127.0.0.2:{distant.port}/busy"))
            else:
                writer.write(response(rss("http://n.example/near"), headers=(XML,)))

        async with serve(far, "127.0.0.2") as distant, serve(near) as web:
            scene.add(f"http://127.0.0.1:{web.port}/moved")
            await scene.poll()
            assert scene.row().next_fetch_attempt >= START + timedelta(hours=2)
            scene.add(f"http://127.0.0.1:{web.port}/one", f"http://127.0.0.2:{distant.port}/two")
            scene.later(minutes=1)
            await scene.poll()
            assert web.paths == ["/moved", "/one"]
            assert distant.paths == ["/busy"]

    asyncio.run(test())


def test_feeds_already_in_hand_are_put_off_when_their_host_asks_for_a_pause(scene: PollScene) -> None:
    """Polling once ends: it does not sit on the other feeds of the host until their leases run out."""
    scene.settings.per_host = 1

    async def test() -> None:
        busy = response(b"", "503 Service Unavailable", ("Retry-After: 46800",))
        async with serve(busy) as web:
            scene.add(*(f"http://127.0.0.1:{web.port}/{number}" for number in range(3)))
            async with asyncio.timeout(PATIENCE):
                await scene.poll()
            assert web.paths == ["/0"]

    used = time.process_time()
    asyncio.run(test())
    assert time.process_time() - used < 3  # and waits without working
    for feed in (2, 3):
        row = scene.row(feed)
        assert row.next_fetch_attempt == row.due_at
        assert timedelta(hours=13) <= row.due_at - START < timedelta(hours=13, seconds=1)
        assert "Retry-After" in row.next_fetch_reason
        assert (row.queued, row.last_fetch_failures, row.system_status) == (False, 0, None)
    assert scene.counters["feeds.put_off"] == 2
    with scene.database.read() as connection:
        assert connection.execute(select(feed_paces.c.key).where(feed_paces.c.owner.is_not(None))).all() == []


def test_an_index_of_sitemaps_is_followed(scene: PollScene) -> None:
    scene.settings.interval_seconds = 0.001

    def urlset(*links: str) -> bytes:
        news = "<news:news><news:publication_date>2026-11-15</news:publication_date><news:title>T {}</news:title></news:news>"
        urls = "".join(f"<url><loc>{link}</loc>{news.format(link)}</url>" for link in links)
        return (
            '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
            f'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">{urls}</urlset>'
        ).encode()

    async def answer(request: Request, writer) -> None:
        if request.path == "/index.xml":
            names = "".join(f"<sitemap><loc>/{name}.xml</loc></sitemap>" for name in ("pages", "news", "gone"))
            writer.write(response(f"<sitemapindex>{names}</sitemapindex>".encode(), headers=(XML,)))
        elif request.path == "/gone.xml":
            writer.write(response(b"", "404 Not Found"))
        else:
            writer.write(response(urlset(f"http://n.example{request.path}"), headers=(XML,)))

    async def test() -> None:
        async with serve(answer) as web:
            scene.add(f"http://127.0.0.1:{web.port}/index.xml")
            await scene.poll()
            assert web.paths == ["/index.xml", "/news.xml", "/pages.xml", "/gone.xml"]
        assert scene.last_event() == ("fetch_succeeded", "0 skipped / 2 added")

    asyncio.run(test())
