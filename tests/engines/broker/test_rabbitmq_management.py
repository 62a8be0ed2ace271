"""What answers at the port of the management API may be anything: then nothing is known, and the program goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tearsheet.engines.broker import rabbitmq_management
from tearsheet.engines.broker.rabbitmq_management import Management
from tearsheet.engines.server import parse_server_url


@contextmanager
def answering(body: bytes) -> Iterator[Management]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield Management(
            parse_server_url(f"amqp://u:p@127.0.0.1/?management={server.server_port}", "s", {"amqp": 5672})
        )
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[" * 100_000, b"5", b"[5]", b'[{"a": 1}]', b'[{"name": 5}]', b"\xff", b'{"name": "a"}']
)
def test_what_is_no_list_of_queues_is_none(body):
    with answering(body) as management:
        assert management.unacknowledged() is None


def test_an_answer_without_an_end_is_given_up(monkeypatch):
    monkeypatch.setattr(rabbitmq_management, "_MOST_BYTES", 100_000)
    with answering(b" " * 1_000_000) as management:
        assert management.unacknowledged() is None
