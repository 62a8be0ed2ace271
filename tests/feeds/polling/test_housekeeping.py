"""What is done once a day, in its order."""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path

import pytest

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


def test_housekeeping_is_told_only_when_something_was_done(database, tmp_path: Path, caplog: pytest.LogCaptureFixture):
    keeper = Housekeeper(database, FeedSettings(), tmp_path / "rss", clock=lambda: NOW.timestamp())
    with caplog.at_level(logging.INFO):
        keeper.once()
        assert caplog.messages == [], "files of days without a story are no news"
        add_stories(database, story(1, fetched_at=NOW - timedelta(days=1), seen_at=NOW))
        for file in (tmp_path / "rss").iterdir():
            file.unlink()
        keeper.once()
        keeper.once()
    assert [(record.message, record.rss_files) for record in caplog.records] == [("kept house", 1)]  # type: ignore[attr-defined]
