"""A site that puts commands for terminals wherever a server can put text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from tests.support.served import served

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202egnp\u2066\u200f\u2028\x85[link=https://evil.example]x[/link][bold]bold[/bold]"
_TEXT = "The water rises in the old town, and nobody knows how long it will rain. " * 20


def _feed() -> bytes:
    items = [{"id": str(n), "url": f"http://hostile.example/{n}", "title": f"{HOSTILE} {n}"} for n in range(1, 4)]
    items.append({"id": "9", "url": f"http://hostile.example/9?\u202e{HOSTILE}", "title": f"={HOSTILE}"})
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": HOSTILE, "items": items}).encode()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        reason = HOSTILE.encode("latin-1", "replace").replace(b"\x85", b"").decode("latin-1")
        if self.path == "/feed.json":
            self._answer(200, "OK", "application/feed+json", _feed())
        elif self.path in ("/1", "/2"):
            page = f"<html><head><title>{HOSTILE} {self.path}</title><meta name=author content='{HOSTILE}'></head>"
            self._answer(
                200, reason, "text/html; charset=utf-8", f"{page}<body><p>{_TEXT}{HOSTILE}</p></body>".encode()
            )
        elif self.path == "/":
            link = f'<link rel=alternate type="application/feed+json" title="{HOSTILE}" href="/feed.json">'
            self._answer(200, reason, "text/html; charset=utf-8", link.encode())
        else:
            self._answer(404, reason, "text/html", b"")

    def _answer(self, status: int, reason: str, kind: str, body: bytes) -> None:
        self.send_response(status, reason)
        self.send_header("Content-Type", kind)
        self.send_header("X-Hostile", HOSTILE.encode("latin-1", "replace").decode("latin-1"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def hostile_site() -> Iterator[int]:
    """Serve it on loopback; yields the port."""
    with served(_Handler) as port:
        yield port
