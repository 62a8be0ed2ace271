"""What is kept: the newest events of each feed, and the stories that are still in a feed or were until recently."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from tearsheet.engines.database import Database
from tearsheet.feeds.polling.store import forget_idle_paces
from tearsheet.feeds.polling.story_store import drop_events, drop_stories
from tearsheet.settings import FeedSettings

_PACE_DAYS = 1


@dataclass(slots=True, frozen=True)
class Pruned:
    """How many rows were deleted, or would be."""

    fetch_events: int
    stories: int


def prune(database: Database, settings: FeedSettings, now: datetime, *, dry_run: bool = False) -> Pruned:
    """Delete events beyond `feeds.events_kept` of each feed, and stories that left their feeds `feeds.story_days` ago.

    A story that is still in its feed stays, however old; otherwise it would be taken for new. One that waits for the
    fetch queue stays too. Rows are deleted in small transactions, so that polling goes on.
    """
    days = max(settings.story_days, settings.title_days, 8)  # unchanged feeds are read in full once a week
    events = drop_events(database, settings.events_kept, dry_run=dry_run)
    stories = drop_stories(database, now - timedelta(days=days), dry_run=dry_run)
    if not dry_run:
        forget_idle_paces(database, now - timedelta(days=_PACE_DAYS))
    return Pruned(events, stories)
