"""The queuer of the `queue-fetcher` pipeline: new entries of the feeds become stories in the fetch queue.

A story is published, and only then is its entry marked as queued. A kill in between publishes it again, under the same
story id, so that the importer recognises it as the same story.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from email.utils import format_datetime
from functools import partial

from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines import repeated
from tearsheet.engines.broker import Broker
from tearsheet.engines.database import Database
from tearsheet.feeds.polling import UnqueuedStory, mark_queued, unqueued_stories
from tearsheet.masking import without_login
from tearsheet.story import RSSEntry, Story, make_story_id
from tearsheet.work import DiskFloor, Outlet, WaterMarks, new_message

_BATCH = 500
_PAUSE_SECONDS = 1.0


def story_of(entry: UnqueuedStory, server: str) -> Story:
    """The story of a feed entry, with every field of `rss_entry` filled in as Media Cloud does."""
    return Story(
        id=make_story_id("feeds", server, entry.id),
        rss_entry=RSSEntry(
            link=entry.url,
            title=entry.title,
            domain=entry.domain,
            pub_date=format_datetime(entry.published_at) if entry.published_at else None,
            fetch_date=entry.fetched_at.date().isoformat(),
            source_url=without_login(entry.feed_url) if entry.feed_url else None,
            source_feed_id=entry.feed_id,
            source_source_id=entry.sources_id,
            via=f"{entry.id}@{server}",
        ),
    )


class FeedQueuer:
    """Moves entries from the feed database to the fetch queue, between the water marks."""

    def __init__(
        self,
        database: Database,
        broker: Broker,
        outputs: Sequence[str],
        marks: WaterMarks,
        server: str,
        clock: Clock = wall_clock,
        floor: DiskFloor | None = None,
    ) -> None:
        self.queued = 0
        self._database = database
        self._outlet = Outlet(broker, outputs, marks, floor, clock)
        self._server = server
        self._clock = clock

    async def run(self, stop: asyncio.Event, no_more: Callable[[], bool] = lambda: False) -> None:
        """Queue what is new until stopped, or until nothing is left and `no_more` says that nothing more will come.

        A nearly full disk is waited out, or given up on if the run is to end.
        """
        while not stop.is_set() and not self._outlet.gave_up:
            last = no_more()  # asked before reading, so that nothing slips in between
            moved = await self._move_batch() if await self._outlet.has_room() else None
            if moved == 0 and last:
                return
            if not moved:
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), _PAUSE_SECONDS / 10 if last else _PAUSE_SECONDS)

    async def _move_batch(self) -> int:
        entries = await asyncio.to_thread(repeated, partial(unqueued_stories, self._database, _BATCH))
        if entries:
            await self._outlet.send([new_message(story_of(entry, self._server)) for entry in entries])
            now = utc_now(self._clock)
            mark = partial(mark_queued, self._database, [entry.id for entry in entries], now)
            await asyncio.to_thread(repeated, mark)
            self.queued += len(entries)
        return len(entries)
