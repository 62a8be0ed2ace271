"""The clients of Media Cloud's rss-fetcher, as they ask and as they read: written anew, from what they are known to do."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from tearsheet.app.token_store import TokenStore
from tearsheet.app.tokens import WRITE
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.feeds.polling import result_store
from tearsheet.feeds.polling.daily_rss import write_daily_rss
from tearsheet.feeds.tables import feeds, stories
from tearsheet.web.app import create_app
from tests.support.feed_fakes import NOW
from tests.support.feed_rows import DAY, story
from tests.support.patience import PATIENCE
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app

PUBLISHED = datetime(2026, 11, 14, 5, 6, 7, 123456, tzinfo=UTC)


class WebClient:
    """The client of the web application: a user and password for everything, and `results` of what is OK."""

    def __init__(self, address: str, password: str) -> None:
        self._address, self._login = address, ("mc", password)

    def _ask(self, method: str, path: str, **query: Any) -> Any:
        answer = httpx.request(method, self._address + path, params=query, auth=self._login, timeout=PATIENCE)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        if body["status"] != "OK":
            raise RuntimeError(body["statusCode"])
        return body["results"]

    def read(self, path: str, **query: Any) -> Any:
        return self._ask("GET", f"/api/{path}", **query)

    def fetch_soon(self, kind: str, number: int) -> int:
        return int(self._ask("POST", f"/api/{kind}/{number}/fetch-soon"))


def puller(address: str, password: str, first: int, batch: int) -> list[dict[str, Any]]:
    """The puller: from the last id on, batch by batch; it knows that times are UTC, and says so itself."""
    taken = []
    while rows := WebClient(address, password).read(f"rss_entries/{first}", _limit=batch):
        for row in rows:
            published = row["published_at"]
            when = datetime.fromisoformat(published + "+00:00") if published else None
            taken.append({"id": row["id"], "link": row["url"], "when": when, "feed": row["feed_url"]})
        first = rows[-1]["id"] + 1
    return taken


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server for the world, with a feed, sixty stories and a daily file: its address, and a password that may write."""
    folder = tmp_path_factory.mktemp("rss-fetcher")
    with open_services(folder, **{"web.host": "0.0.0.0"}) as services:
        add_feeds(services.database, [NewFeed("http://user:secret@a.example/rss", sources_id=7)], NOW)
        rows = [story(n, published_at=PUBLISHED if n % 2 else None) for n in range(1, 61)]
        rows.append(story(61, fetched_at=NOW - timedelta(hours=3)))
        with services.database.begin() as connection:
            connection.execute(stories.insert(), rows)
            event = {"feed_id": 1, "note": None, "counts": None, "created_at": NOW}
            result_store.add_events(connection, [event | {"event": "queued"}, event | {"event": "fetch_succeeded"}])
        write_daily_rss(services.database, services.data / "rss", DAY, NOW)
        secret = TokenStore(services.database).create("web", WRITE)
        with serve_app(create_app(services, clock=lambda: NOW.timestamp())) as address:
            yield address, secret, services.database


def test_the_puller_gets_every_date(server) -> None:
    address, secret, _ = server
    taken = puller(address, secret, 1, 25)
    assert [row["id"] for row in taken] == list(range(1, 62))
    assert [row["when"] for row in taken if row["when"]] == [PUBLISHED] * 30
    assert {row["feed"] for row in taken} == {"http://a.example/rss"}


def test_the_web_client_reads_and_writes_with_a_password(server) -> None:
    address, secret, database = server
    client = WebClient(address, secret)
    feed = client.read("feeds/1")
    assert (feed["url"], feed["created_at"], feed["active"]) == ("http://a.example/rss", "2026-11-15T12:00:00", True)
    assert client.read("sources/7/feeds")[0]["id"] == 1
    assert [event["event"] for event in client.read("feeds/1/history")] == ["queued", "fetch_succeeded"]
    assert [event["event"] for event in client.read("feeds/1/history", _limit=5)] == ["fetch_succeeded", "queued"]
    assert client.read("sources/7/stories")[0]["fetched_at"] == "2026-11-15T09:00:00"
    with database.begin() as connection:
        connection.execute(feeds.update().values(last_fetch_failures=3.0))
    assert client.fetch_soon("feeds", 1) == 1
    assert client.read("feeds/1")["last_fetch_failures"] == 0
    assert client.fetch_soon("sources", 7) == 1


def test_days_come_oldest_first_and_rates_are_true(server) -> None:
    client = WebClient(*server[:2])
    assert client.read("stories/fetched-by-day") == [
        {"date": "2026-11-14", "count": 60, "type": "stories"},
        {"date": "2026-11-15", "count": 1, "type": "stories"},
    ]
    assert [day["day"] for day in client.read("sources/7/stories/fetched-by-day")] == ["2026-11-14", "2026-11-15"]
    found = client.read("stories/by-source")
    assert found["days"] == pytest.approx(1.0)
    assert [one["count"] / found["days"] for one in found["sources"]] == [pytest.approx(61)]


def test_what_the_original_leaves_open_needs_no_password(server) -> None:
    address = server[0]
    with httpx.Client(base_url=address, timeout=PATIENCE) as client:
        assert client.get("/api/version").json()["status"] == "OK"
        for path in ("/rss/mc-2026-11-14.rss.gz", "/api/rss/mc-2026-11-14.rss.gz"):
            body = gzip.decompress(client.get(path).content)
            assert body.count(b"<item>") == 60
            assert b"secret" not in body and b"http://a.example/rss" in body
        assert client.get("/rss/other").status_code == 401
        assert client.get("/api/feeds/1").status_code == 401


@pytest.mark.parametrize(
    "headers", [{"user-agent": "Mozilla/5.0"}, {"referer": "http://x.example/"}, {"sec-fetch-site": "same-origin"}]
)
def test_a_browser_that_repeats_a_password_changes_nothing(server, headers) -> None:
    address, secret, _ = server
    login = ("mc", secret)
    for path in ("/api/feeds/1/fetch-soon", "/api/sources/7/fetch-soon"):
        assert httpx.post(address + path, auth=login, headers=headers, timeout=PATIENCE).status_code == 403
    added = httpx.post(address + "/api/sources/feeds/", auth=login, json={"url": "http://b.example/"}, timeout=PATIENCE)
    assert added.status_code == 403


def test_daily_files_can_be_closed_and_strangers_have_a_pace(tmp_path) -> None:
    file = "/rss/mc-2026-11-14.rss.gz"
    with open_services(tmp_path, **{"web.host": "0.0.0.0", "web.requests_per_minute": 2}) as services:
        clock = NOW.timestamp()
        with serve_app(create_app(services, clock=lambda: clock)) as address:
            assert [httpx.get(address + file, timeout=PATIENCE).status_code for _ in range(3)] == [404, 404, 429]
        services.settings.web.open_rss = False
        with serve_app(create_app(services, clock=lambda: clock)) as address:
            assert httpx.get(address + file, timeout=PATIENCE).status_code == 401
    with (
        open_services(tmp_path, **{"web.host": "127.0.0.1"}) as services,
        serve_app(create_app(services)) as address,
    ):
        rebound = httpx.get(address + file, headers={"host": "elsewhere.example"}, timeout=PATIENCE)
        assert rebound.status_code == 403
