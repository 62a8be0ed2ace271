"""A server of ours that redirects: our login, or what is signed with it, reaches nobody else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tearsheet.engines.blobs import open_blobs
from tearsheet.engines.broker.rabbitmq_management import Management
from tearsheet.engines.index import open_index
from tearsheet.engines.server import parse_server_url
from tearsheet.errors import TearsheetError


@contextmanager
def redirector(target: str = "") -> Iterator[tuple[int, list[str]]]:
    """A server that sends everybody to the target; its port, and the logins that it saw."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            seen.append(self.headers["Authorization"] or "")
            self.send_response(307 if target else 200)
            if target:
                self.send_header("Location", f"{target}{self.path}")
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


ASKING: dict[str, Callable[[int, Path], object]] = {
    "s3 get": lambda port, data: open_blobs(f"s3://KEY:hunter22@127.0.0.1:{port}/b", data, patience=0.5).get("x"),
    "s3 put": lambda port, data: open_blobs(f"s3://KEY:hunter22@127.0.0.1:{port}/b", data, patience=0.5).put("x", b"y"),
    "s3 list": lambda port, data: list(open_blobs(f"s3://KEY:hunter22@127.0.0.1:{port}/b", data, patience=0.5).list()),
    "opensearch": lambda port, data: open_index(f"opensearch://me:hunter22@127.0.0.1:{port}/p", data, 0.0).get(["x"]),
    "elasticsearch": lambda port, data: open_index(f"elasticsearch://me:hunter22@127.0.0.1:{port}/p", data, 0.0).get(
        ["x"]
    ),
    "rabbitmq": lambda port, _: Management(
        parse_server_url(f"amqp://me:hunter22@127.0.0.1/?management={port}", "engines.broker", {"amqp": 5672})
    ).unacknowledged(),
}


@pytest.mark.parametrize("asked", ASKING)
def test_a_login_is_not_taken_to_another_server(asked, tmp_path):
    with redirector() as (elsewhere, seen_elsewhere), redirector(f"http://127.0.0.1:{elsewhere}") as (port, seen):
        try:
            ASKING[asked](port, tmp_path)
        except TearsheetError as error:
            assert "hunter22" not in str(error)
    assert any(seen), "the server was asked"
    assert not any(seen_elsewhere)
