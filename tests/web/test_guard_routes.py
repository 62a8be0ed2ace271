"""Every route, asked by everyone, in every way, on a private and on a public server: exactly the answers of one small table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection
from itertools import product
from typing import Any

import httpx
import pytest

from tearsheet.app.token_store import TokenStore
from tearsheet.app.tokens import WRITE
from tearsheet.feeds.catalogue import change_members, find_source
from tearsheet.web.app import create_app
from tests.support.paths import ROOT
from tests.support.patience import PATIENCE
from tests.support.web_seed import NOW, open_services, seed
from tests.support.web_server import serve_app

WHO = ("nobody", "wrong", "expired", "read", "write", "other collection")
LINK = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-fetch-user": "?1"}
WAYS: dict[str, dict[str, str]] = {
    "direct": {},
    "from our own page": {"sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
    "proxied": {"x-forwarded-for": "203.0.113.9", "via": "1.1 proxy"},
    "cross-site": {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"},
    "same-site": {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
    "by a link elsewhere": {"sec-fetch-site": "cross-site"} | LINK,
}
BINDS = {"private": "127.0.0.1", "public": "0.0.0.0"}
Given = dict[str, dict[str, Any]]
OWN, OTHER = "German papers", "harbour-herald"


@dataclass(frozen=True)
class Route:
    """What one route answers to whom."""

    address: str
    """A request for it; `{story}` and the like stand for what belongs to a source of another collection."""
    answer: int = 200
    """To whoever may have it all."""
    other: int = 403
    """To a token for another collection, which may also write."""
    page: bool = False
    """Whether a link on another site may lead there."""
    open: bool = False
    """Whether no token is needed anywhere."""


def page(address: str, answer: int = 200, other: int = 403) -> Route:
    return Route(address, answer, other, page=True)


TABLE: dict[str, Route] = {
    "GET /healthz": Route("/healthz", other=200, open=True),
    "GET /readyz": Route("/readyz", other=200),
    "GET /metrics": Route("/metrics"),
    "GET /openapi.json": Route("/openapi.json", other=200),
    "GET /static": Route("/static/style.css", other=200),
    # pages
    "GET /": page("/"),
    "GET /search": page("/search?q=*", other=200),
    "GET /outcomes": page("/outcomes"),
    "GET /outcomes/sums": page("/outcomes/sums"),
    "GET /gaps": page("/gaps"),
    "GET /topics": page("/topics"),
    "GET /topics/{topic}/snapshots/{snapshot}": page("/topics/1/snapshots/1"),
    "GET /api": page("/api", other=200),
    "GET /stories/{identifier}": page("/stories/{story}", other=404),
    "GET /stories/{identifier}/replay": page("/stories/{story}/replay", other=404),
    "GET /stories/{identifier}/capture": Route("/stories/{story}/capture", other=404),
    # pages as data, and exports
    "GET /overview.json": Route("/overview.json"),
    "GET /outcomes.json": Route("/outcomes.json"),
    "GET /outcomes/sums.json": Route("/outcomes/sums.json"),
    "GET /gaps.json": Route("/gaps.json"),
    "GET /topics.json": Route("/topics.json"),
    "GET /stories/{identifier}.json": Route("/stories/{story}.json", other=404),
    "GET /search.json": Route("/search.json?q=*", other=200),
    "GET /search.jsonl": Route("/search.jsonl?q=*", other=200),
    "GET /search.csv": Route("/search.csv?q=*", other=200),
    "GET /search.parquet": Route("/search.parquet?q=*", other=200),
    # the API of Media Cloud
    "GET /api/search/total-count": Route("/api/search/total-count", other=200),
    "GET /api/search/count-over-time": Route("/api/search/count-over-time", other=200),
    "GET /api/search/count-by-source-week": Route("/api/search/count-by-source-week", other=200),
    "GET /api/search/count-by-source-over-interval": Route("/api/search/count-by-source-over-interval", other=200),
    "GET /api/search/story-list": Route("/api/search/story-list?expanded=1", other=200),
    "GET /api/search/sample": Route("/api/search/sample", other=200),
    "GET /api/search/story": Route("/api/search/story?storyId={story}", other=404),
    "GET /api/search/sources": Route("/api/search/sources", other=200),
    "GET /api/search/languages": Route("/api/search/languages", other=200),
    "GET /api/search/words": Route("/api/search/words", other=200),
    "GET /api/search/download-all-content-csv": Route("/api/search/download-all-content-csv", other=200),
    "GET /api/search/api-params": Route("/api/search/api-params", other=200),
    "GET /api/auth/profile": Route("/api/auth/profile", other=200),
    "GET /api/version": Route("/api/version", other=200, open=True),
    "GET /api/sources/collections/": Route("/api/sources/collections/", other=200),
    "GET /api/sources/collections/{collection_id}/": Route("/api/sources/collections/1/", other=404),
    "GET /api/sources/sources/": Route("/api/sources/sources/", other=200),
    "GET /api/sources/sources/{source_id}/": Route("/api/sources/sources/{source}/", other=404),
    "GET /api/sources/feeds/details/": Route("/api/sources/feeds/details/", other=200),
    "GET /api/sources/feeds/": Route("/api/sources/feeds/", other=200),
    "POST /api/sources/feeds/": Route("/api/sources/feeds/", answer=400),
    # the API of rss-fetcher
    "GET /rss/{name}": Route("/rss/mc-2026-11-14.rss.gz", answer=404, open=True),
    "GET /api/rss/{name}": Route("/api/rss/mc-2026-11-14.rss.gz", answer=404, open=True),
    "GET /api/feeds/{feed_id:int}": Route("/api/feeds/{source}", other=404),
    "GET /api/feeds/{feed_id:int}/history": Route("/api/feeds/{source}/history", other=404),
    "GET /api/feeds/{feed_id:int}/stories": Route("/api/feeds/{source}/stories", other=404),
    "POST /api/feeds/{feed_id:int}/fetch-soon": Route("/api/feeds/{source}/fetch-soon", other=404),
    "GET /api/sources/{source_id:int}/feeds": Route("/api/sources/{source}/feeds", other=404),
    "GET /api/sources/{source_id:int}/stories": Route("/api/sources/{source}/stories", other=404),
    "GET /api/sources/{source_id:int}/stories/fetched-by-day": Route(
        "/api/sources/{source}/stories/fetched-by-day", other=404
    ),
    "GET /api/sources/{source_id:int}/stories/published-by-day": Route(
        "/api/sources/{source}/stories/published-by-day", other=404
    ),
    "POST /api/sources/{source_id:int}/fetch-soon": Route("/api/sources/{source}/fetch-soon", other=404),
    "GET /api/stories/fetched-by-day": Route("/api/stories/fetched-by-day"),
    "GET /api/stories/published-by-day": Route("/api/stories/published-by-day"),
    "GET /api/stories/by-source": Route("/api/stories/by-source"),
    "GET /api/stories/count": Route("/api/stories/count"),
    "GET /api/rss_entries/{first_id:int}": Route("/api/rss_entries/0"),
    # the calls of hubs
    "GET /websub/{token}": Route(f"/websub/{'a' * 48}", answer=404, open=True),
    "POST /websub/{token}": Route(f"/websub/{'a' * 48}", answer=404, open=True),
    # the ingest
    "POST /ingest": Route("/ingest", answer=400),
    "GET /ingest/document/{sha1hex}": Route(f"/ingest/document/{'a' * 40}", answer=404),
    "GET /ingest/document/{sha1hex}/replay": Route(f"/ingest/document/{'a' * 40}/replay", answer=404),
    "GET /ingest/cdx": Route("/ingest/cdx?url=http://a.example/"),
}


def expected(route: str, way: str, who: str, bind: str) -> int:
    """The answer, by the rules as the documentation tells them."""
    asked = TABLE[route]
    writes = route.startswith("POST ")
    if way in ("cross-site", "same-site") or (way == "by a link elsewhere" and not asked.page):
        return 403
    if asked.open:
        return asked.answer
    if who == "expired":
        return 401
    if who in ("nobody", "wrong"):
        return asked.answer if bind == "private" and way != "proxied" else 401
    if who == "other collection":
        return asked.other
    return 403 if writes and who == "read" else asked.answer


class Time:
    """A clock on which a quarter of an hour passes with each look, so that neither wrong tokens nor many requests are counted."""

    now = NOW.timestamp()

    def __call__(self) -> float:
        self.now += 1000
        return self.now


def routes_of(app) -> set[str]:
    """Every route that the application has, by method and path."""
    found = set()
    for outer in app.routes:
        for route in (
            getattr(outer, "original_router", app.router).routes if hasattr(outer, "original_router") else [outer]
        ):
            methods = getattr(route, "methods", None) or {"GET"}
            found |= {f"{method} {route.path}" for method in methods if method != "HEAD"}
    return found


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    with open_services(tmp_path_factory.mktemp("routes"), **{"web.requests_per_minute": 0}) as services:
        truth = seed(services)
        german = find_source(services.database, "nordkurier-test.example")
        change_members(services.database, OWN, [german], NOW)
        store = TokenStore(services.database)
        yield (
            services,
            {
                "names": {"story": truth.id_of(0), "source": find_source(services.database, f"{OTHER}.example")},
                "secrets": {
                    "wrong": "tear_wrong",
                    "expired": store.create("expired", WRITE, expires_at=datetime(2020, 1, 1, tzinfo=UTC)),
                    "read": store.create("read"),
                    "write": store.create("write", WRITE),
                    "other collection": store.create("other", WRITE, collections=[OWN]),
                },
            },
        )


@pytest.fixture(scope="module", params=BINDS)
def server(request, filled) -> Iterator[tuple[str, httpx.Client, Given]]:
    services, given = filled
    services.settings.web.host = BINDS[request.param]
    app = create_app(services, clock=Time())
    assert routes_of(app) == set(TABLE), "a route without a line in the table, or a line without a route"
    with serve_app(app) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield request.param, client, given


def connected(client: httpx.Client) -> closing[HTTPConnection]:
    """A connection without the comforts of a client, which cost more time than most answers here."""
    return closing(HTTPConnection(client.base_url.host, client.base_url.port or 80, timeout=PATIENCE))


def ask(connection: HTTPConnection, given: Given, route: str, way: str, who: str) -> httpx.Response:
    headers = dict(WAYS[way])
    if who != "nobody":
        headers["authorization"] = f"Token {given['secrets'][who]}"
    body = None
    if route.startswith("POST "):
        body, headers["content-type"] = json.dumps({"url": "ftp://x"}), "application/json"
    connection.request(route.split(" ")[0], TABLE[route].address.format(**given["names"]), body, headers)
    answer = connection.getresponse()
    return httpx.Response(answer.status, headers=answer.getheaders(), content=answer.read())


@pytest.mark.parametrize("way", WAYS)
def test_every_route_answers_as_the_table_says(server, way):
    bind, client, given = server
    wrong = []
    with connected(client) as connection:
        for route, who in product(TABLE, WHO):
            answer = ask(connection, given, route, way, who)
            if answer.status_code != expected(route, way, who, bind):
                wrong.append((route, who, answer.status_code, expected(route, way, who, bind), answer.text[:100]))
            if answer.status_code in (401, 403, 429) and answer.headers["content-type"] == "application/json":
                assert answer.json()["note"]
    assert not wrong


def test_a_token_for_a_collection_is_shown_no_word_of_others(server):
    """Not in a list, a count, an export or a page: the names of all other sources and of their stories appear nowhere."""
    _, client, given = server
    hidden = ("harbour-herald", "morning-gazette", "le-quotidien", "minato-shimbun", "al-marsa", "English papers")
    shown = 0
    with connected(client) as connection:
        for route in [route for route in TABLE if route.startswith("GET ")]:
            answer = ask(connection, given, route, "direct", "other collection")
            if route == "GET /openapi.json":  # its examples are made up, and the same for everybody
                assert answer.json() == json.loads((ROOT / "docs" / "reference" / "openapi.json").read_bytes())
                continue
            assert not [word for word in hidden if word.encode() in answer.content], route
            shown += b"nordkurier-test" in answer.content
    assert shown >= 12


def test_counts_for_a_collection_are_its_own(server, filled):
    _, client, given = server
    headers = {"authorization": f"Token {given['secrets']['other collection']}"}
    assert client.get("/api/search/total-count", headers=headers).json() == {"count": {"relevant": 6, "total": 6}}
    asked = {"headers": headers, "params": {"q": "*", "domain": "harbour-herald.example"}}
    assert client.get("/search.json", **asked).json()["count"] == 0
    for name in ("English papers", "1", "english paper"):
        foreign = {"headers": headers, "params": {"q": "*", "collection": name}}
        answer = client.get("/search.json", **foreign)
        assert answer.status_code == 404
        assert "did you mean" not in answer.text  # not even a mistyped name brings out those of others
    assert client.get("/api/search/total-count?cs=1", headers=headers).json()["count"]["relevant"] <= 6
    profile = client.get("/api/auth/profile", headers=headers).json()
    assert profile["collections"] == [OWN]
