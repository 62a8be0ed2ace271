"""A place that backups of one data folder are kept in: a folder or a bucket.

    tearsheet-backups.json    whose backups these are
    backups/TIME-DIGEST.json  one manifest for each backup, written last
    objects/ab/abcdef…        pieces of files by the SHA-256 of their bytes, packed with zstd

What no manifest names does not count: the remains of a backup that was interrupted, used by the next one or removed by `prune`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from tearsheet.backup.manifest import (
    DamagedBackup,
    Entry,
    Manifest,
    decode_entries,
    decode_manifest,
    encode_manifest,
    moment_of,
)
from tearsheet.backup.objects import Objects
from tearsheet.engines.blobs import Blobs
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.foreign_text import decode_json

MARKER = "tearsheet-backups.json"
_BACKUPS = "backups"
_LARGEST_MANIFEST = 64_000_000
_LARGEST_MARKER = 10_000


class _Marker(msgspec.Struct, frozen=True):
    folder: str
    about: str = "Tearsheet keeps backups of one data folder here, and knows it by its id. Leave this file where it is."


@dataclass(slots=True, frozen=True)
class Pruned:
    """What was deleted, or would be."""

    backups: list[str]
    objects: int = 0
    bytes: int = 0


@dataclass(slots=True)
class Verified:
    """What was read again, and what is wrong."""

    backups: int = 0
    objects: int = 0
    problems: list[str] = field(default_factory=list)


def advice_on_no_backups(name: str, *, writes: bool) -> str:
    """What to do where a place with backups was expected, to read them or to write another."""
    if writes:
        return f"mount its disk, or, if it is to be new, begin there with `tearsheet backup {name} --new`"
    return "mount its disk, or name the place where the backups are"


class BackupPlace:
    """The backups in a blob store. `name` is how the place is called in messages. Use it in a `with` block."""

    def __init__(self, blobs: Blobs, name: str) -> None:
        self._blobs = blobs
        self.name = name
        self.objects = Objects(blobs)

    def __enter__(self) -> BackupPlace:
        return self

    def __exit__(self, *_: object) -> None:
        self.objects.close()
        self._blobs.close()

    # ------------------------------------------------------------------------------------------------- whose it is

    def begin(self, folder: str) -> None:
        """Make the place for the backups of the data folder with this id. Raises UsageError if it is in use."""
        self._blobs.make()
        if self._owner() is not None:
            raise UsageError(f"{self.name} is in use already: leave out --new, or name another place")
        self._blobs.put(MARKER, msgspec.json.encode(_Marker(folder)) + b"\n", content_type="application/json")

    def check(self, folder: str | None = None) -> None:
        """Raise an error if there are no backups here, or not those of the data folder with this id."""
        found = self._owner()
        if found is None:
            raise NotFoundError(
                f"there are no backups in {self.name}: {advice_on_no_backups(self.name, writes=folder is not None)}"
            )
        if folder is not None and found != folder:
            raise UsageError(f"{self.name} has the backups of another data folder: name another place")

    def _owner(self) -> str | None:
        if (info := self._blobs.head(MARKER)) is None:
            return None
        if info.size > _LARGEST_MARKER:
            raise DamagedBackup(f"{MARKER} in {self.name} cannot be read: it is too large")
        try:
            return decode_json(self._blobs.get(MARKER), _Marker).folder
        except ValueError as error:
            raise DamagedBackup(f"{MARKER} in {self.name} cannot be read: {error}") from error

    # ------------------------------------------------------------------------------------------------- manifests

    def names(self) -> list[str]:
        """The names of all backups, oldest first."""
        keys = (info.key.removeprefix(f"{_BACKUPS}/") for info in self._blobs.list(f"{_BACKUPS}/*"))
        return sorted(key for key in keys if moment_of(key) is not None)

    def read(self, name: str) -> Manifest:
        """A backup's manifest. Raises DamagedBackup."""
        key = f"{_BACKUPS}/{name}"
        if (info := self._blobs.head(key)) is None or info.size > _LARGEST_MANIFEST:
            raise DamagedBackup(f"the backup {name} in {self.name} {'is too large' if info else 'is gone'}")
        return decode_manifest(name, self._blobs.get(key))

    def find(self, at: datetime | None = None) -> str:
        """The newest backup, or the newest that was made at or before a time. Raises NotFoundError.

        A time without a fraction means the whole second, as `--list` shows it.
        """
        names = self.names()
        if at is not None and not at.microsecond:
            at = at.replace(microsecond=999_999)
        fitting = [name for name in names if at is None or (moment_of(name) or at) <= at]
        if not fitting:
            first = moment_of(names[0]) if names else None
            hint = f"; the first is of {first:%Y-%m-%dT%H:%M:%SZ}" if first else ""
            raise NotFoundError(f"{self.name} has no finished backup{' of that time or before' if at else ''}{hint}")
        return fitting[-1]

    def write(self, manifest: Manifest) -> str:
        """Make a backup count; everything that it names must be stored. Returns its name."""
        name, data = encode_manifest(manifest)
        self._blobs.put(f"{_BACKUPS}/{name}", data, content_type="application/json")
        return name

    def entries(self, manifest: Manifest) -> Iterator[Entry]:
        """The files of a backup, checked. Raises DamagedBackup."""
        return decode_entries(self.objects.read(manifest.listing))

    # ------------------------------------------------------------------------------------------------- care

    def prune(self, keep: int, *, dry_run: bool = False) -> Pruned:
        """Delete all but the newest `keep` backups, then every object that none of those needs.

        All that are kept are read first: if one of them cannot be read, nothing is deleted.
        """
        names = self.names()
        cut = max(0, len(names) - keep)
        old, kept = names[:cut], names[cut:]
        needed = {bytes.fromhex(digest) for digest, _ in self._needed(kept)}
        idle = [(digest, size) for digest, size in self.objects.all() if bytes.fromhex(digest) not in needed]
        if not dry_run:
            for name in old:
                self._blobs.delete(f"{_BACKUPS}/{name}")
            for digest, _ in idle:
                self.objects.remove(digest)
        return Pruned(old, len(idle), sum(size for _, size in idle))

    def _needed(self, names: list[str]) -> Iterator[tuple[str, str]]:
        """Every object that backups need, with what needs it."""
        for name in names:
            manifest = self.read(name)
            yield from ((digest, f"the listing of {name}") for digest in manifest.listing)
            for entry in self.entries(manifest):
                yield from ((digest, f"{entry.part} {entry.path}, {name}") for digest in entry.objects)

    def verify(self) -> Iterator[Verified]:
        """Read every object of every backup again; the same report comes again and again, as it grows."""
        report = Verified()
        seen: set[bytes] = set()
        for name in self.names():
            report.backups += 1
            try:
                for digest, where in self._needed([name]):
                    if bytes.fromhex(digest) in seen:
                        continue
                    seen.add(bytes.fromhex(digest))
                    self._verify_object(digest, where, report)
                    yield report
            except DamagedBackup as error:
                report.problems.append(str(error))
        yield report

    def _verify_object(self, digest: str, where: str, report: Verified) -> None:
        report.objects += 1
        try:
            list(self.objects.read([digest]))
        except DamagedBackup as error:
            report.problems.append(f"{error} ({where})")
