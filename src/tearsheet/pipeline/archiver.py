"""The archiver: a batch of stories becomes a WARC file, and each story is let go only when its record is safe."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from tearsheet.archive import StoryArchiveWriter
from tearsheet.archive.profiles import archive_id
from tearsheet.archive.recover import Recovered, recover
from tearsheet.archive.store import ArchiveStore
from tearsheet.clock import Clock, wall_clock
from tearsheet.pipeline.stage import Outcome, Quarantine, Result
from tearsheet.story import Story

log = logging.getLogger(__name__)


class Archiver:
    """A batch stage. One batch is one file, or several when `max_stories` or `max_bytes` is reached.

    A story that is registered already, because it was delivered twice, is passed on and not written again. `stores` names the
    blob stores that each file is to be copied to.
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
        writer: StoryArchiveWriter | None = None
        try:
            for number, story in enumerate(stories):
                problem = unfit(story)
                if problem is not None:
                    results[number] = problem
                    continue
                if archive_id(story) in seen:
                    continue
                seen.add(archive_id(story))
                if writer is None:
                    writer = self._open()
                writer.write(story)
                if writer.stories >= self._max_stories or writer.size >= self._max_bytes:
                    self._finish(writer)
                    writer = None
            if writer is not None:
                self._finish(writer)
        except BaseException:
            self._recovered = False  # a file may be finished and not registered: look before the next one
            if writer is not None:
                writer.abort()
            raise
        return results

    def _open(self) -> StoryArchiveWriter:
        return StoryArchiveWriter(self._folder, prefix=self._prefix, profile=self._profile, clock=self._clock)

    def _finish(self, writer: StoryArchiveWriter) -> None:
        file = writer.close()
        self._store.register(file, stores=self._stores)
        log.info("archive file written", extra={"file": file.name, "stories": file.stories, "bytes": file.size})


def unfit(story: Story) -> Outcome | None:
    """Why a story cannot be archived: it has no address or no page. None when it can."""
    if not story.url:
        return Quarantine("no-url")
    if not story.raw_html.html:
        return Quarantine("no-html")
    return None
