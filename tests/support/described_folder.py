"""A data folder that has everything which the examples of the API's description name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

from tearsheet.app.services import Services
from tearsheet.feeds.polling import result_store
from tearsheet.feeds.polling.daily_rss import write_daily_rss
from tearsheet.feeds.tables import stories
from tests.support.feed_rows import story
from tests.support.ingested_page import ingest_page
from tests.support.web_seed import NOW, open_services, seed


@contextmanager
def described_folder(data: Path) -> Iterator[Services]:
    """The services of such a folder, filled."""
    ingest_page(data)
    with open_services(data) as services:
        seed(services)
        day, found = date(2026, 11, 14), NOW - timedelta(hours=20)
        with services.database.begin() as connection:
            rows = [story(number) | {"sources_id": 1, "fetched_at": found, "published_at": found} for number in (1, 2)]
            connection.execute(stories.insert(), rows)
            event = {"feed_id": 1, "note": "0 skipped / 2 added", "created_at": NOW, "counts": None}
            result_store.add_events(connection, [event | {"event": "fetch_succeeded"}])
        write_daily_rss(services.database, services.data / "rss", day, NOW)
        yield services
