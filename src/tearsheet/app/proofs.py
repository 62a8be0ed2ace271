"""Where the proof of a story is: its record in a WARC file, with the digests of both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tearsheet.app.engines import Engines
    from tearsheet.archive import StoredCapture
    from tearsheet.engines.index import IndexedStory


@dataclass(slots=True, frozen=True)
class CaptureRecord:
    """Where the proof of a story is stored."""

    file: str
    offset: int
    length: int
    sha256: str
    """Of the page."""
    file_sha256: str
    file_size: int
    captured_at: datetime
    local: bool
    """Whether this machine has the file."""
    in_store: bool
    """Whether a blob store has a verified copy of it, which is read if the file is not on this machine."""


def find_capture(engines: Engines, story: IndexedStory) -> StoredCapture | None:
    """The capture of this very story or, if that is not archived, of the same address."""
    return engines.captures.of_stories([(story.story_id, story.id)])[0]


def capture_record(engines: Engines, capture: StoredCapture) -> CaptureRecord:
    """What is known about a capture and its file."""
    file, copies = capture.file, engines.captures.copies
    return CaptureRecord(
        file=file.name,
        offset=capture.offset,
        length=capture.length,
        sha256=capture.sha256,
        file_sha256=file.sha256,
        file_size=file.size,
        captured_at=capture.time,
        local=copies.is_here(file),
        in_store=bool(copies.stores_of(file)),
    )
