"""Stories counted by day and by value."""

from __future__ import annotations

from datetime import timedelta

from tearsheet.feeds.catalogue import stories_by_day, stories_from, top_counts
from tests.support.feed_fakes import NOW
from tests.support.feed_rows import add_stories, story


def test_counts_by_day_and_by_value(database) -> None:
    add_stories(database, story(1, published_at=NOW), story(2), story(3, fetched_at=NOW, domain="b.example"))
    assert stories_by_day(database, "fetched_at") == [("2026-11-15", 1), ("2026-11-14", 2)]
    assert stories_by_day(database, "published_at", source_id=7) == [("2026-11-15", 1)]
    assert top_counts(database, "domain", NOW - timedelta(days=3), 1) == [("a.example", 2)]
    assert [row["id"] for row in stories_from(database, 2, 10)] == [2, 3]
