"""What is done once a day, in its order."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from tearsheet.feeds.polling.housekeeping import Housekeeper
from tearsheet.feeds.tables import stories
from tearsheet.settings import FeedSettings
from tests.support.feed_fakes import NOW
from tests.support.feed_rows import add_stories, count, story


def test_housekeeping_writes_the_files_before_it_drops_the_rows(database, tmp_path: Path) -> None:
    old = NOW - timedelta(days=10)
    add_stories(database, story(1, fetched_at=old, seen_at=old))
    Housekeeper(database, FeedSettings(story_days=9), tmp_path / "rss", clock=lambda: NOW.timestamp()).once()
    assert len(list((tmp_path / "rss").iterdir())) == 8
    assert count(database, stories) == 0
