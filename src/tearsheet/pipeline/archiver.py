"""The archiver: stories are appended to an open WARC file as they come, and released once the file is closed and registered.

A file holds thousands of stories and is safe only as a whole: nothing of it counts until it is synced, named and registered. To
collect the stories first would take a gigabyte of memory, and to close a file after each batch would make many small ones. So
the stage writes each story at once, remembers which file has it, and says `Kept`; the worker (`work/keeping.py`) holds the
message without its page until the file is closed: by count, by size, by age, or because the run ends.

After a kill, the unfinished file is removed at the next start and its stories come again. A file that was finished and not yet
registered is registered then, so that its stories, which come again too, are recognised and not written twice.

Several archivers may work on one folder and one queue. A story that was queued twice may then be in two open files: whoever closes
later gives that file up, and its stories come again. On one folder archivers close their files one after the other, so none is
missed; with a folder each, two that close at the same moment may both keep such a story.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tearsheet.archive import ArchiveStore, Recovered, StoryArchiveWriter, archive_id, closing_alone, recover
from tearsheet.clock import Clock, wall_clock
from tearsheet.engines import repeated
from tearsheet.errors import WorkerError
from tearsheet.files import storage_errors
from tearsheet.foreign_text import is_writable
from tearsheet.pipeline.flavours import YEAR
from tearsheet.story import Story
from tearsheet.urls import non_news_host
from tearsheet.work import Drop, Kept, Outcome, Quarantine

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _OpenFile:
    writer: StoryArchiveWriter
    since: float


class Archiver:
    """A keeping stage: one open file, or one for each year if `prefix`, which begins the files' names, contains YYYY.

    A story that is already registered, because it was delivered twice, is passed on and not written again. `stores` names the
    blob stores that each file is to be copied to. With `only_news`, what is from a site that publishes none is left out.
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
        max_seconds: float = 900.0,
        stores: Sequence[str] = (),
        only_news: bool = True,
        clock: Clock = wall_clock,
    ) -> None:
        self._store = store
        self._folder = folder
        self._prefix = prefix
        self._profile = profile
        self._max_stories = max_stories
        self._max_bytes = max_bytes
        self._max_seconds = max_seconds
        self._stores = tuple(stores)
        self._only_news = only_news
        self._clock = clock
        self._recovered = False
        self._open: dict[str, _OpenFile] = {}
        """By prefix."""
        self._placed: dict[str, str] = {}
        """The name of the file that each story was written to, by archive id, until the worker knows that the file is safe."""
        self._safe: list[str] = []
        """Files that are closed and registered, and of which the worker does not know yet."""
        self._given_up: list[str] = []
        """Files that were thrown away, and of which the worker does not know yet."""

    def recover(self) -> Recovered:
        """Put the folder in order after a crash. The first batch does so by itself."""
        recovered = recover(self._folder, self._store, self._stores)
        self._recovered = True
        return recovered

    def process_batch(self, stories: Sequence[Story]) -> Sequence[Story | Outcome | Kept]:
        """Write the stories. Each is safe once `finish` has named its file."""
        if not self._recovered:
            self.recover()
        with self._abandoned_on_failure():
            known = repeated(partial(self._store.known, [archive_id(story) for story in stories]))
            return [unfit(story, only_news=self._only_news) or self._add(story, known) for story in stories]

    def finish(self, *, everything: bool = False) -> Sequence[str]:
        """Close and register the files that are old enough, or all. Names those that became safe since the last call."""
        with self._abandoned_on_failure():
            for prefix, file in list(self._open.items()):
                if everything or not 0 <= self._clock() - file.since < self._max_seconds:
                    self._close(prefix)
        safe, self._safe = self._safe, []
        self._placed = (
            {story: name for story, name in self._placed.items() if name not in safe} if safe else self._placed
        )
        return safe

    def given_up(self) -> Sequence[str]:
        """The files since the last call that were not kept because another archiver has some of their stories."""
        given_up, self._given_up = self._given_up, []
        return given_up

    def abandon(self) -> None:
        """Throw the open files away: their stories come again."""
        self._recovered = self._recovered and not self._open  # one may be finished but not registered
        for file in self._open.values():
            file.writer.abort()
        self._open.clear()
        self._placed.clear()
        self._safe.clear()
        self._given_up.clear()

    @contextmanager
    def _abandoned_on_failure(self) -> Iterator[None]:
        try:
            yield
        except WorkerError:
            self.abandon()
            raise

    def _add(self, story: Story, known: set[str]) -> Story | Kept:
        key = archive_id(story)
        if key in known:
            return story
        if key in self._placed:
            return Kept(self._placed[key])
        prefix = prefix_for(story, self._prefix, self._clock())
        writer = self._writer(prefix)
        place = self._placed[key] = writer.write(story).file
        if writer.stories >= self._max_stories or writer.size >= self._max_bytes:
            self._close(prefix)
        return Kept(place)

    def _writer(self, prefix: str) -> StoryArchiveWriter:
        if prefix not in self._open:
            writer = StoryArchiveWriter(
                self._folder, prefix=prefix, profile=self._profile, clock=self._clock, taken=self._store.has_file
            )
            self._open[prefix] = _OpenFile(writer, self._clock())
        return self._open[prefix].writer

    def _close(self, prefix: str) -> None:
        writer = self._open[prefix].writer
        with storage_errors(f"cannot write {writer.path}"), closing_alone(self._folder, writer.path.name) as left:
            if left:
                self.recover()
            if twice := repeated(partial(self._store.known, writer.story_ids)):
                self._give_up(prefix, len(twice))
                return
            file = writer.close()
            self._store.register(file, stores=self._stores)
        del self._open[prefix]
        self._safe.append(file.name)
        log.info("archive file written", extra={"file": file.name, "stories": file.stories, "bytes": file.size})

    def _give_up(self, prefix: str, twice: int) -> None:
        writer = self._open.pop(prefix).writer
        writer.abort()
        name = writer.path.name
        self._placed = {story: place for story, place in self._placed.items() if place != name}
        self._given_up.append(name)
        counts = {"file": name, "stories": writer.stories, "archived": twice}
        log.info("another archiver has some of these stories: all of them are looked at again", extra=counts)


def prefix_for(story: Story, prefix: str, now: float) -> str:
    """The prefix, with YYYY replaced by the year in which the story was collected."""
    if YEAR not in prefix:
        return prefix
    day, stamp = story.rss_entry.fetch_date, story.http_metadata.fetch_timestamp
    if stamp is not None:
        with suppress(ValueError, OverflowError, OSError):  # not a valid time
            return prefix.replace(YEAR, f"{datetime.fromtimestamp(stamp, UTC):%Y}")
    return prefix.replace(YEAR, day[:4] if day else f"{datetime.fromtimestamp(now, UTC):%Y}")


def unfit(story: Story, *, only_news: bool = True) -> Outcome | None:
    """Why a story is not archived: it has no page, no address that a database takes, or is no news. None when it is."""
    if not story.url:
        return Quarantine("no-url")
    for url in (story.url, story.content_metadata.url or ""):
        if "\0" in url or not is_writable(url):
            return Quarantine("no-url", f"{url!r} is no address")
    if not story.raw_html.html:
        return Quarantine("no-html")
    if only_news and (host := non_news_host(story.url)):
        return Drop("non-news", host)
    return None
