"""Who is let in: nobody from elsewhere without a token, nobody too often, and no other site through a reader's browser."""

from __future__ import annotations

import base64
import socket
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.datastructures import URL

from tearsheet.app.token_store import TokenStore
from tearsheet.app.tokens import WRITE
from tearsheet.errors import ConfigError
from tearsheet.web import guard, server
from tearsheet.web.app import create_app
from tests.support.paths import ROOT
from tests.support.patience import PATIENCE
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app

HTML = {"accept": "text/html"}
PASSED_ON = {"x-forwarded-for": "203.0.113.9"}
FEED = {"url": "ftp://x"}
"""A request to change something that is understood, and then refused for its address."""


class Time:
    """A clock that stands still until it is told to move."""

    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def outside(tmp_path):
    """A server that is set to listen to the world, with a reader's and a writer's token and a small limit."""
    clock = Time()
    with open_services(tmp_path, **{"web.host": "0.0.0.0", "web.requests_per_minute": 6}) as services:
        store = TokenStore(services.database)
        tokens = {"read": store.create("reader"), "write": store.create("writer", WRITE)}
        with (
            serve_app(create_app(services, clock=clock)) as address,
            httpx.Client(base_url=address, timeout=PATIENCE) as client,
        ):
            yield client, tokens, clock, store


def token(secret: str) -> dict[str, str]:
    return {"authorization": f"Token {secret}"}


@pytest.mark.parametrize(
    "path", ["/", "/search?q=*", "/api/search/total-count", "/metrics", "/openapi.json", "/static/style.css"]
)
def test_without_a_token_nothing_is_shown(outside, path):
    client, *_ = outside
    answer = client.get(path)
    assert answer.status_code == 401
    assert "tearsheet token create" in answer.json()["note"]
    assert client.get(path, headers=token("tear_wrong")).status_code == 401


def test_health_is_open(outside):
    assert outside[0].get("/healthz").status_code == 200


def test_nothing_else_passes_for_what_is_open(outside, monkeypatch):
    """Not by its path, nor by a Host header that a library takes for a part of the path: releases before our lock's do."""
    for path in ("/healthz%3F", "/healthz%23/search", "/static/%3F/../../metrics", "//healthz", "/healthz/"):
        assert outside[0].get(path).status_code == 401
    for host in ("x/healthz?", "x/healthz#", "x:80/healthz?", "[::1]/healthz?", "a@x/healthz?"):
        monkeypatch.setattr("starlette.requests.Request.url", URL(f"http://{host}/search"))
        for path in ("/search?q=*", "/metrics", "/api/search/story-list"):
            assert outside[0].get(path).status_code == 401
            assert outside[0].get(path, headers={"host": host}).status_code == 400


@pytest.mark.parametrize("form", ["Token {}", "token {}", "Bearer {}"])
def test_a_token_opens(outside, form):
    client, tokens, *_ = outside
    answer = client.get("/api/auth/profile", headers={"authorization": form.format(tokens["read"])})
    assert answer.json()["username"] == "reader"


def test_a_browser_is_asked_and_may_read_by_its_prompt_but_not_write(outside):
    client, tokens, *_ = outside
    assert client.get("/", headers=HTML).headers["www-authenticate"].startswith("Basic ")
    prompt = {"authorization": "Basic " + base64.b64encode(f"me:{tokens['write']}".encode()).decode()}
    assert client.get("/", headers=HTML | prompt).status_code == 200
    assert client.post("/api/sources/feeds/", json={"url": "https://a.example/"}, headers=prompt).status_code == 403


@pytest.mark.parametrize("header", ["Basic !!!", "Basic", "Token", "Digest x", "Basic " + "YQ==", "\xff"])
def test_a_broken_header_is_no_token(outside, header):
    assert outside[0].get("/", headers={"authorization": header.encode("latin-1")}).status_code == 401


def test_reading_rights_do_not_write(outside):
    client, tokens, *_ = outside
    feed = {"url": "https://news.example/feed.xml", "collections": ["Mine"]}
    refused = client.post("/api/sources/feeds/", json=feed, headers=token(tokens["read"]))
    assert refused.status_code == 403 and "--write" in refused.json()["note"]
    made = client.post("/api/sources/feeds/", json=feed, headers=token(tokens["write"]))
    assert (made.status_code, made.json()["added"]) == (201, True)
    again = client.post("/api/sources/feeds/", json=feed, headers=token(tokens["write"]))
    assert again.json() == {"id": made.json()["id"], "added": False}
    bad = client.post("/api/sources/feeds/", json={"url": "ftp://x"}, headers=token(tokens["write"]))
    assert bad.status_code == 400


def test_who_asks_too_often_is_told_when_to_come_back(outside):
    client, tokens, clock, _ = outside
    reader = token(tokens["read"])
    answers = [client.get("/api/search/total-count?q=tide", headers=reader).status_code for _ in range(7)]
    assert answers == [200] * 6 + [429]
    refused = client.get("/api/search/total-count?q=tide", headers=reader)
    assert refused.headers["retry-after"] == "10"
    assert client.get("/api/search/total-count?q=tide", headers=token(tokens["write"])).status_code == 200
    clock.now += 10
    assert client.get("/api/search/total-count?q=tide", headers=reader).status_code == 200
    assert client.get("/api/search/total-count?q=tide", headers=reader).status_code == 429


def test_a_revoked_token_is_refused_at_once(outside):
    client, tokens, _, store = outside
    assert client.get("/api/search/total-count?q=tide", headers=token(tokens["read"])).status_code == 200
    store.revoke("reader")
    assert client.get("/api/search/total-count?q=tide", headers=token(tokens["read"])).status_code == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8700", "127.0.0.1.evil.example", "localhost.", "localhost.evil", "10.0.0.1"]
)
def test_on_loopback_only_this_machines_names_are_answered_to(client, host):
    assert client.get("/overview.json", headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    "host", ["", "a@127.0.0.1", "127.0.0.1:80:80", "[::1", "evil.example@localhost", "127.0.0.1/x"]
)
def test_a_host_that_is_badly_written_is_refused(client, host):
    answer = client.get("/overview.json", headers={"host": host})
    assert (answer.status_code, answer.json()["status"]) == (400, "error")


def answer_to(address: str, head: str) -> bytes:
    """What the server says to these lines."""
    with socket.create_connection(("127.0.0.1", urlsplit(address).port), timeout=PATIENCE) as connection:
        connection.sendall(f"{head}\r\nConnection: close\r\n\r\n".replace("\n", "\r\n").replace("\r\r", "\r").encode())
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    "head",
    [
        "GET /overview.json HTTP/1.1\nHost: 127.0.0.1\nHost: evil.example",
        "GET /overview.json HTTP/1.1\nHost: evil.example\nHost: 127.0.0.1",
        "GET /overview.json HTTP/1.1\nHost: 127.0.0.1\nHost: 127.0.0.1",
        "GET /overview.json HTTP/1.1\nHost: evil.example\n 127.0.0.1",
        "GET /overview.json HTTP/1.1\nAccept: */*",
        "GET http://evil.example/overview.json HTTP/1.1\nHost: 127.0.0.1",
        "GET http://127.0.0.1/overview.json HTTP/1.1\nHost: 127.0.0.1",
        "GET evil.example/overview.json HTTP/1.1\nHost: 127.0.0.1",
        "OPTIONS * HTTP/1.1\nHost: 127.0.0.1",
        "CONNECT evil.example:443 HTTP/1.1\nHost: 127.0.0.1",
    ],
)
def test_a_request_that_names_several_hosts_none_or_another_in_its_line_is_refused(address, head):
    """We are no proxy; what another server makes of such a head is not what we make of it."""
    assert answer_to(address, head)[:13] == b"HTTP/1.1 400 "


@pytest.mark.parametrize("host", ["localhost:8700", "127.0.0.1", "[::1]:8700", "127.1.2.3:1"])
def test_on_loopback_no_token_is_needed(client, host):
    assert client.get("/api/auth/profile", headers={"host": host}).json()["username"] == "local"


@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}]
)
def test_no_other_site_changes_anything_through_a_browser(client, headers):
    answer = client.post("/api/sources/feeds/", json={"url": "https://a.example/feed"}, headers=headers)
    assert answer.status_code == 403


@contextmanager
def serving(folder, **flags):
    """A client of a server with these settings, its tokens and its clock."""
    clock = Time()
    settings = {name.replace("__", "."): value for name, value in flags.items()}
    with open_services(folder, **settings) as services:
        store = TokenStore(services.database, clock)
        with (
            serve_app(create_app(services, clock=clock), services.settings.web) as address,
            httpx.Client(base_url=address, timeout=30) as client,
        ):
            yield client, store, clock


# ------------------------------------------------------------------------------------------- proxies and this machine


@pytest.mark.parametrize("name", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Via", "CF-Ray"])
def test_what_a_proxy_passes_on_is_not_local(client, name):
    """Whatever it says about the host: a proxy may name us as we are called here."""
    answer = client.get("/overview.json", headers={name: "203.0.113.9", "host": "127.0.0.1:8700"})
    assert answer.status_code == 401
    assert client.post("/api/sources/feeds/", json=FEED, headers={name: "x"}).status_code == 401


def test_a_proxy_that_adds_no_header_is_known_by_its_version(address):
    with socket.create_connection(("127.0.0.1", urlsplit(address).port), timeout=30) as connection:
        connection.sendall(b"GET /overview.json HTTP/1.0\r\nHost: 127.0.0.1:8700\r\nConnection: close\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 401 ")


def test_a_token_opens_through_a_proxy_that_keeps_the_name_of_the_site(tmp_path):
    with serving(tmp_path) as (client, store, _):
        headers = PASSED_ON | {"host": "news.example"}
        assert client.get("/api/search/total-count?q=tide", headers=headers).status_code == 401
        reader = headers | token(store.create("reader"))
        assert client.get("/api/auth/profile", headers=reader).json()["username"] == "reader"


def test_a_trusted_proxy_never_speaks_for_this_machine(tmp_path):
    with serving(tmp_path, web__trusted_proxies="127.0.0.1") as (client, store, _):
        assert client.get("/api/search/total-count?q=tide").status_code == 401
        assert client.get("/api/search/total-count?q=tide", headers=PASSED_ON).status_code == 401
        assert (
            client.get("/api/search/total-count?q=tide", headers=PASSED_ON | token(store.create("reader"))).status_code
            == 200
        )


@pytest.mark.parametrize(("rights", "read", "write"), [("write", 200, 400), ("read", 200, 403), ("none", 401, 401)])
def test_what_this_machine_may_do_without_a_token_can_be_set(tmp_path, rights, read, write):
    with serving(tmp_path, web__local_rights=rights) as (client, store, _):
        assert client.get("/api/search/total-count?q=tide").status_code == read
        assert client.post("/api/sources/feeds/", json=FEED).status_code == write
        writer = token(store.create("writer", WRITE))
        assert client.post("/api/sources/feeds/", json=FEED, headers=writer).status_code == 400


@pytest.mark.parametrize("flags", [{"web.local_rights": "all"}, {"web.trusted_proxies": "proxy.example"}])
def test_settings_that_mean_nothing_are_named(tmp_path, flags):
    with open_services(tmp_path, **flags) as services, pytest.raises(ConfigError, match=next(iter(flags))):
        create_app(services)


# ------------------------------------------------------------------------------------------------- tokens and trying


def test_an_expired_token_says_so_also_on_this_machine(tmp_path):
    with serving(tmp_path) as (client, store, clock):
        end = datetime.fromtimestamp(clock.now, UTC) + timedelta(hours=1)
        guest = token(store.create("guest", expires_at=end))
        assert client.get("/api/search/total-count?q=tide", headers=guest).status_code == 200
        clock.now += 3600
        refused = client.get("/api/search/total-count?q=tide", headers=guest)
        assert refused.status_code == 401
        assert f"expired on {end:%Y-%m-%d}" in refused.json()["note"]
        assert client.get("/healthz", headers=guest).status_code == 200


def test_wrong_tokens_have_to_wait_longer_and_longer_and_the_right_one_never(outside):
    client, tokens, clock, _ = outside
    tries = [client.get("/api/search/total-count?q=tide", headers=token(f"tear_{number}")) for number in range(9)]
    assert [answer.status_code for answer in tries] == [401] * 5 + [429] * 4
    assert [answer.headers.get("retry-after") for answer in tries[5:]] == ["1", "2", "4", "8"]
    assert "wrong tokens" in tries[5].json()["note"]
    assert client.get("/api/search/total-count?q=tide", headers=token(tokens["read"])).status_code == 200
    assert client.get("/api/search/total-count?q=tide", headers=token("tear_x")).headers["retry-after"] == "16"
    clock.now += 901
    assert client.get("/api/search/total-count?q=tide", headers=token("tear_x")).status_code == 401


def test_behind_a_trusted_proxy_each_client_is_counted_for_itself(tmp_path):
    with serving(tmp_path, web__trusted_proxies="127.0.0.1") as (client, *_):
        for _ in range(6):
            last = client.get("/api/search/total-count?q=tide", headers=PASSED_ON | token("tear_x"))
        assert last.status_code == 429
        other = {
            "x-forwarded-for": "203.0.113.9, 198.51.100.7"
        }  # what stands before its own address anyone can make up
        assert client.get("/api/search/total-count?q=tide", headers=other | token("tear_x")).status_code == 401


# ------------------------------------------------------------------------------------------------------- other sites


def test_a_page_that_another_site_opens_by_itself_asks_first(client):
    led = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    address = "/search?q=%22%3E%3Cscript%3E&order=relevance"
    asked = client.get(address, headers=led)
    assert asked.status_code == 403
    assert f'<a href="{address.replace("&", "&amp;")}">Open it</a>' in asked.text
    assert "<script>" not in asked.text
    assert client.get("/search?q=climate", headers=led | {"sec-fetch-user": "?1"}).status_code == 200


def test_the_way_on_stays_here(address):
    """A path that begins with two slashes would lead to another host."""
    led = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
    for path in ("//evil.example/", "http://evil.example/"):
        with socket.create_connection(("127.0.0.1", urlsplit(address).port), timeout=30) as connection:
            head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{led}Connection: close\r\n\r\n"
            connection.sendall(head.encode())
            assert b'href="//' not in connection.recv(65536)


def test_the_page_names_the_limits_of_a_head():
    page = (ROOT / "docs" / "how-to" / "serve-to-others.md").read_text("utf-8")
    limits = f"| head of a request | {guard._MOST_HEADERS} headers, {guard._MOST_HEADER_BYTES // 1024} KiB |"
    assert limits in page and server._HEAD_BYTES == guard._MOST_HEADER_BYTES
