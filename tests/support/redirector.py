"""A server on loopback that sends visitors elsewhere, and remembers who came."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Seen = list[tuple[str, str | None]]


@contextmanager
def redirector(targets: Mapping[str, str] | str = "", status: int = 302) -> Iterator[tuple[int, Seen]]:
    """Its port, and the paths and logins that it saw. Each path has a target or nothing; a server as target gets every path."""
    seen: Seen = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            seen.append((self.path, self.headers["Authorization"]))
            target = targets and (targets + self.path if isinstance(targets, str) else targets.get(self.path))
            self.send_response(status if target else 200)
            if target:
                self.send_header("Location", target)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer  # noqa: N815 - http.server's names

        def log_message(self, format, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port, seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
