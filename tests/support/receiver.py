"""A loopback server that keeps what it is sent, unpacked: a Sentry or an OpenTelemetry collector for tests."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import brotli

_UNPACK = {None: bytes, "gzip": gzip.decompress, "br": brotli.decompress}


class Receiver:
    """Where it listens, and what came: path and body of each request."""

    def __init__(self, port: int) -> None:
        self.address = f"127.0.0.1:{port}"
        self.came: list[tuple[str, bytes]] = []

    def bodies(self, path: str) -> list[bytes]:
        """What was sent to a path, in order."""
        return [body for found, body in self.came if found == path]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A server for the time of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            receiver.came.append((self.path, _UNPACK[self.headers.get("content-encoding")](body)))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver = Receiver(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
