"""Making a backup of a data folder while the program runs. Why the order is as it is, is said in the package's docstring."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO

from tearsheet.backup.gone import gone_since, newest_without_gaps
from tearsheet.backup.layout import (
    STAGING,
    Layout,
    Walk,
    is_blob,
    is_event_log,
    is_finished,
    is_offset,
    kept_in_folder,
)
from tearsheet.backup.manifest import FORMAT, DamagedBackup, Entry, LeftOut, Manifest, PartSize, encode_entry
from tearsheet.backup.objects import pieces_of
from tearsheet.backup.place import BackupPlace
from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines import frozen, is_sqlite
from tearsheet.errors import NotFoundError, StorageError
from tearsheet.files import storage_errors


@dataclass(slots=True)
class Progress:
    """How far it has got."""

    doing: str = ""
    files: int = 0
    bytes: int = 0
    sent: int = 0
    """Bytes that were new to the place, packed."""
    unchanged: int = 0
    """Files that were not even read, because the last backup has them."""
    total: int | None = None
    """How many bytes there will be, where that is known."""


@dataclass(slots=True, frozen=True)
class About:
    """What a manifest says of the program and the folder."""

    tearsheet: str
    schema: str
    folder: str


@dataclass(slots=True, frozen=True)
class Registered:
    """What the database knows of an archive file."""

    size: int
    sha256: str
    here: bool
    """Whether it should be on this machine."""


Tell = Callable[[Progress], None]


def make_backup(
    layout: Layout,
    place: BackupPlace,
    about: About,
    *,
    archived: Callable[[], Mapping[str, Registered]],
    left_out: tuple[LeftOut, ...] = (),
    agreed: frozenset[str] = frozenset(),
    clock: Clock = wall_clock,
    tell: Tell = lambda progress: None,
) -> tuple[str, Manifest, Progress]:
    """Back up a data folder; returns the backup's name. Whoever calls this sees to it that nobody else does so at the same time.

    `archived` gives the archive files that the database knows, by path. `left_out` is what is known
    not to be in the backup; what is `agreed` the user keeps in another way.
    """
    with _staging(layout.data) as staging, (staging / "listing").open("w+b") as listing:
        making = _Making(layout, place, staging, listing, tell)
        making.look_around()
        making.copy_folder("folder", Walk(layout.data, layout.roots, kept_in_folder))
        making.copy_folder("offsets", Walk(layout.events or layout.data / STAGING, (), is_offset))
        expected = archived()
        moment = making.copy_databases(clock)
        making.copy_folder("archive", Walk(layout.archive, making.others(layout.archive), is_finished))
        making.check_archive(expected)
        making.copy_folder("pages", Walk(layout.pages, making.others(layout.pages), is_finished))
        if layout.blobs:
            making.copy_folder("blobs", Walk(layout.blobs, making.others(layout.blobs), is_blob))
        if layout.events:
            making.copy_folder("events", Walk(layout.events, making.others(layout.events), is_event_log))
        making.compare_with_before(expected)
        manifest = Manifest(
            format=FORMAT,
            tearsheet=about.tearsheet,
            schema=about.schema,
            folder=about.folder,
            moment=moment,
            parts=making.parts,
            listing=making.store_listing(),
            left_out=tuple(LeftOut(one.what, one.why, one.what in agreed) for one in (*left_out, *making.left_out)),
            registered=len(expected),
        )
        return place.write(manifest), manifest, making.progress


@dataclass(slots=True)
class _Making:
    """One backup in the making."""

    layout: Layout
    place: BackupPlace
    staging: Path
    listing: IO[bytes]
    tell: Tell
    progress: Progress = field(default_factory=Progress)
    parts: dict[str, PartSize] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    tables: list[tuple[str, Path]] = field(default_factory=list)
    """SQLite files that belong to no engine, by their path in the data folder."""
    archived: dict[str, int] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    """Of the archive files that were read."""
    databases: set[tuple[str, str]] = field(default_factory=set)
    """The databases of engines that were here at the moment."""
    reads_archive: bool = False
    """Whether every archive file is read, since the last backup found that some are not as they were registered."""
    earlier: _Earlier | None = None

    def look_around(self) -> None:
        """Learn what the place has already."""
        self._say("looking at what is there")
        self.place.objects.look_around()
        with suppress(NotFoundError, DamagedBackup):  # then everything is read again
            last = self.place.read(self.place.find())
            self.reads_archive = any(one.what == "archive" for one in last.left_out)
            self.earlier = _Earlier(self.place.entries(last))

    def others(self, root: Path) -> list[Path]:
        """The places of all other parts."""
        return [path for path in self.layout.roots if path != root]

    def copy_folder(self, part: str, walk: Walk) -> None:
        """Copy the files of a part."""
        self._say(f"copying {part}")
        for path, source in walk.files():
            if part == "folder" and _is_table(source):
                self.tables.append((path, source))
            else:
                self.copy(part, path, source)
        for link in walk.links:
            self.left_out.append(LeftOut("links", f"{link} is a symbolic link, which is not followed"))
        self.left_out += [LeftOut("unreadable", why) for why in walk.unreadable]

    def copy_databases(self, clock: Clock) -> datetime:
        """Copy every SQLite file as it was at one moment, which is returned, and the pages of the stories queued then."""
        self._say("copying databases")
        tables = {("tables", path): source for path, source in self.tables}
        engines = self.layout.databases
        moments: list[datetime] = []
        there: dict[tuple[str, str], Path] = {}

        def at_that_moment() -> None:
            nonlocal there
            moments.append(utc_now(clock))
            there = self.layout.databases
            self._hold_pages()

        while there != engines or not moments:  # one that came into being just now has something in it, too
            engines = self.layout.databases
            sources = tables | engines
            _check_room(self.staging, sources.values())
            with frozen(list(sources.values()), at_that_moment) as snapshots:
                for number, snapshot in enumerate(snapshots):
                    (self.staging / f"{number}.db").unlink(missing_ok=True)
                    snapshot.copy_to(self.staging / f"{number}.db", lambda: self.tell(self.progress))
        self.databases = set(engines)
        staged = {name: self.staging / f"{number}.db" for number, name in enumerate(sources)}
        for part in ("tables", "database", "broker", "index"):
            if part == "broker":
                self.copy_folder(part, Walk(self.staging / "broker"))
            for name, path in staged.items():
                if name[0] == part:
                    self.copy(*name, path)
                    path.unlink()
        return moments[-1]

    def _hold_pages(self) -> None:
        """Hold on to the pages of queued stories: the program deletes them as soon as no story needs them."""
        held = self.staging / "broker" / "pages"
        shutil.rmtree(held, ignore_errors=True)
        held.mkdir(parents=True)
        if self.layout.broker is None or not self.layout.page_folder.is_dir():
            return
        for path in self.layout.page_folder.iterdir():
            with suppress(FileNotFoundError):  # no story needed it any more
                _link(path, held / path.name)

    def copy(self, part: str, path: str, source: Path) -> None:
        """Copy a file, unless the last backup has it as it is. One that is gone by now was not needed."""
        try:
            with source.open("rb") as file:
                entry = self._stored(part, path, file)
        except FileNotFoundError:
            return
        except OSError as error:
            self.left_out.append(LeftOut("unreadable", f"{source}: {error.strerror or error}"))
            return
        self.listing.write(encode_entry(entry))
        before = self.parts.get(part, PartSize())
        self.parts[part] = PartSize(before.files + 1, before.bytes + entry.size)
        self.progress.files += 1
        self.tell(self.progress)
        if part == "archive":
            self.archived[path] = entry.size

    def _stored(self, part: str, path: str, file: IO[bytes]) -> Entry:
        stat = os.fstat(file.fileno())
        mtime_ns = max(0, stat.st_mtime_ns)
        known = self.earlier.find(part, path) if self.earlier else None
        if (
            known is not None
            and not (part == "archive" and self.reads_archive)
            and (known.size, known.mtime_ns) == (stat.st_size, mtime_ns)
            and self.place.objects.has(known.objects)
        ):
            self.progress.unchanged += 1
            self.progress.bytes += known.size
            return known
        pieces, digest = self._counted(pieces_of(file, stat.st_size)), hashlib.sha256()
        stored = self.place.objects.store(_hashed(pieces, digest) if part == "archive" else pieces)
        self.progress.sent += stored.sent
        if part == "archive":
            self.digests[path] = digest.hexdigest()
        return Entry(part, path, stored.size, mtime_ns, stored.objects)

    def _counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.progress.bytes += len(piece)
            self.tell(self.progress)
            yield piece

    def check_archive(self, expected: Mapping[str, Registered]) -> None:
        """Note the files that the database knew before the moment, and that are gone or have other bytes now."""
        here = {path: file for path, file in expected.items() if file.here}
        missing = [path for path, file in here.items() if self.archived.get(path) != file.size]
        damaged = [path for path, file in here.items() if self.digests.get(path, file.sha256) != file.sha256]
        damaged = [path for path in damaged if self.archived[path] == here[path].size]
        if missing:
            why = f"{len(missing):,} archive files are not here as they were registered, such as {missing[0]}"
            self.left_out.append(
                LeftOut("archive", f"{why}: they were moved or rewritten meanwhile, or are damaged; run it again")
            )
        if damaged:
            why = f"{len(damaged):,} archive files no longer have the bytes that were registered, such as {damaged[0]}"
            self.left_out.append(
                LeftOut(
                    "archive", f"{why}: they are damaged here; copy them back from an earlier backup or from a store"
                )
            )

    def compare_with_before(self, registered: Mapping[str, Registered]) -> None:
        """Note what an earlier backup has and what is gone now, though nothing explains it."""
        before = newest_without_gaps(self.place)
        if before is not None:
            entries = self.place.entries(before)
            here = self.databases | {("archive", path) for path in self.archived}
            self.left_out += gone_since(before, entries, self.layout, here, self.parts, registered)

    def store_listing(self) -> tuple[str, ...]:
        """Store the listing of all files; returns its objects."""
        size = self.listing.tell()
        self.listing.seek(0)
        return self.place.objects.store(pieces_of(self.listing, size)).objects

    def _say(self, doing: str) -> None:
        self.progress.doing = doing
        self.tell(self.progress)


class _Earlier:
    """The entries of the last backup, looked up in the order of the listing, so that it need not fit into memory."""

    def __init__(self, entries: Iterator[Entry]) -> None:
        self._entries = entries
        self._next = next(entries, None)

    def find(self, part: str, path: str) -> Entry | None:
        """What the last backup had under this path."""
        wanted = Entry(part, path, 0, 0, ()).key
        with suppress(DamagedBackup):  # what follows is read again
            while self._next is not None and self._next.key < wanted:
                self._next = next(self._entries, None)
            return self._next if self._next is not None and self._next.key == wanted else None
        self._next = None
        return None


def _hashed(pieces: Iterator[bytes], digest: hashlib._Hash) -> Iterator[bytes]:
    for piece in pieces:
        digest.update(piece)
        yield piece


def _is_table(path: Path) -> bool:
    try:
        return is_sqlite(path)
    except OSError:
        return False  # whoever copies it says why it cannot be read


def _link(source: Path, target: Path) -> None:
    """A second name for a file; a copy where the disk has no such names."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(source, target)


def _check_room(staging: Path, sources: Iterable[Path]) -> None:
    needed = sum(path.stat().st_size for path in sources)
    free = shutil.disk_usage(staging).free
    if free < needed:
        raise StorageError(
            f"the databases are copied within {staging.parent} first, which needs {needed / 1e9:,.1f} GB; "
            f"{free / 1e9:,.1f} GB are free: make room"
        )


@contextmanager
def _staging(data: Path) -> Iterator[Path]:
    """A folder in the data folder for copies that are sent from there; what an interrupted backup left there is removed."""
    staging = data / STAGING
    with storage_errors(f"cannot write to {staging}"):
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir()
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)
