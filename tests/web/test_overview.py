"""The front page's figures, and its notice of feeds that cannot be read."""

from __future__ import annotations

import httpx
from sqlalchemy import update

from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.feeds.tables import feeds
from tearsheet.web.app import create_app
from tests.support.feed_fakes import NOW
from tests.support.patience import PATIENCE
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app


def test_feeds_that_cannot_be_read_are_told_with_what_to_do(tmp_path):
    with open_services(tmp_path) as services:
        services.database.migrate()
        add_feeds(services.database, [NewFeed(f"http://me:pw@paper.example/<{n}>") for n in range(8)], NOW)
        with (
            serve_app(create_app(services)) as address,
            httpx.Client(base_url=address, headers={"accept": "text/html"}, timeout=PATIENCE) as client,
        ):
            with services.database.begin() as connection:
                failed = {"last_fetch_failures": 0.5, "system_status": "HTTP 404 Not Found", "last_fetch_attempt": NOW}
                connection.execute(update(feeds).where(feeds.c.id < 8).values(**failed))
            page = client.get("/").text
            data = client.get("/overview.json").json()
    assert "7 feeds cannot be read" in page
    assert "<code>http://paper.example/&lt;0&gt;</code>: HTTP 404 Not Found; check its address" in page
    assert page.count("HTTP 404 Not Found") == len(data["failing"]) == 5
    assert data["failing_feeds"] == 7
