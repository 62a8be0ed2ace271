"""What is kept of feeds, and for how long."""

from __future__ import annotations

from datetime import timedelta

from tearsheet.feeds.catalogue import fetch_history
from tearsheet.feeds.polling import result_store
from tearsheet.feeds.polling.retention import prune
from tearsheet.feeds.tables import fetch_events, stories
from tearsheet.settings import FeedSettings
from tests.support.feed_fakes import NOW
from tests.support.feed_rows import add_stories, count, story


def test_old_rows_go_and_those_that_matter_stay(database) -> None:
    old = NOW - timedelta(days=15)
    add_stories(
        database,
        story(1, seen_at=old, fetched_at=old),
        story(2, fetched_at=old),  # still in its feed
        story(3, seen_at=old, fetched_at=old, queued_at=None),  # still waits for the fetch queue
    )
    with database.begin() as connection:
        rows = [
            {"feed_id": 1 + n % 2, "event": "fetch_succeeded", "note": str(n), "created_at": NOW, "counts": None}
            for n in range(100)
        ]
        result_store.add_events(connection, rows)
    settings = FeedSettings(events_kept=30, story_days=14)
    counted = prune(database, settings, NOW, dry_run=True)
    assert (counted.fetch_events, counted.stories) == (40, 1)
    assert count(database, stories) == 3
    assert prune(database, settings, NOW) == counted
    assert (count(database, stories), count(database, fetch_events)) == (2, 60)
    assert fetch_history(database, 1)[0]["note"] == "98"
