"""The one way to get captures back, wherever their files are: one of them, some, or every story of the archive."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from tearsheet.archive.addresses import index_id_of
from tearsheet.archive.copies import Copies, OpenBlobs
from tearsheet.archive.names import SUFFIX
from tearsheet.archive.reader import ArchivedStory, StoryArchiveReader, read_story_at
from tearsheet.archive.store import ArchiveStore, StoredCapture, StoredFile
from tearsheet.archive.verify import Problem
from tearsheet.archive.wacz_parts import WACZ, BadWacz, wacz_errors, warcs_in_wacz
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError, TearsheetError

_FILE_AND_OFFSET = re.compile(r"(?P<file>[^/]+\.warc(?:\.gz)?):(?P<offset>\d{1,18})")


@dataclass(slots=True)
class Walked:
    """What a walk over archive files has read so far, and what it could not read."""

    here: int = 0
    """Files that were read on this machine."""
    from_stores: int = 0
    unregistered: list[str] = field(default_factory=list)
    """Files that the database does not know; they are read all the same."""
    stories: int = 0
    documents: int = 0
    """Captures of ingested documents among the stories, as far as whoever walks counts them."""
    spidered: int = 0
    """Captures of pages that only spiders of topics fetched, likewise."""
    problems: list[Problem] = field(default_factory=list)


class Captures:
    """Finds captures and reads them. `stores` are the archive's blob stores by name."""

    def __init__(self, store: ArchiveStore, folder: Path, stores: Mapping[str, OpenBlobs] | None = None) -> None:
        self._store = store
        self.copies = Copies(store, folder, stores or {})

    # ---------------------------------------------------------------------------------------------------- which one

    def find(self, key: str, at: datetime | None = None) -> StoredCapture:
        """Find a capture by story id, by `FILE:OFFSET`, or by an address or its id in the index. Raises NotFoundError.

        An address may have been captured several times: `at` asks for the capture nearest to a time. Without it the first
        one is taken, since that is the one the index holds.
        """
        found = self._store.capture_of_story(key) or self._at_offset(key) or self._of_address(key, at)
        if found is None:
            raise NotFoundError(f"no capture of {key!r}; give a story id, an id of the index or an address")
        return found

    def of_stories(self, stories: Iterable[tuple[str, str]]) -> list[StoredCapture | None]:
        """The capture of each story, given as its id and its id in the index: its own, or else the first of its address."""
        pairs = list(stories)
        own = self._store.captures_of_stories([story_id for story_id, _ in pairs if story_id])
        first = self._store.captures_of_index_ids([index_id for story_id, index_id in pairs if story_id not in own])
        return [own.get(story_id) or first.get(index_id) for story_id, index_id in pairs]

    def of_ids(self, story_ids: Sequence[str]) -> dict[str, StoredCapture]:
        """Captures by story id; those that are not archived are left out."""
        return self._store.captures_of_stories(story_ids)

    def _at_offset(self, key: str) -> StoredCapture | None:
        match = _FILE_AND_OFFSET.fullmatch(key)
        return self._store.capture_at(match["file"], int(match["offset"])) if match else None

    def _of_address(self, key: str, at: datetime | None) -> StoredCapture | None:
        id_in_index = index_id_of(key) or key
        captures = self._store.captures_of_address(key) or self._store.captures_of_address(id_in_index)
        return nearest(captures or self._store.captures_known_by([id_in_index]), at)

    # ------------------------------------------------------------------------------------------------------ its story

    def read(self, capture: StoredCapture) -> ArchivedStory:
        """The story of a capture, page and all. Raises NotFoundError when its file is out of reach or damaged at that point."""
        with self.copies.opened(capture.file) as stream:
            found = read_story_at(stream, capture.offset)
        if found is None:
            raise NotFoundError(
                f"there is no story at {capture.offset} of {capture.file.name}; `tearsheet archive verify` says more"
            )
        return found

    def read_each(self, captures: Iterable[StoredCapture]) -> Iterator[tuple[StoredCapture, ArchivedStory | None]]:
        """The stories of captures, file by file; None for one that cannot be read."""
        for capture, stream in self.streams(captures):
            archived = None
            with suppress(TearsheetError):  # the store has gone away in the meantime
                archived = None if isinstance(stream, NotFoundError) else read_story_at(stream, capture.offset)
            yield capture, archived

    def streams(self, captures: Iterable[StoredCapture]) -> Iterator[tuple[StoredCapture, BinaryIO | NotFoundError]]:
        """Captures with their open files, each opened once and read from front to back, or with why one cannot be opened."""
        by_file: dict[int, list[StoredCapture]] = {}
        for capture in captures:
            by_file.setdefault(capture.file.id, []).append(capture)
        for in_one_file in by_file.values():
            yield from self._with_file(sorted(in_one_file, key=lambda capture: capture.offset))

    def _with_file(self, captures: Sequence[StoredCapture]) -> Iterator[tuple[StoredCapture, BinaryIO | NotFoundError]]:
        with ExitStack() as stack:
            stream: BinaryIO | NotFoundError
            try:
                stream = stack.enter_context(self.copies.opened(captures[0].file))
            except NotFoundError as error:
                stream = error
            for capture in captures:
                yield capture, stream

    # ----------------------------------------------------------------------------------------------------- all of them

    def moved_from(self, folder: Path) -> list[tuple[Path, StoredFile]]:
        """The registered files that used to be below a folder and are no longer on this machine, with their old paths."""
        within, found = folder.resolve(), []
        for file in self._store.files():
            path = file.local_path(self.copies.folder).resolve()
            if path.is_relative_to(within) and not self.copies.is_here(file):
                found.append((folder / path.relative_to(within), file))
        return found

    def walk(self, walked: Walked) -> Iterator[ArchivedStory]:
        """Every story of the archive: first from the files that are here, then from those that only a store has.

        Other people's files that were indexed where they lie, outside the archive folder, are not part of it. `walked`
        counts as it goes.
        """
        by_path = {file.local_path(self.copies.folder): file for file in self._store.files()}
        for path in sorted(self.copies.folder.rglob(f"*{SUFFIX}")):
            file = by_path.get(path)
            if file is None:
                walked.unregistered.append(path.name)
            walked.here += yield from _walk_file(path, walked, file)
        for _, file in self.moved_from(self.copies.folder):
            yield from self._walk_copy(file, walked)

    def _walk_copy(self, file: StoredFile, walked: Walked) -> Iterator[ArchivedStory]:
        try:
            with self.copies.whole(file) as path:
                walked.from_stores += yield from _walk_file(path, walked, file)
        except NotFoundError as error:
            walked.problems.append(Problem(file.name, str(error)))


def nearest(captures: Sequence[StoredCapture], at: datetime | None) -> StoredCapture | None:
    """The capture nearest to a time, or the first when no time is given; `captures` are in order of time."""
    if at is None or not captures:
        return captures[0] if captures else None
    return min(captures, key=lambda capture: abs(capture.time - at))


def walk_paths(paths: Iterable[Path], walked: Walked) -> Iterator[ArchivedStory]:
    """The stories of WARC and WACZ files, and of all such files in folders, whether or not they are registered."""
    for path in paths:
        for file in _archives_below(path) if path.is_dir() else [path]:
            walked.here += yield from (_walk_wacz if file.suffix == WACZ else _walk_file)(file, walked)


def _archives_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.name.endswith((SUFFIX, ".warc", WACZ)) and path.is_file())


def _walk_wacz(path: Path, walked: Walked) -> Generator[ArchivedStory, None, bool]:
    """The stories of the WARC files in a WACZ file; returns whether it could be read at all."""
    try:
        with wacz_errors():
            for name, stream in warcs_in_wacz(path, path.name):
                reader = StoryArchiveReader(stream)
                for archived in reader.archived():
                    walked.stories += 1
                    yield archived
                walked.problems += [Problem(name, damage.what, damage.offset) for damage in reader.damages]
    except BadWacz as error:
        walked.problems.append(Problem(path.name, f"cannot be read: {error}"))
        return False
    return True


def _walk_file(path: Path, walked: Walked, file: StoredFile | None = None) -> Generator[ArchivedStory, None, bool]:
    """The stories of one file. What is wrong with it, or differs from what was registered, goes into `walked`.

    The generator returns whether the file could be read at all.
    """
    name, stories = file.name if file else path.name, 0
    try:
        with StoryArchiveReader(path) as reader:
            for archived in reader.archived():
                stories += 1
                walked.stories += 1
                yield archived
        size = path.stat().st_size
    except OSError as error:
        walked.problems.append(Problem(name, f"cannot be read: {error.strerror or error}"))
        return False
    found = [Problem(name, damage.what, damage.offset) for damage in reader.damages]
    walked.problems += found or _shortcomings(name, file, size, stories)
    return True


def _shortcomings(name: str, file: StoredFile | None, size: int, stories: int) -> list[Problem]:
    """What is missing from a file that ends between two records, so that no record in it is broken."""
    if file is None or (size == file.size and stories >= file.stories):
        return []
    return [
        Problem(
            name,
            f"has {how_many(stories, 'story')} in {size:,} bytes; {file.stories:,} in {file.size:,} are registered",
        )
    ]
