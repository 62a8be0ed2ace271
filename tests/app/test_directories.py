"""Feeds taken over from a server, asked as Media Cloud's directory is: here another data folder's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tearsheet.app import directories
from tearsheet.app.directories import sync_directory
from tearsheet.app.services import Services
from tearsheet.app.token_store import TokenStore
from tearsheet.clock import utc_now
from tearsheet.errors import EngineError, ItemRefused, UsageError
from tearsheet.feeds.catalogue.changing import change_feed, remove_feed
from tearsheet.feeds.catalogue.listing import all_feeds
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.settings import Settings
from tearsheet.web.app import create_app
from tests.support.served import served
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app

OLD = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def upstream(tmp_path: Path):
    """A server with three feeds, and its address; it listens to the world, and wants a token."""
    with open_services(tmp_path / "upstream", **{"web.host": "0.0.0.0"}) as services:
        rows = [NewFeed(f"http://{n}.example/rss", id=n, sources_id=100 + n, name=f"Feed {n}") for n in (101, 102, 103)]
        add_feeds(services.database, rows, OLD)
        token = TokenStore(services.database).create("puller")
        with serve_app(create_app(services)) as address:
            yield services.database, address, token


@pytest.fixture
def ours(tmp_path: Path, upstream):
    settings = Settings(tmp_path / "ours")
    settings.feeds.directory_token = upstream[2]
    with Services(settings, begins=True) as services:
        yield services


def rows_of(services: Services) -> list[tuple[int | None, str, int | None, str | None]]:
    return [(feed.id, feed.url, feed.sources_id, feed.name) for feed in all_feeds(services.database)]


def test_full_and_since(upstream, ours, monkeypatch) -> None:
    database, address, _ = upstream
    monkeypatch.setattr(directories, "_PAGE", 2)
    seen: list[int] = []
    assert len(sync_directory(ours, address, dry_run=True, full=True).added) == 3
    assert rows_of(ours) == []
    assert len(sync_directory(ours, address, progress=seen.append).added) == 3
    assert seen == [2, 3]
    assert rows_of(ours) == [(n, f"http://{n}.example/rss", 100 + n, f"Feed {n}") for n in (101, 102, 103)]
    change_feed(database, 102, utc_now() + timedelta(minutes=1), name="Renamed", active=False)
    remove_feed(database, 103)
    since = sync_directory(ours, address)
    assert [(row.what, row.id, row.detail) for row in since.rows] == [
        ("changed", 102, "name: Feed 102 → Renamed; active: yes → no")
    ]
    full = sync_directory(ours, f"{address}/api/sources/feeds/", full=True)
    assert {row.what: row.id for row in full.rows} == {"known": 102, "removed": 103}
    assert [row[0] for row in rows_of(ours)] == [101, 102]


def test_a_server_that_refuses_or_talks_nonsense_changes_nothing(upstream, ours, monkeypatch) -> None:
    _, address, _ = upstream
    sync_directory(ours, address)
    before = rows_of(ours)
    with pytest.raises(EngineError, match="does not answer as a directory"):
        monkeypatch.setattr(directories, "_PATH", "/api/version")
        sync_directory(ours, address, full=True)
    monkeypatch.undo()
    ours.settings.feeds.directory_token = "wrong"
    with pytest.raises(ItemRefused, match="401"):
        sync_directory(ours, address, full=True)
    assert rows_of(ours) == before


def test_a_file_keeps_ids_and_is_known_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "feeds.json"
    row = {"id": 7, "url": "http://a.example/rss", "source": 3, "admin_rss_enabled": False, "modified_at": "2026-11-01"}
    file.write_text(
        json.dumps([row, {"id": 8, "url": "http://b.example/rss", "source": 3, "modified_at": "2026-10-01"}])
    )
    with Services(Settings(tmp_path / "ours"), begins=True) as services:
        report = sync_directory(services, str(file), since=datetime(2026, 10, 15, tzinfo=UTC))
        assert [(one.what, one.id) for one in report.rows] == [("added", 7)]
        assert len(sync_directory(services, str(file), full=True).added) == 1
        file.write_text(json.dumps([row]))
        assert sync_directory(services, str(file), full=True).removed == [8]
        with pytest.raises(UsageError, match="not both"):
            sync_directory(services, str(file), full=True, since=OLD)
        file.write_text('{"results": [{"id": "x", "url": "http://a.example/"}]}')
        with pytest.raises(UsageError, match="feed 1 of the directory: `id` should be a whole number"):
            sync_directory(services, str(file), full=True)


@contextmanager
def answering(pages: Callable[[str], Any]) -> Iterator[str]:
    """A server that answers each request with a page, given its path."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(pages(self.path)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with served(Handler) as port:
        yield f"http://127.0.0.1:{port}"


def test_a_server_that_answers_the_same_page_for_ever_is_left_alone(tmp_path: Path) -> None:
    asked: list[str] = []

    def same(path: str) -> Any:
        asked.append(path)
        return {"next": "more", "results": [{"id": 7, "url": "http://a.example/rss", "source": 3}]}

    with Services(Settings(tmp_path / "ours"), begins=True) as services, answering(same) as address:
        with pytest.raises(EngineError, match="the same page again and again"):
            sync_directory(services, address)
        assert len(asked) == 2
        assert rows_of(services) == []


def test_one_bad_row_of_a_server_does_not_keep_the_others_away(tmp_path: Path) -> None:
    rows = [
        {"id": 7, "url": "http://a.example/rss", "source": 3}, {"id": 8, "url": None}, {"id": -1, "url": "x"}, None,
        {"id": 9, "url": "http://b.example/rss", "source": 3, "created_at": "yesterday"},
    ]  # fmt: skip
    page = {"count": len(rows), "next": None, "results": rows}
    with Services(Settings(tmp_path / "ours"), begins=True) as services, answering(lambda path: page) as address:
        report = sync_directory(services, address)
        assert [(row.what, row.id) for row in report.rows] == [
            ("added", 7), ("refused", 8), ("refused", None), ("refused", None), ("refused", 9),
        ]  # fmt: skip
        assert "feed 2 of the directory: `url`" in report.rows[1].detail
