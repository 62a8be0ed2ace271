"""Servers that misbehave, each in its own way, polled together: the columns, events and notes say what each one did."""

from __future__ import annotations

import asyncio
import gzip
import socket
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from email.utils import format_datetime

import pytest

from tearsheet.feeds.polling.schedule import HARD, SOFT
from tearsheet.fetch import transfer
from tests.support.feed_fakes import rss
from tests.support.loopback_web import Request, redirect, response, serve
from tests.support.poll_scene import START, PollScene, loopback_client

XML = ("Content-Type: application/rss+xml",)
GZIP = ("Content-Encoding: gzip",)
Answer = bytes | Callable[[Request, asyncio.StreamWriter], Awaitable[None]]

BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (n, b"&%c;" % (n - 1) * 100) for n in range(ord("b"), ord("j")))
    + b']><rss version="2.0"><channel><title>&i;</title><item><link>http://n.example/bomb</link></item></channel></rss>'
)


async def close_at_once(_: Request, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def reset(_: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(response(b"<rss", length=10_000))
    await writer.drain()
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    writer.transport.abort()


async def stop_early(_: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(response(b"<rss", length=10_000))
    await writer.drain()
    writer.close()


async def silence(_: Request, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(20)


async def trickle(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(200):
        writer.write(b"<!-- drop by drop -->")
        await writer.drain()
        await asyncio.sleep(0.1)


async def endless_body(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b'HTTP/1.1 200 OK\r\n\r\n<rss version="2.0"><channel>')
    piece = b"<item><link>http://n.example/a</link></item>" * 2000
    for _ in range(10_000):
        writer.write(piece)
        await writer.drain()


async def endless_redirect(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(redirect(f"{request.path}x"))


def with_status(line: str, *headers: str, body: bytes = b"sorry") -> bytes:
    return response(body, line, headers)


@dataclass
class Case:
    """A server, and what the feed's columns must say after one poll."""

    name: str
    answer: Answer
    status: str
    note: str
    weight: float = SOFT
    retrieved: bool = False


def failing(name: str, answer: Answer, status: str, detail: str = "", **more: object) -> Case:
    return Case(name, answer, status, f"{status}; {detail}" if detail else status, **more)  # type: ignore[arg-type]  # fields of Case


def parse_error(name: str, body: bytes, reason: str, *headers: str) -> Case:
    note = f"parse error; Exception({reason!r})"
    return Case(name, response(body, headers=(*XML, *headers)), "parse error", note, retrieved=True)


def working(name: str, body: bytes, note: str, *headers: str) -> Case:
    return Case(name, response(body, headers=(*XML, *headers)), "Working", note, 0.0, retrieved=True)


IN_AN_HOUR = format_datetime(START + timedelta(hours=9), usegmt=True)
CASES = [
    failing("not found", with_status("404 Not Found"), "HTTP 404 Not Found"),
    failing("forbidden", with_status("403 Forbidden"), "HTTP 403 Forbidden", weight=HARD),
    failing("gone", with_status("410 Gone"), "HTTP 410 Gone", weight=HARD),
    failing("teapot", with_status("418 I'm short and stout"), "HTTP 418 I'm short and stout", weight=HARD),
    failing("broken", with_status("500 Internal Server Error"), "HTTP 500 Internal Server Error"),
    failing("no words", with_status("599"), "HTTP 599"),
    failing("busy", with_status("503 Service Unavailable", "Retry-After: 36000"), "HTTP 503 Service Unavailable"),
    failing("too many", with_status("429 Too Many Requests", f"Retry-After: {IN_AN_HOUR}"), "HTTP 429 Too Many Requests"),
    failing("partial", with_status("206 Partial Content"), "HTTP 206 Partial Content", weight=HARD),
    failing("304 unasked", with_status("304 Not Modified", body=b""), "HTTP 304 Not Modified", weight=HARD),
    failing("closes at once", close_at_once, "connection error", "connect: "),
    failing("resets", reset, "connection error", "connect: "),
    failing("stops early", stop_early, "fetch error", "protocol: "),
    failing("no HTTP", b"220 mail.example ESMTP\r\n\r\n", "fetch error", "protocol: "),
    failing("silence", silence, "read timeout", "read-timeout: "),
    failing("drop by drop", trickle, "job timeout", "timeout: "),
    failing("circle", redirect("/feed"), "too many redirects", "too-many-redirects: "),
    failing("endless redirect", endless_redirect, "too many redirects", "too-many-redirects: "),
    failing("redirect to a file", redirect("file:///etc/passwd"), "fetch error", "bad-url: ", weight=HARD),
    failing("redirect inside", redirect("http://169.254.169.254/"), "fetch error", "forbidden-address: ", weight=HARD),
    failing("a gigabyte stated", response(b"<rss>", headers=XML, length=10**9), "fetch error", "too-large: "),
    failing("endless body, ten million items", endless_body, "fetch error", "too-large: "),
    failing("gzip bomb", response(gzip.compress(bytes(50_000_000)), headers=GZIP), "fetch error", "too-large: "),
    failing("false gzip", response(b"not gzip", headers=GZIP), "fetch error", "protocol: "),
    parse_error("empty", b"", "empty"),
    parse_error("blank", b" \r\n\0 ", "empty"),
    parse_error("web page", b"<!DOCTYPE html><html><body>Maintenance</body></html>", "html?"),
    parse_error("web page without a frame", b"<div class=x><p>Sorry<br></div>", "html?"),
    parse_error("other JSON", b'{"error": 42}', "no version"),
    parse_error("other XML", b"<note><to>you</to></note>", "no version"),
    parse_error("a picture", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "no version"),
    working("entity bomb", BOMB, "0 skipped / 1 added"),
    working("null bytes", rss("http://n.example/null").replace(b"<title>", b"<title>\0\0"), "0 skipped / 1 added"),
    working("cut off in a link", rss("http://n.example/cut", "http://n.example/off")[:-40], "1 skipped / 1 added"),
    working("cut off after it", rss("http://n.example/cut2", "http://n.example/off2")[:-20], "0 skipped / 2 added"),
    working("deep", rss("http://n.example/deep", extra="<a>" * 5000 + "</a>" * 5000), "0 skipped / 1 added"),
    working("link to this machine", rss("http://127.0.0.1/admin/x"), "0 skipped / 1 added"),
    working("bare ampersand", rss("http://n.example/q?a=1&b=2&nbsp;"), "0 skipped / 1 added"),
    working("wrong kind stated", rss("http://n.example/kind"), "0 skipped / 1 added", "Content-Type: text/html"),
]  # fmt: skip


@pytest.fixture(scope="module")
def polled(tmp_path_factory: pytest.TempPathFactory):
    """Every server polled once, all by one poller in one run."""
    patch = pytest.MonkeyPatch()
    patch.setattr(transfer, "SILENCE_SECONDS", 1)
    scene = PollScene(tmp_path_factory.mktemp("scene"), max_bytes=2_000_000, timeout_seconds=4.0)

    async def run() -> dict[str, int]:
        ids: dict[str, int] = {}
        async with AsyncExitStack() as stack:
            for number, case in enumerate(CASES):
                web = await stack.enter_async_context(serve(case.answer, f"127.0.1.{number + 1}"))
                [ids[case.name]] = scene.add(f"http://127.0.1.{number + 1}:{web.port}/feed")
            [ids["plain"]] = scene.add(await stack.enter_async_context(_plain_text_to_https()))
            full, port = _listener_with_a_full_line()
            for sock in full:
                stack.callback(sock.close)
            [ids["full"]] = scene.add(f"http://127.0.2.1:{port}/feed")
            [ids["refused"]] = scene.add(f"http://127.0.2.2:{_unused_port()}/feed")
            client = await stack.enter_async_context(loopback_client())
            await scene.poll(client)
        return ids

    try:
        yield scene, asyncio.run(run())
    finally:
        patch.undo()
        scene.database.close()


@asynccontextmanager
async def _plain_text_to_https():
    async def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(connected, "127.0.2.3", 0)
    yield f"https://127.0.2.3:{server.sockets[0].getsockname()[1]}/feed"
    server.close()


def _listener_with_a_full_line() -> tuple[list[socket.socket], int]:
    """A port that lets nobody in: its line is full, and nobody accepts."""
    listener = socket.socket()
    listener.bind(("127.0.2.1", 0))
    listener.listen(0)
    port = listener.getsockname()[1]
    waiting = [socket.socket() for _ in range(4)]
    for sock in waiting:
        sock.setblocking(False)
        sock.connect_ex(("127.0.2.1", port))
    return [listener, *waiting], port


def _unused_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.2.2", 0))
        return int(sock.getsockname()[1])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_columns_event_and_note(polled, case: Case) -> None:
    scene, ids = polled
    row = scene.row(ids[case.name])
    event, note = scene.last_event(ids[case.name])
    assert row.system_status == case.status
    assert event == ("fetch_failed" if case.weight else "fetch_succeeded")
    assert note is not None
    assert note.startswith(case.note)
    assert note == case.note or case.note.endswith(": ")
    assert len(note) <= 500
    assert row.last_fetch_failures == case.weight
    assert row.last_fetch_attempt == START
    assert row.last_fetch_success == (START if case.retrieved else None)
    assert row.queued is False
    assert row.next_fetch_attempt > START


def test_no_way_in(polled) -> None:
    scene, ids = polled
    assert scene.row(ids["full"]).system_status == "connect timeout"
    assert scene.last_event(ids["full"])[1].startswith("connect timeout; connect-timeout: ")
    assert scene.row(ids["refused"]).system_status == "connection error"
    assert scene.row(ids["plain"]).system_status == "SSL error"
    assert scene.last_event(ids["plain"])[1].startswith("SSL error; ssl: ")


@pytest.mark.parametrize(("name", "hours"), [("busy", 10), ("too many", 9)])
def test_servers_that_ask_for_a_pause_get_it(polled, name: str, hours: int) -> None:
    scene, ids = polled
    row = scene.row(ids[name])
    assert row.next_fetch_attempt == START + timedelta(hours=hours)
    assert "Retry-After" in row.next_fetch_reason


def test_every_poll_was_announced_and_counted(polled) -> None:
    scene, ids = polled
    assert len(ids) > 40
    assert all(scene.events(feed)[0] == ("queued", None) for feed in ids.values())
    failed = sum(1 for case in CASES if case.weight) + 3
    assert scene.counters["feeds.fetch_failed"] == failed
    assert scene.counters["feeds.fetch_succeeded"] == len(ids) - failed
