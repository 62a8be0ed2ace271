"""What a backup consists of: a small manifest, and a listing of files, each cut into objects that are known by their digest.

Whatever is read from a backup may have been damaged, or written by somebody else: a manifest or an entry that this program cannot
have written is refused, and so is one that would lead out of the folder it is restored into.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import msgspec

from tearsheet.errors import UserError
from tearsheet.foreign_text import decode_json

FORMAT = 1
"""The version of what is described here. A program refuses a later one."""
OBJECT_BYTES = 4 << 20
"""Every object of a file has this many bytes, except the last."""
PARTS = (
    "folder", "offsets", "tables", "database", "broker", "index", "archive", "pages", "blobs", "events",
)  # fmt: skip
"""The parts of a data folder, in the order in which they are copied and listed."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"(\d{8}T\d{6}\.\d{6}Z)-([0-9a-f]{16})\.json")
_LONGEST_PATH = 4000
_LONGEST_LINE = 256 << 20
"""Bytes of an entry, enough for a file of 16 TB: a place may hold one object and name it a million times."""


class DamagedBackup(UserError):
    """Something in a backup is not as it was written."""

    exit_code = 1


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file: which part it belongs to, its path there, and what it consists of."""

    part: str
    path: str
    size: int
    mtime_ns: int
    objects: tuple[str, ...]

    @property
    def key(self) -> tuple[int, list[str]]:
        """By which a listing is sorted: the order in which folders are walked."""
        return PARTS.index(self.part), self.path.split("/")


class PartSize(msgspec.Struct, frozen=True):
    """How much there is of one part."""

    files: int = 0
    bytes: int = 0


class LeftOut(msgspec.Struct, frozen=True):
    """Something that is not in the backup, and why."""

    what: str
    why: str
    agreed: bool = False
    """Whether the user has said that it is kept in another way."""


class Manifest(msgspec.Struct, frozen=True):
    """A backup that is whole: it is written when everything that it names is there."""

    format: int
    tearsheet: str
    """The version of the program that made it."""
    schema: str
    """The newest migration of the database that the program knew."""
    folder: str
    """The id of the data folder."""
    moment: datetime
    parts: dict[str, PartSize]
    listing: tuple[str, ...]
    """The objects of the listing: one entry a line, as JSON."""
    left_out: tuple[LeftOut, ...] = ()
    registered: int | None = None
    """How many archive files the database knew; None in backups that do not say."""

    @property
    def files(self) -> int:
        """How many files there are."""
        return sum(part.files for part in self.parts.values())

    @property
    def bytes(self) -> int:
        """How large they are together."""
        return sum(part.bytes for part in self.parts.values())


class _Version(msgspec.Struct):
    format: int
    tearsheet: str = "a later version"


def encode_manifest(manifest: Manifest) -> tuple[str, bytes]:
    """The name of a manifest, which has its time and its digest in it, and its bytes."""
    data = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
    return f"{manifest.moment:%Y%m%dT%H%M%S.%fZ}-{_short(data)}.json", data


def moment_of(name: str) -> datetime | None:
    """The time in the name of a manifest; None when it is no such name."""
    found = _NAME.fullmatch(name)
    try:
        return datetime.strptime(found[1], "%Y%m%dT%H%M%S.%fZ").replace(tzinfo=UTC) if found else None
    except ValueError:
        return None


def decode_manifest(name: str, data: bytes) -> Manifest:
    """A manifest from its bytes. Raises DamagedBackup, also when a later version of the program wrote it."""
    found = _NAME.fullmatch(name)
    if found is None or _short(data) != found[2]:
        raise DamagedBackup(
            f"the backup {name} is damaged: its digest is not the one in its name; choose another with --at"
        )
    try:
        version = decode_json(data, _Version)
        if version.format > FORMAT:
            raise DamagedBackup(
                f"the backup {name} was made by tearsheet {version.tearsheet[:20]}, and this one cannot read it: "
                "install that version or a later one"
            )
        manifest = decode_json(data, Manifest)
    except ValueError as error:
        raise DamagedBackup(f"the backup {name} cannot be read: {error}") from error
    if not set(manifest.parts) <= set(PARTS) or not all(map(_DIGEST.fullmatch, manifest.listing)):
        raise DamagedBackup(f"the backup {name} cannot be read: it is no manifest of this version")
    return manifest


def _short(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def encode_entry(entry: Entry) -> bytes:
    """A line of the listing."""
    return msgspec.json.encode(entry) + b"\n"


def decode_entries(pieces: Iterable[bytes]) -> Iterator[Entry]:
    """The entries of a listing, checked. Raises DamagedBackup."""
    last: Entry | None = None
    for line in _lines(pieces):
        try:
            entry = decode_json(line, Entry)
        except ValueError as error:
            raise DamagedBackup(f"the listing of the backup cannot be read: {error}") from error
        check_entry(entry, last)
        yield entry
        last = entry


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    begun, size = list[bytes](), 0
    for piece in pieces:
        first, *others = piece.split(b"\n")
        begun.append(first)
        size += len(first)
        if size > _LONGEST_LINE:
            raise DamagedBackup("the listing of the backup has a line that is longer than any that this program writes")
        if others:
            yield b"".join(begun)
            yield from others[:-1]
            begun, size = others[-1:], len(others[-1])
    if size:
        raise DamagedBackup("the listing of the backup ends in the middle of a line")


def check_entry(entry: Entry, last: Entry | None = None) -> None:
    """Refuse an entry that cannot be restored, or that would be written outside its folder. `last` is the one before it."""
    names = entry.path.split("/")
    sound = (
        entry.part in PARTS
        and 0 < len(entry.path) <= _LONGEST_PATH
        and all(name not in ("", ".", "..") for name in names)
        and "\x00" not in entry.path
        and entry.size >= 0
        and 0 <= entry.mtime_ns < 1 << 63
        and len(entry.objects) == -(-entry.size // OBJECT_BYTES)
        and all(map(_DIGEST.fullmatch, entry.objects))
    )
    if not sound:
        raise DamagedBackup(
            f"the backup has an entry that cannot be restored: {entry.part[:20]!r} {entry.path[:200]!r}"
        )
    if last is None:
        return
    # In this order, a file that is also a folder would stand just before what is in it.
    inside = entry.part == last.part and names[: len(last.path.split("/"))] == last.path.split("/")
    if entry.key <= last.key or inside:
        raise DamagedBackup(f"the listing of the backup is out of order at {entry.path[:200]!r}")
