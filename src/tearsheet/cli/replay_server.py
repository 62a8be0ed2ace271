"""A server for one captured page, on this machine only."""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tearsheet.archive import ArchivedStory, ReplayPage, frame_page, in_frame, replay_page, whole_page
from tearsheet.errors import BusyError

_CAPTURE = "/capture"


def make_server(archived: ArchivedStory, port: int, whole: bytes | None = None) -> ThreadingHTTPServer:
    """A server for the frame at `/` and the captured page inside it; not started yet.

    `whole` is the page with its captured parts embedded, if it has any.
    """
    capture = replay_page(archived) if whole is None else whole_page(whole)
    pages = {"/": frame_page(archived, _CAPTURE), _CAPTURE: capture}

    class Handler(BaseHTTPRequestHandler):
        server_version, sys_version = "tearsheet", ""

        def do_GET(self) -> None:
            framed = in_frame(self.headers.get("sec-fetch-dest"))
            self._send(pages.get(self.path if framed or self.path != _CAPTURE else "/"))

        def _send(self, page: ReplayPage | None) -> None:
            self.send_response(200 if page else 404)
            for name, value in (page.headers if page else {}).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(page.body) if page else 0))
            self.end_headers()
            if page:
                self.wfile.write(page.body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise BusyError(
            f"port {port} of 127.0.0.1 cannot be used: {error.strerror}; choose another with --port"
        ) from error


def serve_capture(archived: ArchivedStory, whole: bytes | None, port: int, announce: Callable[[str], None]) -> None:
    """Serve until interrupted."""
    with make_server(archived, port, whole) as server:
        announce(f"http://127.0.0.1:{server.server_address[1]}/")
        server.serve_forever()
