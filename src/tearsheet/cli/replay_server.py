"""A server for one captured page, on this machine only, with the limits of the other server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from types import TracebackType
from typing import Any

from tearsheet.app import serve_alone
from tearsheet.archive import ArchivedStory, ReplayPage, frame_page, in_frame
from tearsheet.web import bind, ours_alone, serve

_CAPTURE = "/capture"
Message = MutableMapping[str, Any]


class CaptureServer:
    """Serves the frame at `/` and the captured page inside it. The port is bound when it is made; use it in a `with` block."""

    def __init__(self, pages: Mapping[str, ReplayPage], port: int) -> None:
        """Raises BusyError and ConfigError."""
        self._pages = pages
        self._listener = bind("127.0.0.1", port)
        self.server_address: tuple[str, int] = self._listener.getsockname()
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None

    def __enter__(self) -> CaptureServer:
        """Nothing is served yet."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Free the port."""
        self._listener.close()

    def serve_forever(self) -> None:
        """Serve until a signal comes, or until `shutdown` is called in another thread."""
        serve_alone(self._serve)

    def shutdown(self) -> None:
        """Let `serve_forever` end."""
        if self._running is not None:
            loop, stop = self._running
            loop.call_soon_threadsafe(stop.set)

    async def _serve(self, stop: asyncio.Event) -> None:
        self._running = asyncio.get_running_loop(), stop
        await serve(ours_alone(self._answer), self._listener, stop)

    async def _answer(
        self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        asked = "/" if scope["path"] == _CAPTURE and not in_frame(headers.get("sec-fetch-dest")) else scope["path"]
        page = self._pages.get(asked) if scope["method"] in ("GET", "HEAD") else None
        body = page.body if page else b""
        told = {**(page.headers if page else {}), "content-length": str(len(body))}
        pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in told.items()]
        await send({"type": "http.response.start", "status": 200 if page else 404, "headers": pairs})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def make_server(archived: ArchivedStory, capture: ReplayPage, port: int) -> CaptureServer:
    """A server for one story and its page as it is shown; not started yet. Raises BusyError."""
    return CaptureServer({"/": frame_page(archived, _CAPTURE), _CAPTURE: capture}, port)


def serve_capture(archived: ArchivedStory, capture: ReplayPage, port: int, announce: Callable[[str], None]) -> None:
    """Serve until interrupted."""
    with make_server(archived, capture, port) as server:
        announce(f"http://127.0.0.1:{server.server_address[1]}/")
        server.serve_forever()
