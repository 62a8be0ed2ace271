"""WACZ: some captures as one file that replay tools open, with an index, a list of pages and digests of everything.

The records are copied byte for byte from their WARC files, with two exceptions. A page recorded as a `revisit` is written out,
because the record that it refers to may not be among the chosen ones. A page in Media Cloud's form gets a head that readers
understand: its own is made up, and says `encoding=` where they look for `charset=`, so that they would show every accented
letter as two others. The page itself is unchanged.
"""

from __future__ import annotations

import hashlib
import json
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, BinaryIO

from tearsheet.archive.captures import Captures
from tearsheet.archive.copies import OutOfReach
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
from tearsheet.errors import NotFoundError, TearsheetError, WorkerError
from tearsheet.files import output_file, storage_errors

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
    away: str = ""
    """Why the first of them could not, if a store is out of reach."""


def write_wacz(
    target: Path,
    wanted: Iterable[StoredCapture],
    captures: Captures,
    *,
    parts: Iterable[StoredCapture] = (),
    title: str = "",
    description: str = "",
    clock: Clock = wall_clock,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Packed:
    """Pack captures into a WACZ, which appears only once it is whole. Raises NotFoundError when nothing can be packed,
    OutOfReach when that is because a store is not there now.

    `parts` are captures that pages need but that are not pages themselves: pictures, styles. `progress` is told how many captures
    are packed, and of how many.
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
            copied = _copy_each(captures.streams(packing.values()), packed, stream, now)
            for number, (capture, archived) in enumerate(copied, 1):
                if capture.story_id in pages_wanted:
                    pages.append(_page(archived, capture))
                progress(number, len(packing))
        if not pages:
            if packed.away:
                raise OutOfReach(f"none of these stories can be read now: {packed.away}")
            raise NotFoundError("none of these stories has a capture that can be read: nothing to pack")
        with output_file(target) as file:
            _write_zip(file, warc, pages, _package(title or target.stem, description, now))
        packed.pages, packed.size = len(pages), target.stat().st_size
    return packed


def _copy_each(
    captures: Iterable[tuple[StoredCapture, BinaryIO | NotFoundError]], packed: Packed, stream: IO[bytes], now: float
) -> Iterator[tuple[StoredCapture, ArchivedStory]]:
    """Copy the records of each capture; yields those that could be copied."""
    for capture, source in captures:
        archived = None
        try:
            if isinstance(source, NotFoundError):
                raise source
            archived = _copy(source, capture, stream, now)
        except (OutOfReach, WorkerError) as error:  # also when the store has gone away in the meantime
            packed.away = packed.away or str(error)
        except TearsheetError:
            pass
        if archived is None:
            packed.missing.append(capture.story_id)
        else:
            yield capture, archived


def _copy(source: BinaryIO, capture: StoredCapture, stream: IO[bytes], now: float) -> ArchivedStory | None:
    with StoryArchiveReader(source, offset=capture.offset) as reader:
        archived = next(reader.archived(), None)
        first = next(iter(reader.records()), None)
    if archived is None or first is None or archived.offset != capture.offset or archived.sha256 != capture.sha256:
        return None
    if first.type == "revisit" or not archived.end or _has_made_up_head(first):
        for record in story_records(archived.story, "full", now=now):
            stream.write(compress(record.to_bytes()))
        return archived
    source.seek(archived.offset)
    stream.write(source.read(archived.end - archived.offset))
    return archived


def _has_made_up_head(record: Record) -> bool:
    """Whether the HTTP head is that of Media Cloud's archives."""
    try:
        stated = parse_response(record.data, record.start, record.end).header("content-type").lower()
    except ValueError:
        return False
    return stated.startswith("text/html; encoding=")


def _page(archived: ArchivedStory, capture: StoredCapture) -> dict[str, Any]:
    content = archived.story.content_metadata
    page = {
        "id": capture.story_id,
        "url": archived.uri,
        "ts": capture.time.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "title": content.article_title or archived.uri,
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
        _add(archive, package, "indexes/index.cdxj", describe(warc).cdxj)
        _add(archive, package, "pages/pages.jsonl", lines)
        text = json.dumps(package, indent=2).encode()
        archive.writestr("datapackage.json", text)
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(text).hexdigest()}"}
        archive.writestr("datapackage-digest.json", json.dumps(digest))


def _add(archive: zipfile.ZipFile, package: dict[str, Any], name: str, content: bytes | Path) -> None:
    digest, size = hashlib.sha256(), 0
    with archive.open(_zip_info(name, package["created"]), "w", force_zip64=True) as out:
        for piece in _pieces(content):
            out.write(piece)
            digest.update(piece)
            size += len(piece)
    package["resources"].append(
        {"name": name.rpartition("/")[2], "path": name, "hash": f"sha256:{digest.hexdigest()}", "bytes": size}
    )


def _zip_info(name: str, created: str) -> zipfile.ZipInfo:
    """A member with its time in the extra field that zip programs write, in the central directory and before its data.

    Some readers, ReplayWeb.page among them, assume that a member without extra fields in the directory has none before its
    data either, which is where `zipfile` puts the long sizes: they would begin to read twenty bytes too early.
    """
    time = datetime.fromisoformat(created)
    info = zipfile.ZipInfo(name, time.timetuple()[:6])
    info.extra = struct.pack("<HHBI", 0x5455, 5, 1, int(time.timestamp()))
    return info


def _pieces(content: bytes | Path) -> Iterable[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as stream:
        while piece := stream.read(1 << 20):
            yield piece
