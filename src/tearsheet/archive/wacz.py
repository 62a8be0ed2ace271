"""WACZ: some captures as one file that replay tools open, with an index, a list of pages and digests of everything.

The records are copied byte for byte from their WARC files, but for two kinds. A page that stands as `revisit` is written out,
because the record that it refers to may not be among the chosen ones. A page in the form of Media Cloud gets a head that readers
understand: its own is made up, and says `encoding=` where they look for `charset=`, so that they would show every letter with an
accent as two others. The page itself stays what it was.
"""

from __future__ import annotations

import hashlib
import json
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, BinaryIO

from tearsheet.archive.captures import Captures
from tearsheet.archive.describe import describe
from tearsheet.archive.http import parse_response
from tearsheet.archive.names import this_host
from tearsheet.archive.profiles import story_records, warcinfo
from tearsheet.archive.reader import ArchivedStory, StoryArchiveReader
from tearsheet.archive.records import compress, warc_date
from tearsheet.archive.scan import Record
from tearsheet.archive.store import StoredCapture
from tearsheet.archive.writer import SOFTWARE
from tearsheet.clock import Clock, wall_clock
from tearsheet.errors import NotFoundError, TearsheetError
from tearsheet.files import storage_errors, written_aside

WACZ_VERSION = "1.1.1"
_WARC_NAME = "data.warc.gz"


@dataclass(slots=True)
class Packed:
    """What went into a WACZ, and what could not."""

    path: Path
    pages: int = 0
    size: int = 0
    missing: list[str] = field(default_factory=list)
    """Story ids whose captures could not be read."""


def write_wacz(
    target: Path,
    wanted: Iterable[StoredCapture],
    captures: Captures,
    *,
    parts: Iterable[StoredCapture] = (),
    title: str = "",
    description: str = "",
    clock: Clock = wall_clock,
    progress: Callable[[], None] = lambda: None,
) -> Packed:
    """Pack captures into a WACZ. The file is there when it is whole. Raises NotFoundError when nothing can be packed.

    `parts` are captures that pages need and that are no pages themselves: pictures, styles.
    """
    packed = Packed(target)
    packing = {capture.story_id: capture for capture in wanted}
    pages_wanted = set(packing)
    packing |= {capture.story_id: capture for capture in parts}
    now = clock()
    with (
        storage_errors(f"cannot write {target}"),
        tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.absolute().parent) as folder,
    ):
        warc = Path(folder) / _WARC_NAME
        pages = []
        with warc.open("wb") as stream:
            opening = warcinfo("1.1", warc_date(now, "1.1"), _WARC_NAME, this_host(), _software())
            stream.write(compress(opening.to_bytes()))
            for capture, entry in _entries(captures.streams(packing.values()), packed, stream, now):
                if capture.story_id in pages_wanted:
                    pages.append(_page(entry, capture))
                progress()
        if not pages:
            raise NotFoundError("none of these stories has a capture that can be read: nothing to pack")
        with written_aside(target.absolute()) as file:
            _write_zip(file, warc, pages, _package(title or target.stem, description, now))
        packed.pages, packed.size = len(pages), target.stat().st_size
    return packed


def _entries(
    captures: Iterable[tuple[StoredCapture, BinaryIO | None]], packed: Packed, stream: IO[bytes], now: float
) -> Iterator[tuple[StoredCapture, ArchivedStory]]:
    """Copy the records of each capture."""
    for capture, source in captures:
        entry = None
        with suppress(TearsheetError):  # a store that went away meanwhile
            entry = _copy(source, capture, stream, now) if source is not None else None
        if entry is None:
            packed.missing.append(capture.story_id)
        else:
            yield capture, entry


def _copy(source: BinaryIO, capture: StoredCapture, stream: IO[bytes], now: float) -> ArchivedStory | None:
    with StoryArchiveReader(source, offset=capture.offset) as reader:
        entry = next(reader.entries(), None)
        first = next(iter(reader.records()), None)
    if entry is None or first is None or entry.offset != capture.offset or entry.sha256 != capture.sha256:
        return None
    if first.type == "revisit" or not entry.end or _has_made_up_head(first):
        for record in story_records(entry.story, "full", now=now):
            stream.write(compress(record.to_bytes()))
        return entry
    source.seek(entry.offset)
    stream.write(source.read(entry.end - entry.offset))
    return entry


def _has_made_up_head(record: Record) -> bool:
    """Whether the HTTP head is that of Media Cloud's archives."""
    try:
        stated = parse_response(record.data, record.start, record.end).header("content-type").lower()
    except ValueError:
        return False
    return stated.startswith("text/html; encoding=")


def _page(entry: ArchivedStory, capture: StoredCapture) -> dict[str, Any]:
    content = entry.story.content_metadata
    page = {
        "id": capture.story_id,
        "url": entry.uri,
        "ts": capture.time.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "title": content.article_title or entry.uri,
    }
    if content.text_content:
        page["text"] = content.text_content
    return page


def _software() -> str:
    return f"{SOFTWARE}/{version('tearsheet')}"


def _package(title: str, description: str, now: float) -> dict[str, Any]:
    created = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "profile": "data-package",
        "wacz_version": WACZ_VERSION,
        "title": title,
        "description": description,
        "created": created,
        "software": _software(),
        "resources": [],
    }


def _write_zip(target: IO[bytes], warc: Path, pages: list[dict[str, Any]], package: dict[str, Any]) -> None:
    header = {"format": "json-pages-1.0", "id": "pages", "title": "All pages", "hasText": True}
    lines = "".join(json.dumps(line) + "\n" for line in [header, *pages]).encode()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        _add(archive, package, f"archive/{_WARC_NAME}", warc)
        _add(archive, package, "indexes/index.cdxj", describe(warc).cdxj.encode())
        _add(archive, package, "pages/pages.jsonl", lines)
        text = json.dumps(package, indent=2).encode()
        archive.writestr("datapackage.json", text)
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(text).hexdigest()}"}
        archive.writestr("datapackage-digest.json", json.dumps(digest))


def _add(archive: zipfile.ZipFile, package: dict[str, Any], name: str, content: bytes | Path) -> None:
    digest, size = hashlib.sha256(), 0
    with archive.open(_entry(name, package["created"]), "w", force_zip64=True) as out:
        for piece in _pieces(content):
            out.write(piece)
            digest.update(piece)
            size += len(piece)
    package["resources"].append(
        {"name": name.rpartition("/")[2], "path": name, "hash": f"sha256:{digest.hexdigest()}", "bytes": size}
    )


def _entry(name: str, created: str) -> zipfile.ZipInfo:
    """An entry with its time as the extra field that zip programs write, in the directory and before the entry itself.

    Some readers, ReplayWeb.page among them, take an entry without such a field in the directory for one without any before its
    data, where `zipfile` puts the long sizes: they would begin to read twenty bytes too early.
    """
    time = datetime.fromisoformat(created)
    entry = zipfile.ZipInfo(name, time.timetuple()[:6])
    entry.extra = struct.pack("<HHBI", 0x5455, 5, 1, int(time.timestamp()))
    return entry


def _pieces(content: bytes | Path) -> Iterable[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as stream:
        while piece := stream.read(1 << 20):
            yield piece
