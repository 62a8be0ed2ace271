"""What all requests share: turns at what takes long, and nothing left behind by it."""

from __future__ import annotations

import tempfile

import httpx
import pytest

from tearsheet.engines.index.turns import Turns
from tearsheet.web.app import create_app
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app

HEAVY = [
    "/search.parquet?q=*",
    "/api/search/words?q=*",
    "/api/search/count-over-time?q=*",
    "/api/search/count-by-source-week?q=*",
    "/api/search/count-by-source-over-interval?q=*",
]


@pytest.fixture
def app(tmp_path):
    with open_services(tmp_path / "data") as services:
        yield create_app(services)


def test_what_takes_long_is_done_a_few_at_a_time(app):
    app.state.site.heavy = Turns(1, 0, 0.05)
    with serve_app(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        with app.state.site.heavy.turn():
            assert {client.get(path).status_code for path in HEAVY} == {503}
            assert client.get("/search?q=*").status_code == client.get("/healthz").status_code == 200
        assert {client.get(path).status_code for path in HEAVY} == {200}


def test_an_export_leaves_no_file_behind(app, tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with serve_app(app) as address:
        answer = httpx.get(f"{address}/search.parquet?q=*", timeout=30)
    assert answer.content.startswith(b"PAR1") and "stories.parquet" in answer.headers["content-disposition"]
    assert list(folder.iterdir()) == []
