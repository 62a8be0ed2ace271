from __future__ import annotations

from pathlib import Path

import pytest

from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds
from tests.support.feed_fakes import NOW, new_database


@pytest.fixture
def database(tmp_path: Path):
    """Three feeds of one source, whose addresses need escaping."""
    database = new_database(tmp_path)
    add_feeds(database, [NewFeed(f"http://{n}.example/rss?a=1&b='\"", sources_id=7) for n in "abc"], NOW)
    yield database
    database.close()
