"""What a finished WARC file holds, found by reading it: its captures, its CDXJ, its digest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tearsheet.archive.cdxj import CdxEntry, cdxj_text, http_mime
from tearsheet.archive.members import Damage
from tearsheet.archive.names import parse_name
from tearsheet.archive.reader import ArchivedStory, StoryArchiveReader
from tearsheet.archive.scan import Record
from tearsheet.archive.writer import ArchiveFile, Capture


@dataclass(slots=True)
class Description:
    """A file as its records tell it, and what in it could not be used."""

    file: ArchiveFile
    cdxj: str
    damages: list[Damage]


def describe(path: Path, watch: Callable[[Record], None] | None = None) -> Description:
    """Read a WARC file, ours or foreign, and say what it holds. Captures that cannot be read alone are left out.

    `watch` is shown every record on the way.
    """
    entries: list[CdxEntry] = []

    def note(record: Record) -> None:
        if watch is not None:
            watch(record)
        if record.type in ("response", "revisit") and record.length:
            entries.append(_cdx_entry(record, path.name))

    captures = []
    with StoryArchiveReader(path, watch=note) as reader:
        for story in reader.entries():
            if story.length:
                captures.append(capture_of(story, path))
        damages = reader.damages
    size, sha256 = measure(path)
    name = parse_name(path.name)
    created = name.time if name else datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(microsecond=0)
    key = name.key if name else f"{created:%Y/%m/%d}/{path.name}"
    file = ArchiveFile(path, key, size, sha256, len(captures), created, tuple(captures))
    return Description(file, cdxj_text(entries), damages)


def capture_of(entry: ArchivedStory, path: Path) -> Capture:
    """Where a story that was read lies."""
    story = entry.story
    return Capture(
        story_id=story.id,
        url=story.url or entry.uri,
        file=path.name,
        offset=entry.offset,
        length=entry.length,
        sha256=entry.sha256,
        time=entry.time or datetime.fromtimestamp(0, UTC),
        index_url=story.content_metadata.url or story.url or entry.uri,
    )


def measure(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a file."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
            size += len(chunk)
    return size, digest.hexdigest()


def _cdx_entry(record: Record, filename: str) -> CdxEntry:
    head = bytes(record.data[record.start : min(record.end, record.start + 65_536)]).partition(b"\r\n\r\n")[0]
    mime, status = http_mime(head)
    if record.type == "revisit":
        mime = "warc/revisit"
    digest = record.headers.get("warc-payload-digest", "-")
    return CdxEntry(record.uri, record.date, mime, status, digest, record.offset, record.length, filename)
