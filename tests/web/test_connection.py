"""Connections that say nothing, speak slowly or do not listen: each ends, and others are answered meanwhile."""

from __future__ import annotations

import os
import socket
import time
from statistics import median
from urllib.parse import urlsplit

import httpx
import pytest

from tearsheet.web.app import create_app
from tests.support.flood import flood
from tests.support.patience import PATIENCE
from tests.support.web_process import serving_process
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app
from tests.support.withheld import processor_seconds, withheld_seconds

QUICK = {"web.head_seconds": 1, "web.body_seconds": 1, "web.reader_seconds": 1}


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    with (
        open_services(tmp_path_factory.mktemp("impatient"), **QUICK) as services,
        serve_app(create_app(services), services.settings.web) as address,
    ):
        yield urlsplit(address).port


def all_of(connection: socket.socket) -> bytes:
    """What the server says until it hangs up."""
    connection.settimeout(30)
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def said(port: int, words: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(words)
        return all_of(connection)


@pytest.mark.parametrize("words", [b"", b"GET /healthz HT", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_a_head_that_does_not_come_is_not_waited_for(impatient, words):
    assert said(impatient, words) == b""


@pytest.mark.parametrize("length", [b"content-length: 100", b"transfer-encoding: chunked"])
def test_a_body_that_does_not_come_is_not_waited_for(impatient, length):
    head = b"POST /ingest HTTP/1.1\r\nHost: localhost\r\n" + length + b"\r\n\r\n"
    assert said(impatient, head + b"5\r\n{").startswith(b"HTTP/1.1 408 ")


def test_the_next_head_on_a_connection_has_no_more_time(impatient):
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = said(impatient, whole + whole + b"GET /hea")
    assert answer.count(b"HTTP/1.1 200 OK") == 2


def test_drops_of_a_head_bring_no_more_time(impatient):
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", impatient)) as connection, pytest.raises(OSError):
        connection.sendall(b"GET / HTTP/1.1\r\nX: ")
        while time.monotonic() < begun + 30:
            connection.sendall(b"x")
            time.sleep(0.05)
    assert time.monotonic() < begun + 30


def test_what_is_no_http_after_all_leaves_no_traceback(impatient, caplog):
    answer = said(
        impatient, b"POST /ingest HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n"
    )
    assert answer.startswith(b"HTTP/1.1 400")
    assert said(impatient, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith(b"HTTP/1.1 200")
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("head", [b"X: " + b"y" * 80_000, b"".join(b"X-%d: y\r\n" % number for number in range(200))])
def test_a_head_may_not_be_large(impatient, head):
    answer = said(impatient, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + head.rstrip() + b"\r\n\r\n")
    assert answer[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400")
    endless = said(impatient, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 100_000)
    assert endless[:12] in (b"", b"HTTP/1.1 400")


def test_who_does_not_read_is_not_written_to_for_ever(impatient):
    """Whoever asks again and again and takes no answer fills the buffers on the way, and is then hung up on."""
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", impatient))
        connection.settimeout(30)
        with pytest.raises(ConnectionError):
            for _ in range(100_000):
                connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")


@pytest.fixture
def server(tmp_path):
    with serving_process(tmp_path) as serving:
        yield serving


@pytest.mark.proof
def test_pages_answer_while_thousands_hold_connections(server):
    """2,000 that say nothing and 500 that are slow, and come back when they are hung up on.

    Where other tests take all processors, not each answer can be that fast; and what the machine withholds from the server and
    from us is not the server's time. Measured: 40 microseconds of processor time a second for each connection.
    """
    port, process = server

    def withheld() -> float:
        return withheld_seconds(process) + withheld_seconds(os.getpid())

    def seconds(path: str) -> float:
        begun, before = time.monotonic(), withheld()
        assert httpx.get(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE).status_code == 200
        return time.monotonic() - begun - (withheld() - before)

    seconds("/search?q=climate")  # the first one opens the index
    with flood(port, silent=2000, slow=500) as attack:
        begun, used = time.monotonic(), processor_seconds(process)
        for path in ("/healthz", "/search?q=climate"):
            assert median(seconds(path) for _ in range(15)) < 1
        assert (processor_seconds(process) - used) / (time.monotonic() - begun) < 0.5, "of a processor"
    assert attack["ended"] > 0
