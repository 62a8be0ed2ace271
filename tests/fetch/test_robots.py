"""robots.txt against a server on loopback."""

import asyncio
from typing import Any

import pytest

from tearsheet.engines.database import open_database
from tearsheet.fetch import FetchError, HostStore
from tearsheet.fetch.client import Client
from tearsheet.fetch.hosts import MemoryRecord
from tearsheet.fetch.robots import FRESH_SECONDS, MAX_BYTES, STALE_SECONDS, Robots, RobotsUnavailable, product_token
from tearsheet.fetch.turns import HostTurns
from tearsheet.settings import FetchSettings
from tests.support.loopback_web import redirect, response, serve

TEXT = b"User-agent: *\nDisallow: /all\n\nUser-agent: Tearsheet\nDisallow: /us\nCrawl-delay: 7\n"


class Time:
    def __init__(self):
        self.now = 1_700_000_000.0

    def __call__(self):
        return self.now


async def crawl_delay(record, host):
    return await record.ask(host, lambda state, now: (state, state.crawl_delay))


def with_robots(answer, test, store=None, **settings):
    async def run():
        async with serve(answer) as web:
            values: dict[str, Any] = {"connect_to": {"*": f"127.0.0.1:{web.port}"}, "timeout_seconds": 30} | settings
            fetch = FetchSettings(allow_addresses=["127.0.0.0/8"], **values)
            clock = Time()
            client, record = Client(fetch), MemoryRecord(clock)
            turns = HostTurns(fetch, record, clock=clock)
            try:
                await test(Robots(client.fetch, turns, fetch, store, clock=clock), web, record, clock)
            finally:
                await client.close()

    asyncio.run(asyncio.wait_for(run(), 30))


def test_our_group_is_obeyed_and_asked_once():
    async def test(robots, web, record, clock):
        answers = await asyncio.gather(
            *(robots.allows(f"http://a.example/{path}") for path in ("us", "us/x", "all", ""))
        )
        assert answers == [False, False, True, True]
        assert web.paths == ["/robots.txt"]
        assert web.requests[0].headers["accept-encoding"] == "identity"
        assert await crawl_delay(record, "a.example") == 7
        await robots.allows("http://b.example/")
        await robots.allows("http://a.example:8080/")
        assert [r.host for r in web.requests] == ["a.example", "b.example", "a.example:8080"]
        clock.now += FRESH_SECONDS + 1
        await robots.allows("http://a.example/")
        assert len(web.requests) == 4

    with_robots(response(TEXT), test)


@pytest.mark.parametrize("status", ["404 Not Found", "403 Forbidden", "410 Gone", "401 Who"])
def test_no_robots_file_allows_everything(status):
    async def test(robots, web, record, clock):
        assert await robots.allows("http://a.example/us")
        assert await robots.allows("http://a.example/all")
        assert len(web.requests) == 1

    with_robots(response(TEXT, status), test)


def test_redirects_are_followed_and_a_circle_is_no_file():
    async def answer(request, writer):
        if request.host == "circle.example":
            writer.write(redirect("/robots.txt"))
        else:
            writer.write(response(TEXT) if request.path == "/real" else redirect("/real"))

    async def test(robots, web, record, clock):
        assert not await robots.allows("http://a.example/us")
        assert await robots.allows("http://circle.example/us")

    with_robots(answer, test)


def test_only_the_first_half_megabyte_is_read():
    filler = b"# nothing\n" * (MAX_BYTES // 10 - 100)
    text = TEXT + filler + b"\nUser-agent: Tearsheet\nDisallow: /early\n" + b"# x\n" * 10_000 + b"Disallow: /late\n"

    async def test(robots, web, record, clock):
        assert not await robots.allows("http://a.example/us")
        assert not await robots.allows("http://a.example/early")
        assert await robots.allows("http://a.example/late")

    with_robots(response(text), test)


def test_a_server_in_trouble_forbids_until_it_is_well_unless_an_old_copy_is_known():
    broken = False

    async def answer(request, writer):
        writer.write(response(b"", "503 Busy", ("Retry-After: 1000",)) if broken else response(TEXT))

    async def test(robots, web, record, clock):
        nonlocal broken
        assert not await robots.allows("http://a.example/us")
        broken = True
        with pytest.raises(RobotsUnavailable) as unavailable:
            await robots.allows("http://b.example/")
        assert unavailable.value.after == 1000
        clock.now += FRESH_SECONDS + 1
        assert not await robots.allows("http://a.example/us")
        assert not await robots.allows("http://a.example/us")
        assert [r.host for r in web.requests] == ["a.example", "b.example", "a.example"], "not asked again at once"
        clock.now += STALE_SECONDS
        with pytest.raises(RobotsUnavailable):
            await robots.allows("http://a.example/us")

    with_robots(answer, test)


def test_copies_are_kept_in_the_database_and_obeyed_while_the_server_is_broken(tmp_path):
    database = open_database("t.db", tmp_path)
    database.migrate()
    store = HostStore(database)
    broken = False

    async def answer(request, writer):
        writer.write(response(b"", "500 Broken") if broken else response(TEXT))

    async def first(robots, web, record, clock):
        assert not await robots.allows("http://a.example/us")

    async def second(robots, web, record, clock):
        nonlocal broken
        assert not await robots.allows("http://a.example/us")
        assert web.requests == [], "the copy is good for a day"
        assert await crawl_delay(record, "a.example") == 7
        broken = True
        clock.now += FRESH_SECONDS + 1
        assert not await robots.allows("http://a.example/us")
        assert len(web.requests) == 1
        assert not await robots.allows("http://a.example/us")
        assert len(web.requests) == 1, "it is not asked again at once"
        clock.now += STALE_SECONDS
        with pytest.raises(RobotsUnavailable):
            await robots.allows("http://a.example/us")

    with_robots(answer, first, store)
    with_robots(answer, second, store)
    database.close()


def test_a_host_that_cannot_be_reached():
    async def test(robots, web, record, clock):
        with pytest.raises(FetchError) as error:
            await robots.allows("http://a.example/")
        assert error.value.kind == "connect"

    with_robots(b"", test, connect_to={"*": "127.0.0.1:1"})


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        ("Mozilla/5.0 (compatible; Tearsheet/0.1; news archive for research)", "tearsheet"),
        ("OurBot/2.0 (+https://example.org)", "ourbot"),
        ("plainbot", "plainbot"),
        ("", "*"),
    ],
)
def test_our_name(user_agent, token):
    assert product_token(user_agent) == token
