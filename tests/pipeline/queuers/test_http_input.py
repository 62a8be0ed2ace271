"""Asking a server that the operator named: its login goes to that server and to no other, and strangers lead us nowhere private."""

from __future__ import annotations

import base64
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from tearsheet.errors import EngineError, ItemRefused
from tearsheet.pipeline.queuers import http_input
from tearsheet.pipeline.queuers.http_input import opened_url, whole_answer
from tearsheet.pipeline.queuers.remote import rss_fetcher
from tests.support.patience import PATIENCE
from tests.support.redirector import redirector

LOGIN = "Basic " + base64.b64encode(b"bob:secret").decode()


def refusal(url: str) -> str:
    with pytest.raises((EngineError, ItemRefused)) as refused, opened_url(url, timeout=20):
        pass
    return str(refused.value)


def test_a_request_with_a_login_stays_with_its_origin():
    redirects = {"/here": "/there"}
    with redirector() as (elsewhere, seen_elsewhere), redirector(redirects) as (port, seen):
        redirects["/there"] = f"http://127.0.0.1:{elsewhere}/stolen"
        said = refusal(f"http://bob:secret@127.0.0.1:{port}/here")
    assert "our login is not for that server" in said and "secret" not in said
    assert seen == [("/here", LOGIN), ("/there", LOGIN)]
    assert seen_elsewhere == []


@pytest.mark.parametrize("place", ["localhost:{port}", "127.1:{port}", "bob:secret@localhost:{port}", "[::1]:{port}"])
def test_another_spelling_of_the_host_is_another_origin(place):
    redirects: dict[str, str] = {}
    with redirector(redirects) as (port, seen):
        redirects["/here"] = f"http://{place.format(port=port)}/stolen"
        refusal(f"http://bob:secret@127.0.0.1:{port}/here")
    assert seen == [("/here", LOGIN)]


def test_an_rss_fetcher_cannot_send_our_login_elsewhere():
    redirects: dict[str, str] = {}
    with redirector() as (elsewhere, seen_elsewhere), redirector(redirects) as (port, seen):
        redirects["/api/rss_entries/1?_limit=2500"] = f"http://127.0.0.1:{elsewhere}/api/rss_entries/1"
        with pytest.raises(ItemRefused, match="our login is not for that server"):
            rss_fetcher(f"http://bob:secret@127.0.0.1:{port}")(1)
    assert len(seen) == 1 and seen_elsewhere == []


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_redirect_without_a_login_reaches_no_private_address(name):
    redirects: dict[str, str] = {}
    with redirector() as (elsewhere, seen_elsewhere), redirector(redirects) as (port, _):
        redirects["/here"] = f"http://{name}:{elsewhere}/inside"
        said = refusal(f"http://127.0.0.1:{port}/here")
    assert "is refused (loopback)" in said
    assert seen_elsewhere == []


def test_a_redirect_to_a_public_address_is_followed(monkeypatch):
    monkeypatch.setattr(http_input, "Guard", _Open)
    redirects: dict[str, str] = {}
    with redirector() as (elsewhere, seen_elsewhere), redirector(redirects) as (port, _):
        redirects["/here"] = f"http://127.0.0.1:{elsewhere}/file"
        with opened_url(f"http://127.0.0.1:{port}/here") as response:
            assert response.status == 200
    assert seen_elsewhere == [("/file", None)]


class _Open:
    """A guard for which loopback is the public network, which tests cannot reach."""

    def refuse_address(self, _: str) -> None:
        return None


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "http://127.0.0.1:x/"])
def test_a_redirect_to_anything_but_http_is_refused(target):
    with redirector({"/here": target}) as (port, _):
        assert "not an http or https address" in refusal(f"http://127.0.0.1:{port}/here")


def test_a_circle_ends():
    with redirector({"/here": "/here"}) as (port, seen):
        assert "more than 10 redirects" in refusal(f"http://127.0.0.1:{port}/here")
    assert len(seen) == 10


@pytest.mark.parametrize("login", ["bob:hunter22", "bob:hun/ter22", "bob:hun@ter22", "bob:hun?ter22", "bob:1/hunter22"])
def test_what_is_shown_has_no_login(login):
    said = refusal(f"http://{login}@127.0.0.1:1/x")
    assert "hun" not in said and "ter22" not in said


OK = b"HTTP/1.1 200 OK\r\n"
TRICKLES = {
    "a status line": (b"HTTP/1.1 200 ", b"x"),
    "a head": (OK + b"X: ", b"x"),
    "answers before the answer": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a body": (OK + b"\r\n", b"x"),
    "a body of a known length": (OK + b"Content-Length: 1000000\r\n\r\n", b"x"),
    "chunks": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "the size of a chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\n1;", b"x"),
    "trailers": (OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: x\r\n"),
    "a redirect": (b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", b""),
}


@contextmanager
def trickling(first: bytes, again: bytes) -> Iterator[int]:
    """A server, by its port, that sends the same few bytes again and again, long before anybody loses patience with one of them."""
    over = threading.Event()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(10_000)
            with suppress(OSError):
                over.wait(0.05)
                self.request.sendall(first)
                while again and not over.wait(0.01):
                    self.request.sendall(again)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            over.set()
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(("first", "again"), TRICKLES.values(), ids=TRICKLES)
def test_an_answer_that_has_no_end_is_given_up(first, again):
    with trickling(first, again) as port:
        started = time.monotonic()
        with (
            pytest.raises(EngineError, match=r"not whole after 0\.3 seconds|timed out"),
            opened_url(f"http://127.0.0.1:{port}/", timeout=0.3) as response,
        ):
            whole_answer(response, 1 << 60)
        assert time.monotonic() - started < PATIENCE


def test_a_file_may_take_longer_if_it_keeps_coming():
    with trickling(OK + b"Content-Length: 10040\r\n\r\n", b"x" * 251) as port:
        with opened_url(f"http://127.0.0.1:{port}/", timeout=0.3, pace=1_000) as response:
            assert whole_answer(response, 1 << 60) == b"x" * 10_040
        with (
            pytest.raises(EngineError, match=r"not whole after 0\.3\d* seconds|timed out"),
            opened_url(f"http://127.0.0.1:{port}/", timeout=0.3, pace=1_000_000) as response,
        ):
            whole_answer(response, 1 << 60)


def test_no_more_is_read_than_is_wanted():
    with trickling(OK + b"\r\n", b"x" * 100) as port, opened_url(f"http://127.0.0.1:{port}/") as response:
        assert whole_answer(response, 10) == b"x" * 11


def test_a_name_with_hundreds_of_silent_addresses_is_given_up(monkeypatch):
    asked: list[float] = []

    def silent(_address: object, timeout: float) -> None:
        asked.append(timeout)
        time.sleep(timeout)
        raise TimeoutError("timed out")

    addresses = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"8.8.{n}.8", 80)) for n in range(200)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: addresses)
    monkeypatch.setattr(socket, "create_connection", silent)
    connection = http_input._GuardedConnection("many.example", 80, timeout=0.1)
    with pytest.raises(TimeoutError):
        connection.connect()
    assert len(asked) < 10
