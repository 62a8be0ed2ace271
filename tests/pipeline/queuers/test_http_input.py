"""Asking a server that the operator named: its login goes to that server and to no other."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tearsheet.errors import EngineError
from tearsheet.pipeline.queuers.http_input import opened_url, without_login

LOGIN = "Basic " + base64.b64encode(b"bob:secret").decode()


@contextmanager
def server(redirects: dict[str, str]) -> Iterator[tuple[int, list[tuple[str, str | None]]]]:
    """A server on loopback, its port, and the paths and logins that it saw."""
    seen: list[tuple[str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append((self.path, self.headers["Authorization"]))
            target = redirects.get(self.path)
            self.send_response(302 if target else 200)
            if target:
                self.send_header("Location", target)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format, *args):
            pass

    listener = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listener.serve_forever)
    thread.start()
    try:
        yield listener.server_port, seen
    finally:
        listener.shutdown()
        thread.join()
        listener.server_close()


def test_a_login_does_not_follow_a_redirect_to_another_origin():
    redirects = {"/here": "/there"}
    with server({}) as (elsewhere, seen_elsewhere), server(redirects) as (port, seen):
        redirects["/there"] = f"http://127.0.0.1:{elsewhere}/stolen"
        with opened_url(f"http://bob:secret@127.0.0.1:{port}/here") as response:
            assert response.status == 200
    assert seen == [("/here", LOGIN), ("/there", LOGIN)]
    assert seen_elsewhere == [("/stolen", None)]


def test_what_is_shown_has_no_login():
    assert without_login("https://bob:secret@a.example/x") == "https://a.example/x"
    with pytest.raises(EngineError) as refused, opened_url("http://bob:secret@127.0.0.1:1/x", timeout=5):
        pass
    assert "secret" not in str(refused.value)
