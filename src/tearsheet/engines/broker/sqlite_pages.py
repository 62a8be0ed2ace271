"""Pages of queued messages, in append-only files beside the queue: written once, read a few times, deleted by the file.

A page in a SQLite table is written three times (log, checkpoint, free list) and costs more than the rest of its message.
Here it is appended to a segment, and the segment is deleted when no message refers to it any more. Each process appends to
its own segments, which carry its name; all processes may read them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tearsheet.files import sync_folder
from tearsheet.system import BINARY, read_at, sync_bytes, write_at

SEGMENT_BYTES = 64_000_000
_MAX_OPEN = 64
_BLANK_BYTES = 1 << 20


class PageLocation(NamedTuple):
    """Where a page is stored."""

    segment: str
    offset: int
    length: int


class PageSpool:
    """The segments in a folder; this object appends to those of `owner`."""

    def __init__(self, folder: Path, owner: str, segment_bytes: int = SEGMENT_BYTES) -> None:
        self._folder = folder
        self._owner = owner
        self._segment_bytes = segment_bytes
        self._number = 0
        self._current = ""
        self._descriptor = -1
        self._size = 0
        self._dirty = False
        self._reading: dict[str, int] = {}
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def current(self) -> str:
        """The segment that is being appended to; it must not be dropped."""
        return self._current

    def append(self, page: bytes) -> PageLocation:
        """Write a page at the end. It is safe only after `sync`. Raises OSError, and leaves the segment as it was."""
        if self._descriptor < 0 or self._size >= self._segment_bytes:
            self._start_segment()
        location = PageLocation(self._current, self._size, len(page))
        try:
            written = write_at(self._descriptor, page, self._size)
            if written < len(page):
                raise OSError(28, "No space left on device")
        except OSError:
            os.ftruncate(self._descriptor, self._size)
            raise
        self._size += len(page)
        self._dirty = True
        return location

    def sync(self) -> None:
        """Make what was appended safe."""
        if self._dirty:
            sync_bytes(self._descriptor)
            self._dirty = False

    def read(self, location: PageLocation) -> bytes:
        """The bytes of a page."""
        descriptor = self._reading.get(location.segment)
        if descriptor is None:
            if len(self._reading) >= _MAX_OPEN:
                self._close_readers()
            descriptor = self._reading[location.segment] = os.open(
                self._folder / location.segment, os.O_RDONLY | BINARY
            )
        return read_at(descriptor, location.length, location.offset)

    def segments(self) -> Iterator[tuple[str, str]]:
        """Every segment with its owner."""
        for path in self._folder.iterdir():
            owner, _, _ = path.name.rpartition(".")
            yield path.name, owner

    def drop(self, segment: str) -> None:
        """Delete a segment."""
        descriptor = self._reading.pop(segment, None)
        if descriptor is not None:
            os.close(descriptor)
        (self._folder / segment).unlink(missing_ok=True)

    def blank_all_but(self, segment: str, used: Sequence[tuple[int, int]]) -> None:
        """Overwrite what lies between the pages in use, given as offset and length in order, with zeros."""
        path = self._folder / segment
        with path.open("r+b") as file:
            end = file.seek(0, os.SEEK_END)
            at = 0
            for offset, length in (*used, (end, 0)):
                while at < offset:
                    file.seek(at)
                    at += file.write(bytes(min(offset - at, _BLANK_BYTES)))
                at = offset + length
            file.flush()
            os.fsync(file.fileno())

    def close(self) -> None:
        """Close all files; they stay on disk."""
        self.sync()
        self._close_readers()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _start_segment(self) -> None:
        self.sync()
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._number += 1
        self._current = f"{self._owner}.{self._number}"
        self._descriptor = os.open(self._folder / self._current, os.O_CREAT | os.O_EXCL | os.O_WRONLY | BINARY, 0o644)
        self._size = 0
        sync_folder(self._folder)

    def _close_readers(self) -> None:
        for descriptor in self._reading.values():
            os.close(descriptor)
        self._reading.clear()
