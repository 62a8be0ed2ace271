"""Serves a newsroom on loopback: all sites on one port, told apart by the Host header, with every fault as declared.

    async with NewsroomServer(Newsroom()) as server:
        settings.fetch.connect_to = server.connect_to()

or, from code that is not asynchronous, `with serve_in_thread(Newsroom()) as server:`.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

from tearsheet.demo.browsing import directory_page, for_viewing, split_view
from tearsheet.demo.model import Manner, Reply
from tearsheet.demo.newsroom import Newsroom
from tearsheet.demo.wire import (
    CHUNKED,
    LAST_CHUNK,
    MAX_HEAD,
    Request,
    chunk,
    compressed,
    head_bytes,
    is_fresh,
    parse_head,
    whole,
)

LOOPBACK = "127.0.0.1"
_KEPT_PAGES = 4096
_DRIP_PIECES = 5
_DRIP_PAUSE = 0.05


@dataclass(slots=True, frozen=True)
class FeedAddress:
    """A feed to subscribe to."""

    url: str
    name: str
    """The paper's name."""
    language: str
    format: str


class NewsroomServer:
    """The server. `requests` counts requests by host and target since it was created; restarting does not reset it."""

    def __init__(self, newsroom: Newsroom, port: int = 0) -> None:
        self.newsroom = newsroom
        self.port = port
        """The port it listens on; chosen by the system if 0, and kept when the server is restarted."""
        self.requests: Counter[tuple[str, str]] = Counter()
        self._answered: Counter[tuple[str, str]] = Counter()
        self._pages: dict[tuple[str, str], Reply] = {}
        self._hosts = frozenset(newsroom.hosts)
        self._server: asyncio.Server | None = None
        self._connections: set[_Connection] = set()
        self._closed_door: socket.socket | None = None

    async def start(self) -> None:
        """Listen."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), LOOPBACK, self.port, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        # A port that is bound but not listened on: connections to it are refused, and nobody else can open it meanwhile.
        self._closed_door = socket.socket()
        self._closed_door.bind((LOOPBACK, 0))

    async def stop(self) -> None:
        """Stop listening, and end all connections, the hanging ones too."""
        if self._server is not None:
            self._server.close()
            for connection in tuple(self._connections):
                connection.end()
            await self._server.wait_closed()
            self._server = None
        if self._closed_door is not None:
            self._closed_door.close()
            self._closed_door = None

    async def __aenter__(self) -> NewsroomServer:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def address(self) -> str:
        """Where a person can browse the sites."""
        return f"http://{LOOPBACK}:{self.port}"

    def connect_to(self) -> dict[str, str]:
        """Every host name with the address that answers for it: the value for `fetch.connect_to`. Only while it runs."""
        assert self._closed_door is not None, "start the server first"
        here = f"{LOOPBACK}:{self.port}"
        nowhere = f"{LOOPBACK}:{self._closed_door.getsockname()[1]}"
        return dict.fromkeys(self.newsroom.hosts, here) | dict.fromkeys(self.newsroom.closed_hosts, nowhere)

    def feed_urls(self) -> list[FeedAddress]:
        """The feeds to subscribe to."""
        return [FeedAddress(feed.url, feed.title, feed.language, feed.format) for feed in self.newsroom.feeds]

    def answer(self, request: Request) -> Reply:
        """The reply to a request; counts it."""
        viewed = split_view(request.target) if request.host in (LOOPBACK, "localhost") else None
        host, target = viewed or (request.host, request.target)
        self.requests[host, target] += 1
        if request.method not in ("GET", "HEAD"):
            return Reply(405, (("Allow", "GET, HEAD"),))
        if viewed is None and host in (LOOPBACK, "localhost"):
            return directory_page(self.newsroom) if target == "/" else Reply(404)
        if host not in self._hosts:
            return Reply(421)
        reply = self._page(host, target)
        if is_fresh(request, reply):
            return Reply(304, reply.headers)
        return for_viewing(reply, host, self._hosts) if viewed else reply

    def _page(self, host: str, target: str) -> Reply:
        key, route = self.newsroom.find(host, target)
        if route.first:
            self._answered[key] += 1
            if self._answered[key] <= len(route.first):
                return route.first[self._answered[key] - 1]
        reply = self._pages.get(key)
        if reply is None:
            reply = route.make()
            if len(self._pages) >= _KEPT_PAGES:
                del self._pages[next(iter(self._pages))]
            self._pages[key] = reply
        return reply


class _Connection(asyncio.Protocol):
    """One client. Answers its requests one after the other, the plain ones at once, the others in a task."""

    def __init__(self, server: NewsroomServer) -> None:
        self._server = server
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._task: asyncio.Task[None] | None = None
        self._can_write = asyncio.Event()
        self._can_write.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._server._connections.discard(self)
        self._can_write.set()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self._can_write.clear()

    def resume_writing(self) -> None:
        self._can_write.set()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._task is None:
            self._work_off()

    def end(self) -> None:
        """Cut the connection."""
        if self._task is not None:
            self._task.cancel()
        if self._transport is not None:
            self._transport.abort()

    def _work_off(self) -> None:
        """Answer the requests that have arrived, up to the first that takes time."""
        assert self._transport is not None
        while self._task is None and not self._transport.is_closing():
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self._buffer) > MAX_HEAD:
                    self._transport.abort()
                return
            request = parse_head(bytes(self._buffer[:end]))
            del self._buffer[: end + 4]
            if request is None:
                self._transport.write(whole(Reply(400)))
                self._transport.close()
                return
            self._respond(request)

    def _respond(self, request: Request) -> None:
        assert self._transport is not None
        reply = self._server.answer(request)
        if reply.compress and request.accepts_gzip and reply.body:
            reply = compressed(reply)
        if reply.delay == 0 and (reply.manner is Manner.PLAIN or request.method == "HEAD"):
            self._transport.write(whole(reply, with_body=request.method == "GET"))
            if not request.keep_alive:
                self._transport.close()
            return
        self._task = asyncio.get_running_loop().create_task(self._deliver(reply, request))
        self._task.add_done_callback(self._delivered)

    def _delivered(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled():
            task.result()
            self._work_off()

    async def _deliver(self, reply: Reply, request: Request) -> None:
        """Send a reply in its manner."""
        assert self._transport is not None
        out = self._transport
        await asyncio.sleep(reply.delay)
        match reply.manner:
            case Manner.PLAIN:
                out.write(whole(reply))
            case Manner.CHUNKED | Manner.DRIP | Manner.REPEAT:
                await self._deliver_chunks(reply)
            case Manner.TRUNCATED | Manner.HANG_MIDDLE:
                out.write(head_bytes(reply, f"Content-Length: {len(reply.body)}") + reply.body[: len(reply.body) // 2])
            case Manner.GARBAGE:
                out.write(reply.body)
            case Manner.RESET:
                out.abort()
        if reply.manner in (Manner.HANG, Manner.HANG_MIDDLE):
            await asyncio.Event().wait()  # until the client or the server ends the connection
        if not request.keep_alive or reply.manner in (Manner.TRUNCATED, Manner.GARBAGE):
            out.close()

    async def _deliver_chunks(self, reply: Reply) -> None:
        assert self._transport is not None
        self._transport.write(head_bytes(reply, CHUNKED))
        size = len(reply.body) if reply.manner is Manner.REPEAT else -(-len(reply.body) // _DRIP_PIECES)
        pieces = [reply.body[start : start + size] for start in range(0, len(reply.body), size)]
        for piece in pieces * reply.repeat:
            await self._can_write.wait()
            if self._transport.is_closing():
                return
            self._transport.write(chunk(piece))
            await asyncio.sleep(_DRIP_PAUSE if reply.manner is Manner.DRIP else 0)
        self._transport.write(LAST_CHUNK)


@contextmanager
def serve_in_thread(newsroom: Newsroom, port: int = 0) -> Iterator[NewsroomServer]:
    """Run the server in its own thread for as long as the context lasts."""
    server = NewsroomServer(newsroom, port)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="newsroom", daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(30)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()
