"""What a finished WARC file holds, found by reading it: its captures, its CDXJ, its digest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tearsheet.archive.addresses import story_addresses
from tearsheet.archive.cdxj import CdxLine, cdxj_file, http_mime
from tearsheet.archive.members import Damage
from tearsheet.archive.names import parse_name
from tearsheet.archive.reader import ArchivedStory, StoryArchiveReader
from tearsheet.archive.scan import Record
from tearsheet.archive.writer import ArchiveFile, Capture


@dataclass(slots=True)
class Description:
    """A file as described by its records, and what in it could not be used."""

    file: ArchiveFile
    cdxj: bytes
    damages: list[Damage]


def describe(
    path: Path, watch: Callable[[Record], None] | None = None, *, final_name: str | None = None
) -> Description:
    """Read a WARC file, ours or foreign, and say what it holds. Captures that cannot be read alone are left out.

    `watch` is called with every record. `final_name` is the name that a draft is going to have.
    """
    cdx_lines: list[CdxLine] = []

    def note(record: Record) -> None:
        if watch is not None:
            watch(record)
        if record.type in ("response", "revisit") and record.length:
            cdx_lines.append(_cdx_line(record, final_name or path.name))

    captures = []
    with StoryArchiveReader(path, watch=note) as reader:
        for archived in reader.archived():
            if archived.length:
                captures.append(capture_of(archived, path))
        damages = reader.damages
    size, sha256 = measure(path)
    name = parse_name(path.name)
    created = name.time if name else datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(microsecond=0)
    key = name.key if name else f"{created:%Y/%m/%d}/{path.name}"
    file = ArchiveFile(path, key, size, sha256, len(captures), created, tuple(captures))
    return Description(file, cdxj_file(line.text().encode() for line in cdx_lines), damages)


def capture_of(archived: ArchivedStory, path: Path) -> Capture:
    """The capture of a story that was read from a file."""
    story = archived.story
    return Capture(
        story_id=story.id,
        url=story.url or archived.uri,
        file=path.name,
        offset=archived.offset,
        length=archived.length,
        sha256=archived.sha256,
        time=archived.time or datetime.fromtimestamp(0, UTC),
        index_url=story.content_metadata.url or story.url or archived.uri,
        addresses=tuple(story_addresses(story)),
    )


def measure(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a file."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
            size += len(chunk)
    return size, digest.hexdigest()


def _cdx_line(record: Record, filename: str) -> CdxLine:
    head = bytes(record.data[record.start : min(record.end, record.start + 65_536)]).partition(b"\r\n\r\n")[0]
    mime, status = http_mime(head)
    if record.type == "revisit":
        mime = "warc/revisit"
    digest = record.headers.get("warc-payload-digest", "-")
    return CdxLine(record.uri, record.date, mime, status, digest, record.offset, record.length, filename)
