"""The page of gaps, and the same as data."""

from datetime import timedelta

import httpx
import pytest

from tearsheet.web.app import create_app
from tests.support.index_stories import story
from tests.support.web_seed import NOW, open_services
from tests.support.web_server import serve_app

SILENT = NOW.date() - timedelta(days=5)


@pytest.fixture
def client(tmp_path):
    with open_services(tmp_path) as services:
        services.index.add(
            [
                story(f"{day}-{n}", canonical_domain="<b>.example", publication_date=day.isoformat())
                for day in (NOW.date() - timedelta(days=n) for n in range(1, 40))
                if day != SILENT
                for n in range(8)
            ]
        )
        services.index.refresh()
        with (
            serve_app(create_app(services, clock=lambda: NOW.timestamp())) as address,
            httpx.Client(base_url=address, headers={"accept": "text/html"}, timeout=30) as client,
        ):
            yield client


def test_a_gap_is_shown_with_its_reason(client):
    text = client.get("/gaps").text
    assert "&lt;b&gt;.example" in text and "<b>.example" not in text
    assert "No events of its feeds are kept from then" in text
    assert client.get("/gaps.json").json() == [
        {
            "source": "<b>.example", "first": SILENT.isoformat(), "last": SILENT.isoformat(), "stories": 0, "usual": 8,
            "why": "no events of its feeds are kept from then; no story dropped",
        }
    ]  # fmt: skip


def test_days_and_sources_are_filters(client):
    assert client.get("/gaps.json?days=3").json() == []
    assert client.get("/gaps.json?domain=other.example").json() == []
    assert "No gaps" in client.get("/gaps?days=3").text
    assert client.get("/gaps?days=0").status_code == 400
