"""A proxy that spoils one chosen answer of an HTTP server and passes everything else on, for sweeps over calls and faults.

First a run is recorded: the kinds of its calls, in order. Then the same run is done again for each fault, and exactly one call
meets it. Faults that lose an answer let the request through, since that is what a client cannot know.
"""

from __future__ import annotations

import http.client
import re
import socket
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

STATUSES = {"500": "Internal Server Error", "502": "Bad Gateway", "503": "Service Unavailable"} | {
    "429": "Too Many Requests",
    "403": "Forbidden",
    "404": "Not Found",
}
FAULTS = (*STATUSES, "refused", "reset", "truncated", "garbage", "timeout")
"""Answers without asking the server; a connection that ends before the request gets there; and, after the server has done what was
asked: a connection that is reset in the middle of the answer, one that ends there, an answer of nonsense, and none at all."""


@dataclass(slots=True, frozen=True)
class Plan:
    """Which call is spoiled: the `number`th of a kind, from 0; and how."""

    kind: str
    number: int
    fault: str


class FaultProxy:
    """Listens on loopback in front of one server."""

    def __init__(self, url: str) -> None:
        self.target = urlsplit(url)
        self.plan: Plan | None = None
        self.calls: list[str] = []
        self.spoiled = 0
        self.closing = threading.Event()
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.proxy = self
        user, at, _ = self.target.netloc.rpartition("@")
        self.url = self.target._replace(netloc=f"{user}{at}127.0.0.1:{self._server.server_address[1]}").geturl()

    def begin(self, plan: Plan | None = None) -> None:
        """Forget the calls before, and spoil the next run as planned."""
        with self._lock:
            self.plan, self.calls, self.spoiled = plan, [], 0
            self._seen.clear()

    def fault_of(self, kind: str) -> str | None:
        """What happens to a call that has just come."""
        with self._lock:
            number = self._seen[kind]
            self._seen[kind] += 1
            self.calls.append(kind)
            if self.plan == Plan(kind, number, self.plan.fault if self.plan else ""):
                self.spoiled += 1
                return self.plan.fault if self.plan else None
            return None


@contextmanager
def in_front_of(url: str) -> Iterator[FaultProxy]:
    """A proxy for the time of the block."""
    proxy = FaultProxy(url)
    thread = threading.Thread(target=proxy._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.closing.set()
        proxy._server.shutdown()
        thread.join()
        proxy._server.server_close()


def kind_of(method: str, target: str) -> str:
    """Calls that differ only in names and numbers are of one kind."""
    path, _, query = target.partition("?")
    path = re.sub(r"[\w-]+\.warc\.gz|[0-9a-f]{12,}(-[0-9a-f]+)*|\d+", "N", path)
    options = sorted({pair.partition("=")[0] for pair in query.split("&") if pair})
    return f"{method} {path}{'?' if options else ''}{'&'.join(options)}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    proxy: FaultProxy

    def handle_error(self, *_: object) -> None:
        """A client that has gone away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def handle_one_request(self) -> None:
        self.raw_requestline = self.rfile.readline(65_537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        body = self._body()
        fault = self.server.proxy.fault_of(kind_of(self.command, self.path))
        if fault == "refused":
            self._reset()
        elif fault in STATUSES:
            retry = "Retry-After: 1\r\n" if fault == "429" else ""
            text = f"<html><body>{fault} {STATUSES[fault]}</body></html>".encode()
            head = f"HTTP/1.1 {fault} {STATUSES[fault]}\r\nContent-Type: text/html\r\n{retry}"
            self.wfile.write(f"{head}Content-Length: {len(text)}\r\n\r\n".encode())
            self.wfile.write(text if self.command != "HEAD" else b"")
        else:
            self._answer(fault, *self._asked(body))

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _asked(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        target = self.server.proxy.target
        server = http.client.HTTPConnection(target.hostname or "", target.port, timeout=60)
        try:
            server.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                    server.putheader(name, value)
            server.putheader("Content-Length", str(len(body)))
            server.endheaders(body)
            response = server.getresponse()
            return response.status, response.getheaders(), response.read()
        finally:
            server.close()

    def _answer(self, fault: str | None, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        if fault == "timeout":
            self.server.proxy.closing.wait(30)
            self.close_connection = True
            return
        if fault == "garbage":
            body = b"\xff\xfe no answer of ours " * (len(body) // 20 + 1)
        skipped = ("transfer-encoding", "connection", "content-length")
        lines = [f"{name}: {value}" for name, value in headers if name.lower() not in skipped]
        if status not in (204, 304):
            known = {name.lower(): value for name, value in headers}
            length = known.get("content-length", "0") if self.command == "HEAD" else str(len(body))
            lines.append(f"Content-Length: {length}")
        whole = "\r\n".join([f"HTTP/1.1 {status} x", *lines, "", ""]).encode() + (
            body if self.command != "HEAD" else b""
        )
        if fault in ("reset", "truncated"):
            self.wfile.write(whole[: len(whole) - max(len(body) // 2, 1) if body else len(whole) // 2])
            self.wfile.flush()
            if fault == "reset":
                self._reset()
            self.close_connection = True
            return
        self.wfile.write(whole)

    def _reset(self) -> None:
        """End the connection so that the other side sees it broken."""
        with suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass
