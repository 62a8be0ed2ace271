"""A loopback web server whose every byte is under the test's control, and a client for it."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tearsheet.fetch.client import Client
from tearsheet.settings import FetchSettings


@dataclass
class Request:
    """One request as the server saw it."""

    path: str
    host: str
    headers: dict[str, str]
    connection: int


@dataclass
class Web:
    """A running server: its port, what it was asked, and how many connections it had."""

    port: int
    requests: list[Request] = field(default_factory=list)
    connections: int = 0

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.requests]


Handler = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


def response(
    body: bytes = b"",
    status: str = "200 OK",
    headers: tuple[str, ...] = ("Content-Type: text/html",),
    length: int | None = None,
) -> bytes:
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body) if length is None else length}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def redirect(location: str, *headers: str, status: str = "302 Found") -> bytes:
    return response(b"", status, (f"Location: {location}", *headers))


@asynccontextmanager
async def serve(
    answer: Handler | bytes, address: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Web]:
    """Run a server. The answer is the same bytes for every request, or a coroutine that writes."""
    web = Web(0)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        web.connections += 1
        number = web.connections
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                headers = {
                    name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
                }
                request = Request(lines[0].split(" ")[1], headers.get("host", ""), headers, number)
                web.requests.append(request)
                if isinstance(answer, bytes):
                    writer.write(answer)
                else:
                    await answer(request, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, address, port, ssl=tls)
    web.port = server.sockets[0].getsockname()[1]
    try:
        yield web
    finally:
        server.close()


@asynccontextmanager
async def client_for(
    *resolve: str, allow: tuple[str, ...] = ("127.0.0.0/8",), **settings: Any
) -> AsyncIterator[Client]:
    client = Client(FetchSettings(allow_addresses=list(allow), **settings), resolve=resolve)
    try:
        yield client
    finally:
        await client.close()
