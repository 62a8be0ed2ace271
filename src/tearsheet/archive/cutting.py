"""A WARC file without some of its stories. What stays is copied byte by byte.

In the place of each story there is a tombstone, a small record that says when and why it was erased, and the digest of its page.
A page that revisits an erased one, because it had the same bytes, gets these bytes itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO

from tearsheet.archive.addresses import story_keys
from tearsheet.archive.reader import StoryArchiveReader
from tearsheet.archive.records import OutRecord, compress, header_value, record_id, sha1_digest, warc_date
from tearsheet.archive.scan import Record
from tearsheet.errors import UserError
from tearsheet.story import Story, make_story_id

TOMBSTONE = "application/warc-fields"
_KEPT = {
    "warc-payload-digest": "WARC-Payload-Digest",
    "warc-ip-address": "WARC-IP-Address",
    "warc-protocol": "WARC-Protocol",
}
_PIECE = 1 << 20
_UNKNOWN = datetime.fromtimestamp(0, UTC)


class NotCuttable(UserError):
    """A story shares its gzip member with others, so that it cannot be taken out alone. Our own files have none such."""


@dataclass(slots=True, frozen=True)
class Cut:
    """Bytes of a file that others take the place of."""

    start: int
    end: int
    instead: bytes


@dataclass(slots=True, frozen=True)
class Kept:
    """A story that stays: where it is, and the digest of its page."""

    story_id: str
    offset: int
    sha256: str


@dataclass(slots=True, frozen=True)
class Gone:
    """A story that is cut out, and the keys of its addresses."""

    story_id: str
    keys: set[str]
    sha256: str
    captured: datetime


@dataclass(slots=True)
class Cuts:
    """What is to be cut from a file, in order; the stories that go, and those that stay."""

    cuts: list[Cut] = field(default_factory=list)
    gone: list[Gone] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)


def find_cuts(source: Path | BinaryIO, unwanted: Callable[[Story], bool], day: datetime, reason: str) -> Cuts:
    """Read a file and say what is to be cut from it. Raises NotCuttable."""
    found = Cuts()
    responses: dict[str, Record] = {}
    """Of the story that is being read."""
    erased: set[str] = set()

    def note(record: Record) -> None:
        if record.type in ("response", "revisit"):
            responses[record.id] = record

    with StoryArchiveReader(source, watch=note) as reader:
        for archived in reader.archived():
            record = responses[archived.record_id]
            if unwanted(archived.story):
                if not archived.end:
                    raise NotCuttable(f"the record at {archived.offset} cannot be taken out alone")
                erased.add(archived.record_id)
                gone = Gone(archived.story.id, story_keys(archived.story), archived.sha256, archived.time or _UNKNOWN)
                found.gone.append(gone)
                found.cuts.append(Cut(archived.offset, archived.end, tombstone(gone, record.version, day, reason)))
            else:
                found.kept.append(Kept(archived.story.id, archived.offset, archived.sha256))
                if record.type == "revisit" and record.headers.get("warc-refers-to") in erased:
                    body = archived.story.raw_html.html or b""
                    found.cuts.append(Cut(record.offset, record.offset + record.length, as_response(record, body)))
            for passed in [key for key, one in responses.items() if one.offset < archived.end or key == record.id]:
                del responses[passed]
    return found


def tombstone(gone: Gone, version: str, day: datetime, reason: str) -> bytes:
    """The record that stands in the place of an erased story. The same for the same story and erasure."""
    fields = {
        "erased": f"{day:%Y-%m-%d}",
        "reason": header_value(reason),
        "captured": f"{gone.captured:%Y-%m-%d}",
        "payload-digest": f"sha256:{gone.sha256}",
    }
    block = "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode("utf-8", "replace")
    identifier = record_id(make_story_id("tombstone", gone.story_id, gone.sha256, day.isoformat()))
    digest = [("WARC-Block-Digest", sha1_digest(block))]
    date = warc_date(day.timestamp(), version)
    return compress(OutRecord(version, "metadata", identifier, date, TOMBSTONE, block, headers=digest).to_bytes())


def as_response(record: Record, body: bytes) -> bytes:
    """A revisit as the response that it stood for."""
    head = record.block
    headers = [(name, record.headers[key]) for key, name in _KEPT.items() if key in record.headers]
    headers.insert(1, ("WARC-Block-Digest", sha1_digest(head, body)))
    kind = record.headers.get("content-type", "application/http; msgtype=response")
    made = OutRecord(record.version, "response", record.id, record.date, kind, body, head, record.uri, headers)
    return compress(made.to_bytes())


def splice(source: BinaryIO, cuts: Sequence[Cut], target: IO[bytes]) -> tuple[int, str]:
    """Copy a file with its cuts made; returns size and SHA-256 of what was written."""
    digest, size, at = hashlib.sha256(), 0, 0

    def write(data: bytes) -> None:
        nonlocal size
        target.write(data)
        digest.update(data)
        size += len(data)

    source.seek(0)
    for cut in cuts:
        while at < cut.start:
            at += len(piece := source.read(min(_PIECE, cut.start - at)))
            write(piece)
        write(cut.instead)
        at = source.seek(cut.end)
    while piece := source.read(_PIECE):
        write(piece)
    return size, digest.hexdigest()


def places_after(cuts: Cuts) -> dict[int, int]:
    """Where each story that stays begins once the cuts are made, by where it began before."""
    places: dict[int, int] = {}
    waiting, shift = iter(cuts.cuts), 0
    cut = next(waiting, None)
    for kept in cuts.kept:
        while cut is not None and cut.start < kept.offset:
            shift += len(cut.instead) - (cut.end - cut.start)
            cut = next(waiting, None)
        places[kept.offset] = kept.offset + shift
    return places
