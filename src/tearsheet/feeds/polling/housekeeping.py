"""Regular work beside polling: the daily RSS files, pruning old rows, and another look at feeds that were joined."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines import repeated
from tearsheet.engines.database import Database
from tearsheet.feeds.polling.daily_rss import write_missing_days
from tearsheet.feeds.polling.joined_feeds import wake_joined
from tearsheet.feeds.polling.retention import prune
from tearsheet.settings import FeedSettings

log = logging.getLogger(__name__)
EVERY_SECONDS = 3600.0


class Housekeeper:
    """Writes missing daily RSS files into `folder`, prunes and looks after joined feeds, once an hour, until it is stopped."""

    def __init__(self, database: Database, settings: FeedSettings, folder: Path, clock: Clock = wall_clock) -> None:
        self._database = database
        self._settings = settings
        self._folder = folder
        self._clock = clock

    async def run(self, stop: asyncio.Event) -> None:
        """Do the work once an hour until `stop` is set."""
        while not stop.is_set():
            await asyncio.to_thread(repeated, self.once)
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), EVERY_SECONDS)

    def once(self) -> None:
        """Do what is due now. The files come first: they are made from rows that pruning removes.

        It is told only when stories were written to a file or rows were deleted: files of days without a story are no news.
        """
        now = utc_now(self._clock)
        made = write_missing_days(self._database, self._folder, self._settings.story_days, now)
        pruned = prune(self._database, self._settings, now)
        woken = wake_joined(self._database, now)
        made_files = sum(stories > 0 for stories in made.values())
        done = {"rss_files": made_files, "woken_feeds": woken, **asdict(pruned)}
        if any(done.values()):
            log.info("kept house", extra=done)
