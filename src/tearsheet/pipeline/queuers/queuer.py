"""The queuer around a reader: takes files, reads them, and sends their stories on between the water marks.

A file's stories are published, and only then is it noted how far it was queued. A kill in between queues the last stories again,
under the same ids, so that every stage recognises them.
"""

from __future__ import annotations

import asyncio
import logging
import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO

from tearsheet.engines import repeated
from tearsheet.engines.broker import Broker, Message
from tearsheet.pipeline.queuers.bookmark import Bookmark
from tearsheet.pipeline.queuers.inputs import CannotOpen, InputFile, unpacked
from tearsheet.pipeline.queuers.rows import Problem, Reader, Row, Unreadable
from tearsheet.pipeline.queuers.tracker import Tracker, tracked_name
from tearsheet.story import make_story_id
from tearsheet.urls import non_news_host
from tearsheet.work import DROPPED, DiskFloor, Ledger, LedgerEntry, Outlet, WaterMarks, new_message

log = logging.getLogger(__name__)
STAGE = "queuer"
_BATCH = 250
_BATCH_BYTES = 8 << 20
_PAUSE_SECONDS = 0.25
_SHOWN_PROBLEMS = 20
_UNREAD = frozenset({"bad-row", "bad-xml", "damaged"})
"""Problems of rows that could not be read, so that nobody knows what they say. Their file is not finished: it has to be mended."""
MAX_PROBLEMS_KEPT = 1_000
Rows = Iterator[Row | Problem | Unreadable]
"""What is read of a file. If it cannot be read to its end, the last one is the `Unreadable` that says why."""


@dataclass(slots=True, frozen=True)
class FileKind:
    """The kind of files that a queuer reads."""

    read: Reader
    suffixes: tuple[str, ...]
    """How the names of files end that are taken from a directory or a `*`."""
    packed: bool = False
    """Whether the reader unpacks gzip itself, as for WARC files."""
    unit: str = "line"


@dataclass(slots=True, frozen=True)
class Choice:
    """Which files and which of their stories are wanted."""

    force: bool = False
    """Take finished files too."""
    dry_run: bool = False
    """Read and count, but queue nothing."""
    max_stories: int | None = None
    percent: float | None = None
    """A random sample of this size."""
    seed: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether files are queued whole: only then are they tracked."""
        return self.max_stories is None and self.percent is None and not self.dry_run


@dataclass(slots=True, frozen=True)
class FoundProblem:
    """A row that is not a story, or a file that could not be read to its end."""

    file: str
    line: int
    reason: str
    detail: str


@dataclass(slots=True)
class Tally:
    """What a queuer has done so far, for progress reports."""

    files: int = 0
    """All files that were found."""
    finished: int = 0
    skipped: int = 0
    """Finished before, or taken by another queuer."""
    changed: list[str] = field(default_factory=list)
    """Finished before under the same name, but with other content: these were not read."""
    failed: int = 0
    """Not read to the end; the next run takes them again."""
    stories: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    examples: list[FoundProblem] = field(default_factory=list)
    file: str = ""
    """The file that is being read."""
    bytes_done: int = 0
    bytes_total: int = 0
    waiting: bool = False
    """Whether the next queue or the disk is full."""


class Queuer:
    """Queues the stories of files. Without a broker it only reads and counts."""

    def __init__(
        self,
        kind: FileKind,
        find: Callable[[], Sequence[InputFile]],
        tracker: Tracker,
        outputs: Sequence[str],
        marks: WaterMarks,
        broker: Broker | None = None,
        ledger: Ledger | None = None,
        choice: Choice = Choice(),
        floor: DiskFloor | None = None,
    ) -> None:
        self.tally = Tally()
        self._kind = kind
        self._find = find
        self._tracker = tracker
        self._outlet = Outlet(broker, outputs, marks, floor) if broker is not None and not choice.dry_run else None
        self._ledger = ledger
        self._choice = choice
        self._chance = random.Random(choice.seed)

    async def run(self, stop: asyncio.Event) -> None:
        """Queue every file that is not finished, one after another, until stopped."""
        files = await asyncio.to_thread(self._find)
        self.tally.files = len(files)
        self.tally.bytes_total = sum(file.size or 0 for file in files)
        for file in files:
            if stop.is_set() or self._enough() or (self._outlet is not None and self._outlet.gave_up):
                return
            if await asyncio.to_thread(self._take, file):
                await self._queue_tracked(file, stop)
            else:
                self.tally.skipped += 1
                # An archive file has a name of its own, and is rewritten when stories are erased from it.
                if not self._kind.packed and await asyncio.to_thread(self._tracker.was_another, file.name, file.size):
                    self.tally.changed.append(file.name)
            self.tally.bytes_done += file.size or 0

    def _take(self, file: InputFile) -> bool:
        if self._choice.is_whole:
            return self._tracker.take(file.name, force=self._choice.force)
        return self._choice.force or not self._choice.dry_run or not self._tracker.is_finished(file.name)

    async def _queue_tracked(self, file: InputFile, stop: asyncio.Event) -> None:
        finished = False
        try:
            finished = await self._queue(file, stop)
        finally:
            if self._choice.is_whole:
                if finished:
                    await asyncio.to_thread(self._tracker.finish, file.name, file.size)
                else:
                    await asyncio.to_thread(self._tracker.give_back, file.name)

    async def _queue(self, file: InputFile, stop: asyncio.Event) -> bool:
        """Queue a file's stories; returns whether it was read and queued to its end."""
        self.tally.file = file.name
        log.info("queuing", extra={"file": file.name})
        try:
            stream, rows, bookmark, unread = await asyncio.to_thread(self._open, file)
        except CannotOpen as error:
            await self._note(file, [Problem(0, "no-file", file.problem or str(error))])
            self.tally.failed += 1
            return False
        whole = not unread
        await self._note(file, unread)
        with stream:
            before = self.tally.bytes_done
            while not stop.is_set() and not self._enough():
                batch = await asyncio.to_thread(self._next_batch, rows, file)
                if batch.messages and not await self._has_room(stop):
                    break
                await self._publish(batch.messages)
                await self._note(file, batch.problems)
                bookmark.move(batch.story_ids)
                if batch.messages and self._choice.is_whole:
                    await asyncio.to_thread(self._tracker.keep_mark, file.name, bookmark.mark)
                self.tally.bytes_done = before + (stream.tell() if file.size else 0)
                if batch.broken:
                    whole = False
                if batch.ended:
                    self.tally.bytes_done = before
                    self.tally.finished += whole
                    self.tally.failed += not whole
                    return whole
            self.tally.bytes_done = before
        return False

    def _open(self, file: InputFile) -> tuple[BinaryIO, Rows, Bookmark, list[Problem]]:
        """The rows that an earlier queuer of the file has not queued, and what could not be read before them. Raises CannotOpen."""
        mark = self._tracker.mark(file.name) if self._choice.is_whole else None
        stream, bookmark = file.open(), Bookmark()
        rows = _safely(self._kind, file.name, stream)
        unread: list[Problem] = []
        if mark is not None:
            if bookmark.reaches(mark, _ids(rows, unread)):
                log.info("going on where it was left", extra={"file": file.name, "stories": mark.stories})
            else:  # another file of the same name
                stream.close()
                stream, bookmark = file.open(), Bookmark()
                rows = _safely(self._kind, file.name, stream)
                unread.clear()
        return stream, rows, bookmark, unread

    def _next_batch(self, rows: Rows, file: InputFile) -> _Batch:
        batch = _Batch()
        size = 0
        for row in rows:
            if isinstance(row, Unreadable):
                batch.problems.append(row.problem)
                batch.broken = True
            elif isinstance(row, Problem):
                batch.problems.append(row)
                batch.broken = batch.broken or row.reason in _UNREAD
            elif self._choice.percent is None or self._chance.random() * 100 < self._choice.percent:
                message = new_message(row.story, f"{self._kind.unit} {row.line} of {tracked_name(file.name)}")
                batch.messages.append(message)
                batch.story_ids.append(row.story.id)
                size += len(message.page)
            if (
                len(batch.messages) >= min(_BATCH, self._left())
                or size >= _BATCH_BYTES
                or len(batch.problems) >= _BATCH
            ):
                return batch
        batch.ended = True
        return batch

    def _left(self) -> int:
        wanted = self._choice.max_stories
        return _BATCH if wanted is None else wanted - self.tally.stories

    def _enough(self) -> bool:
        return self._left() <= 0

    async def _has_room(self, stop: asyncio.Event) -> bool:
        """Wait until the disk has room and the next queue is below its mark; False when stopped or given up in the meantime."""
        if self._outlet is None:
            return True
        while not stop.is_set() and not self._outlet.gave_up:
            if await self._outlet.has_room():
                self.tally.waiting = False
                return True
            self.tally.waiting = True
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _PAUSE_SECONDS)
        return False

    async def _publish(self, messages: Sequence[Message]) -> None:
        if self._outlet is not None:
            await self._outlet.send(messages)
        self.tally.stories += len(messages)

    async def _note(self, file: InputFile, problems: Sequence[Problem]) -> None:
        """Record rows that are not stories, each with its line: here, in the log, and in the ledger."""
        for problem in problems:
            self.tally.problems[problem.reason] += 1
            found = FoundProblem(file.name, problem.line, problem.reason, problem.detail)
            if len(self.tally.examples) < _SHOWN_PROBLEMS:
                extra = {"file": file.name, self._kind.unit: problem.line, "reason": problem.reason}
                log.warning("left out", extra=extra | {"detail": problem.detail})
            if len(self.tally.examples) < MAX_PROBLEMS_KEPT:
                self.tally.examples.append(found)
        if problems and self._ledger is not None and not self._choice.dry_run:
            note = partial(note_rows, self._ledger, tracked_name(file.name), problems, self._kind.unit)
            await asyncio.to_thread(repeated, note)


@dataclass(slots=True)
class _Batch:
    messages: list[Message] = field(default_factory=list)
    story_ids: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    ended: bool = False
    broken: bool = False


def note_rows(ledger: Ledger, name: str, problems: Sequence[Problem], unit: str = "row") -> None:
    """Put rows that are not stories into the ledger, as dropped by the queuer. The same row twice is counted once."""
    ledger.record(
        [
            LedgerEntry(
                make_story_id("row", name, problem.line, problem.reason, problem.detail),
                STAGE,
                DROPPED,
                problem.reason,
                f"{problem.detail[:300]} ({unit} {problem.line} of {name})"[:500],
            )
            for problem in problems
        ]
    )


def _ids(rows: Rows, unread: list[Problem]) -> Iterator[str]:
    """The ids of the stories; what cannot be read on the way is added to `unread`."""
    for row in rows:
        if isinstance(row, Row):
            yield row.story.id
        elif isinstance(row, Problem) and row.reason in _UNREAD:
            unread.append(row)


def _only_news(row: Row | Problem) -> Row | Problem:
    if isinstance(row, Row) and non_news_host(row.story.url):
        return Problem(row.line, "non-news", row.story.url or "")
    return row


def _safely(kind: FileKind, name: str, stream: BinaryIO) -> Rows:
    """The rows of a file."""
    line = 0
    try:
        for row in kind.read(name, stream if kind.packed else unpacked(stream)):
            line = row.line
            yield _only_news(row)
    except Unreadable as unreadable:
        yield unreadable
    except EOFError:
        yield Unreadable(line + 1, "truncated", "the gzip data is cut off")
    except (OSError, zlib.error) as error:
        yield Unreadable(line + 1, "unreadable", str(error))
