"""The API of rss-fetcher: the same paths, the same envelope, honest status codes."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import JSONResponse

from tearsheet.errors import NotFoundError
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.feeds.polling import result_store, store
from tearsheet.feeds.polling.daily_rss import write_daily_rss
from tearsheet.feeds.tables import stories
from tearsheet.web import rss_fetcher_api
from tearsheet.web.rss_fetcher_api import router
from tests.support.feed_fakes import NOW, new_database
from tests.support.feed_rows import DAY, story
from tests.support.web_server import serve_app


@pytest.fixture
def database(tmp_path: Path):
    database = new_database(tmp_path)
    yield database
    database.close()


@pytest.fixture
def api(database, tmp_path: Path):
    add_feeds(database, [NewFeed("http://a.example/rss", sources_id=7)], NOW)
    with database.begin() as connection:
        connection.execute(stories.insert(), [story(n) for n in range(1, 61)])
        event = {"feed_id": 1, "note": None, "created_at": NOW, "counts": None}
        result_store.add_events(
            connection,
            [event | {"event": "queued"}, event | {"event": "fetch_succeeded", "note": "0 skipped / 60 added"}],
        )
    write_daily_rss(database, tmp_path / "rss", DAY, NOW)
    app = FastAPI()
    app.include_router(router(database, tmp_path / "rss", lambda: NOW.timestamp()))
    app.add_exception_handler(NotFoundError, lambda _, error: JSONResponse({"note": str(error)}, 404))
    with serve_app(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


def results(api: httpx.Client, path: str, method: str = "GET"):
    answer = api.request(method, path)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["status"] == "OK"
    assert set(body) == {"duration", "version", "status", "results"}
    return body["results"]


def test_reading(api: httpx.Client) -> None:
    feed = results(api, "/api/feeds/1")
    assert (feed["url"], feed["sources_id"], feed["last_fetch_failures"], feed["system_enabled"]) == (
        "http://a.example/rss",
        7,
        0,
        True,
    )
    assert [event["event"] for event in results(api, "/api/feeds/1/history")] == ["queued", "fetch_succeeded"]
    assert len(results(api, "/api/feeds/1/history?_limit=1")) == 1
    assert len(results(api, "/api/feeds/1/stories")) == 50
    assert len(results(api, "/api/sources/7/feeds")) == 1
    assert len(results(api, "/api/sources/7/stories")) == 50
    assert results(api, "/api/sources/7/stories/fetched-by-day") == [{"day": "2026-11-14", "stories": 60}]
    assert results(api, "/api/sources/7/stories/published-by-day") == []
    assert results(api, "/api/stories/fetched-by-day") == [{"date": "2026-11-14", "count": 60, "type": "stories"}]
    assert results(api, "/api/stories/published-by-day") == []
    assert results(api, "/api/stories/by-source") == {"days": 1.0, "sources": [{"sources_id": 7, "count": 60}]}
    assert results(api, "/api/stories/count?column=feed_id") == [{"feed_id": 1, "count": 60}]


def test_the_cursor_misses_nothing(api: httpx.Client) -> None:
    seen, first = [], 0
    while page := results(api, f"/api/rss_entries/{first}?_limit=25"):
        seen += [row["id"] for row in page]
        first = seen[-1] + 1
    assert seen == list(range(1, 61))
    assert results(api, "/api/rss_entries/1")[0]["feed_url"] == "http://a.example/rss"


def test_whoever_asks_for_very_many_gets_as_many_as_there_may_be(api: httpx.Client, monkeypatch) -> None:
    monkeypatch.setattr(rss_fetcher_api, "MAX_ROWS", 20)
    assert len(results(api, "/api/rss_entries/1?_limit=1000000")) == 20
    assert len(results(api, "/api/feeds/1/history?_limit=1000000")) <= 20


def test_fetch_soon(api: httpx.Client, database) -> None:
    assert results(api, "/api/feeds/1/fetch-soon", "POST") == 1
    assert results(api, "/api/sources/7/fetch-soon", "POST") == 1
    terms = store.LeaseTerms("x", 10, timedelta(0), None, timedelta(minutes=5))
    assert store.lease_due(database, terms, NOW, NOW + timedelta(hours=4))[0]
    assert api.post("/api/feeds/1/fetch-soon").status_code == 409


def test_daily_files(api: httpx.Client) -> None:
    for path in ("/rss/mc-2026-11-14.rss.gz", "/api/rss/mc-2026-11-14.rss.gz"):
        answer = api.get(path)
        assert answer.status_code == 200
        assert answer.content.startswith(b"\x1f\x8b")
    for name in ("mc-2026-11-13.rss.gz", "feeds.db", "..%2Ffeeds.db"):
        assert api.get(f"/rss/{name}").status_code == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/feeds/99", 404), ("/api/feeds/99/history", 404), ("/api/feeds/99/stories", 404), ("/api/sources/99/feeds", 404),
        ("/api/sources/99/stories", 404), ("/api/feeds/x", 404), ("/api/feeds/1/history?_limit=0", 422),
        ("/api/stories/count?column=url", 422),
        ("/api/rss_entries/1?_limit=0", 422), ("/api/feeds/99999999999999999999", 422),
    ],
)  # fmt: skip
def test_honest_status_codes(api: httpx.Client, path: str, status: int) -> None:
    assert api.get(path).status_code == status


def test_it_is_documented(api: httpx.Client) -> None:
    paths = api.get("/openapi.json").json()["paths"]
    assert "/api/rss_entries/{first_id}" in paths
    assert all(operation.get("description") for methods in paths.values() for operation in methods.values())


@pytest.mark.parametrize("digits", [19, 40, 41, 5000])
def test_a_number_of_any_length_is_answered(api, digits):
    for path in ("/api/feeds/{}", "/api/sources/{}/feeds", "/api/rss_entries/{}"):
        assert api.get(path.format("9" * digits)).status_code in (400, 404, 422)
