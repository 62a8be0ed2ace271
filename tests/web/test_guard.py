"""Who is let in: nobody from elsewhere without a token, nobody too often, and no other site through a reader's browser."""

from __future__ import annotations

import base64

import httpx
import pytest

from tearsheet.app.tokens import WRITE, TokenStore
from tearsheet.web.app import create_app
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app

HTML = {"accept": "text/html"}


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
        with serve_app(create_app(services, clock=clock)) as address, httpx.Client(base_url=address) as client:
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
    answers = [client.get("/api/version", headers=reader).status_code for _ in range(7)]
    assert answers == [200] * 6 + [429]
    refused = client.get("/api/version", headers=reader)
    assert refused.headers["retry-after"] == "10"
    assert client.get("/api/version", headers=token(tokens["write"])).status_code == 200
    clock.now += 10
    assert client.get("/api/version", headers=reader).status_code == 200
    assert client.get("/api/version", headers=reader).status_code == 429


def test_a_revoked_token_is_refused_at_once(outside):
    client, tokens, _, store = outside
    assert client.get("/api/version", headers=token(tokens["read"])).status_code == 200
    store.revoke("reader")
    assert client.get("/api/version", headers=token(tokens["read"])).status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8700", "127.0.0.1.evil.example", "10.0.0.1", ""])
def test_on_loopback_only_this_machines_names_are_answered_to(client, host):
    assert client.get("/overview.json", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost:8700", "127.0.0.1", "[::1]:8700", "127.1.2.3:1"])
def test_on_loopback_no_token_is_needed(client, host):
    assert client.get("/api/auth/profile", headers={"host": host}).json()["username"] == "local"


@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}]
)
def test_no_other_site_changes_anything_through_a_browser(client, headers):
    answer = client.post("/api/sources/feeds/", json={"url": "https://a.example/feed"}, headers=headers)
    assert answer.status_code == 403
