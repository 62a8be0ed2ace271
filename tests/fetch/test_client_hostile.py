"""A server that does everything wrong: each time there is a page or a named error, within the time that was set."""

import asyncio
import gzip
import random
import socket
import threading
import time
from contextlib import ExitStack, suppress
from typing import Any

import pytest
import zstandard

from tearsheet.fetch import FetchError, FetchRequest, FetchResponse
from tearsheet.fetch.model import ERROR_KINDS
from tests.support.loopback_web import client_for, response, serve

LIMIT = 100_000
SECONDS = 1.0
PATIENCE = 8
"""Seconds that a busy machine may take longer; whoever ignores the limit takes until the test is ended, after 30."""
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


async def forever(writer, data, pause=0.0):
    while True:
        writer.write(data)
        await writer.drain()
        await asyncio.sleep(pause)


async def gigabyte(writer):
    writer.write(OK + b"Content-Length: 1000000000\r\n\r\n")
    await forever(writer, b"x" * 65536)


async def gigabyte_in_chunks(writer):
    writer.write(OK + b"Transfer-Encoding: chunked\r\n\r\n")
    await forever(writer, b"10000\r\n" + b"x" * 65536 + b"\r\n")


async def endless_headers(writer):
    writer.write(OK)
    await forever(writer, b"X-Again: and again\r\n" * 100)


async def one_endless_header(writer):
    writer.write(OK + b"X-Long: ")
    await forever(writer, b"x" * 10_000)


async def endless_interim_responses(writer):
    await forever(writer, b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 50)


async def slow_headers(writer):
    writer.write(OK)
    await forever(writer, b"X", 0.05)


async def slow_drip(writer):
    writer.write(OK + b"\r\n")
    await forever(writer, b"x", 0.05)


async def slow_redirect_body(writer):
    writer.write(b"HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n")
    await forever(writer, b"x", 0.05)


async def silence(writer):
    await asyncio.sleep(20)


async def endless_trailers(writer):
    writer.write(OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n")
    await forever(writer, b"X-Trailer: x\r\n" * 100)


CASES: dict[str, tuple[Any, set[str | None]]] = {
    "gigabyte": (gigabyte, {"too-large"}),
    "gigabyte in chunks": (gigabyte_in_chunks, {"too-large"}),
    "endless headers": (endless_headers, {"protocol"}),
    "one endless header": (one_endless_header, {"protocol"}),
    "endless interim responses": (endless_interim_responses, {"protocol", "timeout"}),
    "endless trailers": (endless_trailers, {"protocol", "timeout"}),
    "slow headers": (slow_headers, {"timeout"}),
    "slow drip": (slow_drip, {"timeout"}),
    "slow body of a redirect": (slow_redirect_body, {"timeout"}),
    "silence": (silence, {"read-timeout"}),
    "nothing": (b"", {"connect"}),
    "garbage": (b"\x00\xff\x13garbage" * 100, {"protocol"}),
    "another protocol": (b"SSH-2.0-OpenSSH_9.2\r\n", {"protocol"}),
    "half a status line": (b"HTTP/1.", {"protocol", "connect"}),
    "no such version": (b"HTTP/9.9 200 OK\r\n\r\nx", {"protocol"}),
    "status that is no number": (b"HTTP/1.1 abc OK\r\n\r\nx", {"protocol"}),
    "half the headers": (OK + b"X-Half", {"protocol"}),
    "body shorter than said": (OK + b"Content-Length: 100\r\n\r\nshort", {"protocol"}),
    "negative length": (OK + b"Content-Length: -1\r\n\r\nx", {"protocol"}),
    "two lengths": (OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy", {"protocol", None}),
    "huge length": (OK + b"Content-Length: " + b"9" * 100 + b"\r\n\r\nx", {"protocol", "too-large"}),
    "truncated chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\n10\r\nabc", {"protocol"}),
    "bad chunk size": (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n", {"protocol", "connect"}),
    "huge chunk size": (OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\nabc\r\n", {"protocol", "connect"}),
    "bad gzip": (OK + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain", {"protocol"}),
    "truncated gzip": (OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"x" * 9999)[:-9], {"protocol"}),
    "gzip bomb": (OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(80_000_000)), {"too-large"}),
    "gzip bomb in gzip": (
        OK + b"Content-Encoding: gzip, gzip\r\n\r\n" + gzip.compress(gzip.compress(bytes(80_000_000))), {"too-large"}),
    "zstd bomb": (OK + b"Content-Encoding: zstd\r\n\r\n" + zstandard.compress(bytes(80_000_000)), {"too-large"}),
    "a chunk for each byte": (OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 90_000 + b"0\r\n\r\n", {None}),
    "folded headers": (OK + b"A: b\r\n" + b" c\r\n" * 20_000 + b"\r\nx", {None, "protocol"}),
    "blanks before a charset": (OK + b"Content-Type: a;charset=" + b" " * 50_000 + b"!\r\n\r\nx", {None, "protocol"}),
    "marks on a letter of a redirect": (
        b"HTTP/1.1 302 Found\r\nLocation: http://a" + "\u0301\u0316".encode() * 20_000 + b"/\r\nContent-Length: 0\r\n\r\n",
        {"bad-url", "unknown-host", "dns", "protocol"}),
    "unknown coding": (OK + b"Content-Encoding: rot13\r\n\r\nuryyb", {"protocol"}),
    "redirect to itself": (b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", {"too-many-redirects"}),
    "redirect with a cookie each time": (
        b"HTTP/1.1 302 Found\r\nLocation: /\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n", {"too-many-redirects"}),
    "redirect to nonsense": (b"HTTP/1.1 301 Moved\r\nLocation: http://[\xff\r\nContent-Length: 0\r\n\r\n", {"bad-url"}),
    "redirect that grows": (b"HTTP/1.1 301 Moved\r\nLocation: /" + b"a" * 9000 + b"\r\nContent-Length: 0\r\n\r\n", {"bad-url"}),
    "cookies of megabytes": (OK + b"".join(b"Set-Cookie: c%d=%s\r\n" % (n, b"x" * 4000) for n in range(60)) + b"\r\nx", {None}),
    "NUL in a header": (OK + b"X-Nul: a\x00b\r\n\r\nx", {"protocol", None}),
    "upgrade": (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", {"protocol", "connect", "timeout"}),
}  # fmt: skip


async def ask(handler, **settings) -> tuple[str | None, float, FetchResponse | None]:
    """The kind of error (None for a page), and how long it took."""

    async def connected(reader, writer):
        try:
            await reader.readuntil(b"\r\n\r\n")
            if isinstance(handler, bytes):
                writer.write(handler)
                await writer.drain()
                if handler.startswith(b"HTTP/1.1 30"):
                    await reader.readuntil(b"\r\n\r\n")
            else:
                await handler(writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    started = time.monotonic()
    page = kind = None
    async with client_for(max_bytes=LIMIT, timeout_seconds=SECONDS, max_redirects=5, **settings) as client:
        try:
            page = await client.fetch(FetchRequest(f"http://127.0.0.1:{port}/"))
        except FetchError as error:
            kind = error.kind
    server.close()
    return kind, time.monotonic() - started, page


def in_own_loop(coroutine):
    """Run, and end what a hostile server is still busy with."""
    return asyncio.run(asyncio.wait_for(coroutine, 30))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("unblocked_loop")
def test_every_kind_of_hostility_has_a_named_end(name):
    handler, expected = CASES[name]
    kind, seconds, _ = in_own_loop(ask(handler))
    assert kind in expected
    assert kind is None or kind in ERROR_KINDS
    assert seconds < SECONDS + PATIENCE


MEMBERS = {
    "gzip": gzip.compress(b"", mtime=0) * 400_000,
    "zstd": zstandard.compress(b"") * 900_000,
    "gzip, gzip": gzip.compress(gzip.compress(b"", mtime=0) * 100_000),
    "gzip, gzip, gzip": gzip.compress(gzip.compress(gzip.compress(b"", mtime=0) * 400_000, 1)),
}


@pytest.mark.parametrize("coding", MEMBERS)
@pytest.mark.usefixtures("unblocked_loop")
def test_a_body_of_members_without_number_is_refused_and_blocks_no_one(coding):
    body = MEMBERS[coding]

    async def fetch() -> None:
        async with serve(response(body, headers=(f"Content-Encoding: {coding}",))) as web, client_for() as client:
            with pytest.raises(FetchError, match="members"):
                await client.fetch(FetchRequest(f"http://127.0.0.1:{web.port}/"))

    started = time.process_time()
    in_own_loop(fetch())
    assert time.process_time() - started < 2


@pytest.mark.usefixtures("unblocked_loop")
@pytest.mark.parametrize(("servers", "chunks"), [(1, 1_000_000), (16, 40_000)])
@pytest.mark.parametrize("limit", [2_000_000, 30_000])
def test_chunks_of_a_byte_are_shared_out_among_turns(servers, chunks, limit):
    """All of them wait in the buffers of the sockets when the loop comes to them: other threads send."""
    sent = bytes(number % 251 for number in range(chunks))
    body = OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(b"1\r\n%c\r\n" % byte for byte in sent) + b"0\r\n\r\n"

    def send(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(10_000)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 << 20)
            with suppress(ConnectionError):  # whoever wants no more of it hangs up
                connection.sendall(body)

    async def fetch_all(urls: list[str]) -> list[FetchResponse | BaseException]:
        async with client_for(max_bytes=limit, timeout_seconds=60) as client:
            return await asyncio.gather(*(client.fetch(FetchRequest(url)) for url in urls), return_exceptions=True)

    with ExitStack() as opened:
        listeners = [opened.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(servers)]
        senders = [threading.Thread(target=send, args=(listener,)) for listener in listeners]
        for sender in senders:
            sender.start()
        pages = asyncio.run(fetch_all([f"http://127.0.0.1:{one.getsockname()[1]}/" for one in listeners]))
        for sender in senders:
            sender.join()
    for page in pages:
        if chunks <= limit:
            assert isinstance(page, FetchResponse) and page.body == sent
        else:
            assert isinstance(page, FetchError) and page.kind == "too-large"


def test_silence_is_told_from_slowness(monkeypatch):
    monkeypatch.setattr("tearsheet.fetch.transfer.SILENCE_SECONDS", 1)

    async def fetch():
        async def connected(reader, writer):
            writer.write(OK + b"\r\n")
            try:
                await asyncio.sleep(20)
            finally:
                writer.close()

        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        async with client_for(timeout_seconds=10) as client:
            with pytest.raises(FetchError) as error:
                await client.fetch(FetchRequest(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"))
        server.close()
        return error.value.kind

    started = time.monotonic()
    assert in_own_loop(fetch()) == "read-timeout"
    assert time.monotonic() - started < 1 + PATIENCE


def test_random_answers_never_end_in_another_error():
    """Valid answers with random bytes changed, cut or repeated, from a fixed seed."""
    chance = random.Random(42)
    seeds = [handler for handler, _ in CASES.values() if isinstance(handler, bytes) and 0 < len(handler) < 20_000]
    kinds = set()

    async def all_of_them():
        for _ in range(150):
            data = bytearray(chance.choice(seeds))
            for _ in range(chance.randint(1, 8)):
                at = chance.randrange(len(data) + 1)
                match chance.randrange(3):
                    case 0:
                        data[at : at + 1] = bytes([chance.randrange(256)])
                    case 1:
                        del data[at : at + chance.randrange(20)]
                    case _:
                        data[at:at] = data[at : at + chance.randrange(50)]
            kind, seconds, _ = await ask(bytes(data), allow=("127.0.0.1/32",))
            kinds.add(kind)
            assert kind is None or kind in ERROR_KINDS
            assert seconds < SECONDS + PATIENCE

    asyncio.run(asyncio.wait_for(all_of_them(), 100))
    assert len(kinds) >= 4
