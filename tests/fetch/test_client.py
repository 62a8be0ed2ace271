"""The client against a server on loopback."""

import asyncio
import gzip
import socket
import time

import brotlicffi
import pytest
import zstandard

from tearsheet.fetch import FetchError, FetchRequest
from tearsheet.fetch.client import Client
from tearsheet.settings import FetchSettings
from tests.support.loopback_web import client_for, redirect, response, serve

NO_NAME = "a" * 64 + ".example"
"""Too long a label for any name service, so that the lookup fails without asking one."""
PAGE = b"<p>news</p>" * 1000


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 30))


async def kind_of(client, url, **request):
    with pytest.raises(FetchError) as caught:
        await client.fetch(FetchRequest(url, **request))
    return caught.value


def test_a_page_with_its_true_headers():
    async def test():
        headers = ("Content-Type: text/html; charset=UTF-8", "X-Twice: a", "X-Twice: b")
        async with serve(response(PAGE, headers=headers)) as web, client_for() as client:
            before = time.time()
            got = await client.fetch(FetchRequest(f"http://127.0.0.1:{web.port}/a?b", {"If-None-Match": '"1"'}))
            assert (got.status, got.reason, got.body, got.encoding) == (200, "OK", PAGE, "UTF-8")
            assert got.url == f"http://127.0.0.1:{web.port}/a?b"
            assert got.header("content-TYPE") == "text/html; charset=UTF-8"
            assert got.header("x-none") is None
            [exchange] = got.exchanges
            assert [value for name, value in exchange.response_headers if name == "X-Twice"] == ["a", "b"]
            sent = {name.lower(): value for name, value in exchange.request_headers}
            seen = web.requests[0].headers
            assert sent == {name: value for name, value in seen.items() if name}
            assert sent["if-none-match"] == '"1"'
            assert sent["accept-encoding"] == "gzip, deflate, br, zstd"
            assert exchange.ip == "127.0.0.1" and exchange.http_version == "1.1" and exchange.reason == "OK"
            assert exchange.timestamp is not None and before <= exchange.timestamp <= time.time()
            assert 0 < got.elapsed < 10

    run(test())


@pytest.mark.parametrize(
    ("coding", "encode"), [("gzip", gzip.compress), ("br", brotlicffi.compress), ("zstd", zstandard.compress)]
)
def test_content_codings(coding, encode):
    async def test():
        headers = ("Content-Type: text/html", f"Content-Encoding: {coding}")
        async with serve(response(encode(PAGE), headers=headers)) as web, client_for() as client:
            url = f"http://127.0.0.1:{web.port}/"
            assert (await client.fetch(FetchRequest(url))).body == PAGE
            assert (await kind_of(client, url, max_bytes=len(PAGE) - 1)).kind == "too-large"
        async with serve(response(b"not " + encode(PAGE), headers=headers)) as web, client_for() as client:
            assert (await kind_of(client, f"http://127.0.0.1:{web.port}/")).kind == "protocol"

    run(test())


def test_a_request_that_is_sent_once_is_not_repeated_when_a_connection_ends_unanswered():
    async def test(once):
        used = set()

        async def answer(request, writer):
            writer.close() if request.connection in used else writer.write(response(PAGE))
            used.add(request.connection)

        async with serve(answer) as web, client_for() as client:
            for number in range(3):
                await client.fetch(FetchRequest(f"http://127.0.0.1:{web.port}/{number}"), None, lambda host: once)
            return web.paths

    assert run(test(True)) == ["/0", "/1", "/2"]
    assert run(test(False)) == ["/0", "/1", "/1", "/2", "/2"], "what curl does by itself"


def test_connections_are_used_again():
    async def test():
        async with serve(response(PAGE)) as web, client_for() as client:
            for number in range(20):
                await client.fetch(FetchRequest(f"http://127.0.0.1:{web.port}/{number}"))
            assert len(web.requests) == 20 and web.connections == 1

    run(test())


def test_size_is_counted_while_reading():
    async def test():
        sent = 0

        async def endless(request, writer):
            nonlocal sent
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
            for _ in range(10_000):
                sent += 100_000
                writer.write(b"x" * 100_000)
                await writer.drain()

        async with serve(endless) as web, client_for() as client:
            error = await kind_of(client, f"http://127.0.0.1:{web.port}/", max_bytes=1_000_000)
            assert error.kind == "too-large"
            assert sent < 50_000_000
        async with serve(response(b"x", length=2_000_000)) as web, client_for() as client:
            error = await kind_of(client, f"http://127.0.0.1:{web.port}/", max_bytes=1_000_000)
            assert error.kind == "too-large", "the length that the server states is believed before the body"

    run(test())


def test_content_type_is_tested_before_the_body():
    async def test():
        async def answer(request, writer):
            kind = request.path[1:]
            writer.write(b"HTTP/1.1 200 OK\r\n" + (f"Content-Type: {kind}\r\n".encode() if kind else b""))
            if kind in ("", "text/html;x"):
                writer.write(b"Content-Length: 2\r\n\r\nok")
            else:
                writer.write(b"Content-Length: 1000000\r\n\r\n")  # and never a body

        async with serve(answer) as web, client_for() as client:
            base = f"http://127.0.0.1:{web.port}/"
            error = await kind_of(client, base + "video/mp4", content_types=("text/", ""))
            assert (error.kind, error.detail) == ("content-type", "video/mp4")
            assert (await client.fetch(FetchRequest(base + "text/html;x", content_types=("text/html",)))).body == b"ok"
            assert (await client.fetch(FetchRequest(base, content_types=("text/", "")))).body == b"ok"
            assert (await kind_of(client, base, content_types=("text/",))).kind == "content-type"

    run(test())


def test_redirects_hop_by_hop_with_cookies_for_one_chain_only():
    async def test():
        async def answer(request, writer):
            if request.path == "/a":
                writer.write(redirect("/b?x#frag", "Set-Cookie: id=1; Path=/", status="301 Moved Permanently"))
            elif request.path == "/b?x":
                writer.write(redirect("http://two.example/c"))
            else:
                writer.write(response(PAGE))

        async with serve(answer) as web:
            to = dict.fromkeys(("one.example", "two.example"), f"127.0.0.1:{web.port}")
            async with client_for(connect_to=to) as client:
                got = await client.fetch(FetchRequest("http://one.example/a", {"X-Mine": "y"}))
                assert got.url == "http://two.example/c"
                assert [(hop.url, hop.status) for hop in got.exchanges] == [
                    ("http://one.example/a", 301), ("http://one.example/b?x", 302), ("http://two.example/c", 200),
                ]  # fmt: skip
                first, second, third = web.requests
                assert "cookie" not in first.headers and second.headers["cookie"] == "id=1"
                assert "cookie" not in third.headers
                assert second.headers["x-mine"] == third.headers["x-mine"] == "y"
                await client.fetch(FetchRequest("http://one.example/b?x"))
                assert "cookie" not in web.requests[3].headers, "another chain knows nothing of the cookie"

    run(test())


@pytest.mark.parametrize(
    "secret", [{"headers": {"Authorization": "x"}}, {"headers": {"cookie": "x"}}, {"secret": True}], ids=str
)
def test_a_request_with_a_secret_stays_with_its_origin(secret):
    """Another port of the same host is another server, and what was sent in secret is not sent again in the open."""

    async def test():
        async with serve(response(PAGE)) as other:

            async def answer(request, writer):
                writer.write(redirect("/b" if request.path == "/a" else f"http://127.0.0.1:{other.port}/"))

            async with serve(answer) as web, client_for() as client:
                with pytest.raises(FetchError, match="forbidden-address: a request with a secret was redirected"):
                    await client.fetch(FetchRequest(f"http://127.0.0.1:{web.port}/a", **secret))
            assert web.paths == ["/a", "/b"]
            assert other.requests == []

    run(test())


def test_redirects_that_are_refused():
    async def test():
        async def answer(request, writer):
            where = request.path[1:]
            if where.isdigit():
                writer.write(redirect(f"/{int(where) + 1}"))
            elif where == "loop":
                writer.write(redirect("/loop"))
            elif where == "cookie":
                writer.write(response(PAGE) if "cookie" in request.headers else redirect("/cookie", "Set-Cookie: a=b"))
            elif where == "nowhere":
                writer.write(response(b"", "302 Found", ()))
            else:
                writer.write(redirect(where.replace("%3A", ":")))

        async with serve(answer) as web, client_for(max_redirects=5) as client:
            base = f"http://127.0.0.1:{web.port}/"
            error = await kind_of(client, base + "0")
            assert error.kind == "too-many-redirects" and len(error.exchanges) == 6
            assert (await kind_of(client, base + "loop")).detail.startswith("in a circle")
            assert (await client.fetch(FetchRequest(base + "cookie"))).body == PAGE
            assert (await client.fetch(FetchRequest(base + "nowhere"))).status == 302
            for scheme in ("file:///etc/passwd", "gopher://127.0.0.1:1/", "ftp://127.0.0.1/"):
                error = await kind_of(client, base + scheme)
                assert error.kind == "bad-url" and len(error.exchanges) == 1

    run(test())


def test_a_large_error_page_is_not_read_to_its_end():
    async def test():
        async def answer(request, writer):
            writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
            for _ in range(100):
                writer.write(b"x" * 100_000)
                await writer.drain()

        async with serve(answer) as web, client_for() as client:
            got = await client.fetch(FetchRequest(f"http://127.0.0.1:{web.port}/"))
            assert (got.status, got.body) == (404, b"")
        async with serve(response(b"gone", "410 Gone")) as web, client_for() as client:
            assert (await client.fetch(FetchRequest(f"http://127.0.0.1:{web.port}/"))).body == b"gone"

    run(test())


def test_the_deadline_is_for_the_whole_chain():
    async def test():
        async def answer(request, writer):
            await asyncio.sleep(0.12)
            writer.write(redirect(f"/{int(request.path[1:]) + 1}"))

        async with serve(answer) as web, client_for() as client:
            started = time.monotonic()
            error = await kind_of(client, f"http://127.0.0.1:{web.port}/0", timeout=0.5)
            assert error.kind == "timeout"
            assert 0.3 < time.monotonic() - started < 10
            assert 1 <= len(error.exchanges) <= 4

    run(test())


def test_errors_of_names_and_connections():
    async def test():
        async with client_for(connect_to={"closed.example": "127.0.0.1:1"}) as client:
            assert (await kind_of(client, "http://closed.example/")).kind == "connect"
            assert (await kind_of(client, "nonsense")).kind == "bad-url"

    run(test())


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "unknown-host"),
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"), "dns"),
        (socket.gaierror(socket.EAI_FAIL, "Failure"), "dns"),
        (None, "dns"),
    ],
)
def test_a_name_that_does_not_exist_is_told_from_a_name_service_that_fails(problem, kind):
    async def test():
        async def lookup(host):
            assert host == NO_NAME
            if problem:
                raise problem

        client = Client(FetchSettings(), lookup=lookup)
        error = await kind_of(client, f"http://{NO_NAME}/")
        assert error.kind == kind
        await client.close()

    run(test())


def test_a_cancelled_fetch_leaves_the_client_usable():
    async def test():
        async def answer(request, writer):
            if request.path == "/never":
                await asyncio.sleep(20)
            writer.write(response(PAGE))

        async with serve(answer) as web, client_for(concurrency=1) as client:
            base = f"http://127.0.0.1:{web.port}"
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.fetch(FetchRequest(base + "/never")), 0.1)
            assert (await client.fetch(FetchRequest(base + "/"))).body == PAGE
            waiting = asyncio.create_task(client.fetch(FetchRequest(base + "/never")))
            await asyncio.sleep(0.05)
            await client.close()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert (await client.fetch(FetchRequest(base + "/"))).body == PAGE

    run(test())


@pytest.mark.parametrize("home", [True, False])
def test_secret_headers_stay_at_home_and_redirects_elsewhere_go_without(home):
    async def test():
        secrets = {"Authorization": "Basic eDp5", "Cookie": "a=b", "X-Key": "k"}
        async with serve(response(PAGE)) as elsewhere:

            async def moved(request, writer):
                target = "/there" if home else f"http://127.0.0.1:{elsewhere.port}/there"
                writer.write(redirect(target) if request.path == "/" else response(PAGE))

            async with serve(moved) as web, client_for() as client:
                asked = FetchRequest(f"http://127.0.0.1:{web.port}/", {"User-Agent": "Mine/1"}, home_headers=secrets)
                got = await client.fetch(asked)
                assert (got.status, got.body) == (200, PAGE)
                first, last = web.requests[0], (web if home else elsewhere).requests[-1]
                assert {first.headers.get(name.lower()) for name in secrets} == set(secrets.values())
                assert ({last.headers.get(name.lower()) for name in secrets} == set(secrets.values())) is home
                assert home or not {name.lower() for name in secrets} & last.headers.keys()
                assert first.headers["user-agent"] == last.headers["user-agent"] == "Mine/1"

    run(test())
