"""The archiver: a batch of stories becomes a WARC file, and a story is released only once its record is safe."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from tearsheet.archive import ArchiveStore, Recovered, StoryArchiveWriter, archive_id, recover
from tearsheet.clock import Clock, wall_clock
from tearsheet.pipeline.flavours import YEAR
from tearsheet.story import Story
from tearsheet.urls import non_news_host
from tearsheet.work import Drop, Outcome, Quarantine, Result

log = logging.getLogger(__name__)


class Archiver:
    """A batch stage. One batch is one file, or several when `max_stories` or `max_bytes` is reached.

    A story that is already registered, because it was delivered twice, is passed on and not written again. `stores` names the
    blob stores that each file is to be copied to. `prefix` begins the files' names; if it contains YYYY, each year in which
    stories were collected gets separate files.
    """

    def __init__(
        self,
        store: ArchiveStore,
        folder: Path,
        *,
        prefix: str = "mc",
        profile: str = "mediacloud",
        max_stories: int = 5_000,
        max_bytes: int = 1_000_000_000,
        stores: Sequence[str] = (),
        clock: Clock = wall_clock,
    ) -> None:
        self._store = store
        self._folder = folder
        self._prefix = prefix
        self._profile = profile
        self._max_stories = max_stories
        self._max_bytes = max_bytes
        self._stores = tuple(stores)
        self._clock = clock
        self._recovered = False

    def recover(self) -> Recovered:
        """Put the folder in order after a crash. The first batch does so by itself."""
        self._recovered = True
        return recover(self._folder, self._store, self._stores)

    def process_batch(self, stories: Sequence[Story]) -> Sequence[Result]:
        """Archive the stories. When this returns, they are on disk and registered."""
        if not self._recovered:
            self.recover()
        results: list[Result] = list(stories)
        seen = self._store.known(archive_id(story) for story in stories)
        writers: dict[str, StoryArchiveWriter] = {}
        try:
            for position, story in enumerate(stories):
                problem = unfit(story)
                if problem is not None:
                    results[position] = problem
                    continue
                if archive_id(story) in seen:
                    continue
                seen.add(archive_id(story))
                prefix = prefix_for(story, self._prefix, self._clock())
                if prefix not in writers:
                    writers[prefix] = self._open(prefix)
                writer = writers[prefix]
                writer.write(story)
                if writer.stories >= self._max_stories or writer.size >= self._max_bytes:
                    self._finish(writers.pop(prefix))
            while writers:
                self._finish(writers.popitem()[1])
        except BaseException:
            self._recovered = False  # a file may be finished but not registered: recover before the next batch
            for writer in writers.values():
                writer.abort()
            raise
        return results

    def _open(self, prefix: str) -> StoryArchiveWriter:
        return StoryArchiveWriter(self._folder, prefix=prefix, profile=self._profile, clock=self._clock)

    def _finish(self, writer: StoryArchiveWriter) -> None:
        file = writer.close()
        self._store.register(file, stores=self._stores)
        log.info("archive file written", extra={"file": file.name, "stories": file.stories, "bytes": file.size})


def prefix_for(story: Story, prefix: str, now: float) -> str:
    """The prefix, with YYYY replaced by the year in which the story was collected."""
    if YEAR not in prefix:
        return prefix
    day, stamp = story.rss_entry.fetch_date, story.http_metadata.fetch_timestamp
    if stamp is not None:
        with suppress(ValueError, OverflowError, OSError):  # not a valid time
            return prefix.replace(YEAR, f"{datetime.fromtimestamp(stamp, UTC):%Y}")
    return prefix.replace(YEAR, day[:4] if day else f"{datetime.fromtimestamp(now, UTC):%Y}")


def unfit(story: Story) -> Outcome | None:
    """Why a story cannot be archived: it has no address or no page, or is no news. None when it can."""
    if not story.url:
        return Quarantine("no-url")
    if not story.raw_html.html:
        return Quarantine("no-html")
    if host := non_news_host(story.url):
        return Drop("non-news", host)
    return None
