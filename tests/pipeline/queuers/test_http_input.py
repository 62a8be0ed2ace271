"""Asking a server that the operator named: its login goes to that server and to no other, and strangers lead us nowhere private."""

from __future__ import annotations

import base64
from http.client import HTTPResponse

import pytest

from tearsheet.errors import EngineError, ItemRefused
from tearsheet.pipeline.queuers import http_input
from tearsheet.pipeline.queuers.http_input import opened_url, whole_answer
from tearsheet.pipeline.queuers.remote import rss_fetcher
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


class Trickle(HTTPResponse):
    """An answer that comes byte by byte and has no end."""

    def __init__(self) -> None:
        """Without a connection."""

    def read1(self, n: int = -1) -> bytes:
        return b" "

    def close(self) -> None:
        pass


def test_an_answer_that_has_no_end_is_given_up():
    assert whole_answer(Trickle(), 10) == b" " * 11
    with pytest.raises(TimeoutError, match=r"longer than 0\.05 seconds"):
        whole_answer(Trickle(), 1 << 60, seconds=0.05)
