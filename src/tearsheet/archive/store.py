"""The archive's tables: which files there are, where each story is in them, and which copies are still to be made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Boolean, Column, ForeignKey, Integer, String, Table, Text, func, select

from tearsheet.archive.addresses import index_id_of
from tearsheet.archive.erased import erased_among, is_anything_erased
from tearsheet.archive.names import INGESTED, SPIDERED
from tearsheet.archive.writer import ArchiveFile, Capture
from tearsheet.chunks import chunks
from tearsheet.engines.database import Database, UtcDateTime, metadata
from tearsheet.errors import StorageError
from tearsheet.foreign_text import storable

archive_files = Table(
    "archive_files",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("name", String(255), nullable=False, unique=True),
    Column("key", String(400), nullable=False),
    Column("path", Text),
    Column("size", sa.BigInteger, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("stories", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False, index=True),
    Column("local", Boolean, nullable=False),
    Column("addresses_known", Boolean, nullable=False),
)
"""`path` is set for a foreign file, which stays where it is. `local`: there is a copy on this machine. `addresses_known`: what
`capture_addresses` has to say of its captures is there; it is not for files that an earlier version registered (`known_by.py`)."""

captures = Table(
    "captures",
    metadata,
    Column("story_id", String(64), primary_key=True),
    Column("index_id", String(64), nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("file_id", Integer, ForeignKey("archive_files.id"), nullable=False, index=True),
    Column("offset", sa.BigInteger, nullable=False),
    Column("length", sa.BigInteger, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("captured_at", UtcDateTime, nullable=False),
)

capture_addresses = Table(
    "capture_addresses",
    metadata,
    Column("url_key", String(64), primary_key=True),
    Column("story_id", String(64), ForeignKey("captures.story_id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("url", Text, nullable=False),
)
"""The addresses by which a captured story is known besides the one that `captures` has."""

archive_uploads = Table(
    "archive_uploads",
    metadata,
    Column("file_id", Integer, ForeignKey("archive_files.id"), primary_key=True),
    Column("store", String(200), primary_key=True),
    Column("done", Boolean, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", UtcDateTime, nullable=False),
    Column("proved_at", UtcDateTime),
    Column("error", String(500), nullable=False),
    sa.Index("archive_uploads_due", "done", "next_at"),
)
"""The outbox: a row for each file and store from the moment the file is registered; done once the copy is proved."""

archive_stores = Table(
    "archive_stores",
    metadata,
    Column("name", String(200), primary_key=True),
    Column("id", String(64), nullable=False),
)
"""The stores that copies went to, by name, with the id that is written into each (`identity.py`)."""


@dataclass(slots=True, frozen=True)
class StoredFile:
    """A registered WARC file."""

    id: int
    name: str
    key: str
    path: str | None
    size: int
    sha256: str
    stories: int
    created: datetime
    local: bool

    def local_path(self, folder: Path) -> Path:
        """The path that the file has, or had, on this machine; `folder` is the archive folder."""
        return Path(self.path) if self.path else folder / self.key


@dataclass(slots=True, frozen=True)
class StoredCapture:
    """Where the proof of a story is."""

    story_id: str
    index_id: str
    url: str
    offset: int
    length: int
    sha256: str
    time: datetime
    file: StoredFile


@dataclass(slots=True, frozen=True)
class ArchiveTotals:
    """How much there is."""

    files: int
    stories: int
    size: int
    oldest: datetime | None
    newest: datetime | None


class ArchiveStore:
    """The archive's tables in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(
        self, file: ArchiveFile, *, stores: Sequence[str] = (), foreign: bool = False, name: str | None = None
    ) -> int:
        """Register a finished file, its captures and its uploads in one transaction. Doing so again changes nothing.

        A story that is registered already keeps the capture it has, and one that was erased gets none, whoever brings its file
        back. Returns the file's id. Raises StorageError when another file has the name.
        """
        name = name or file.name
        row = {
            "name": name,
            "key": file.key,
            "path": str(file.path.absolute()) if foreign else None,
            "size": file.size,
            "sha256": file.sha256,
            "stories": file.stories,
            "created_at": file.created,
            "local": True,
            "addresses_known": True,
        }
        with self._database.begin() as connection:
            connection.execute(self._database.insert(archive_files).on_conflict_do_nothing(), row)
            query = select(archive_files.c.id, archive_files.c.sha256).where(archive_files.c.name == name)
            file_id, sha256 = connection.execute(query).one()
            if sha256 != file.sha256:
                raise StorageError(
                    f"another archive file is registered as {name}: rename {file.path} and index it again"
                )
            found = _without_erased(connection, file.captures)
            for chunk in chunks([_capture_row(capture, file_id) for capture in found]):
                connection.execute(self._database.insert(captures).on_conflict_do_nothing(), chunk)
            add_addresses(self._database, connection, int(file_id), found)
            if stores:
                uploads = [upload_row(file_id, store, file.created) for store in stores]
                connection.execute(self._database.insert(archive_uploads).on_conflict_do_nothing(), uploads)
        return int(file_id)

    def known(self, story_ids: Iterable[str]) -> set[str]:
        """The ids among these whose stories are already archived."""
        found: set[str] = set()
        with self._database.read() as connection:
            for chunk in chunks(story_ids):
                query = select(captures.c.story_id).where(captures.c.story_id.in_(chunk))
                found.update(connection.execute(query).scalars())
        return found

    def capture_of_story(self, story_id: str) -> StoredCapture | None:
        """The capture of a story, by the id that its queuer gave it."""
        return self.captures_of_stories([story_id]).get(story_id)

    def captures_of_stories(self, story_ids: Sequence[str]) -> dict[str, StoredCapture]:
        """Captures by story id; stories that are not archived are left out."""
        return {capture.story_id: capture for capture in self._captures(captures.c.story_id, story_ids)}

    def captures_of_index_ids(self, index_ids: Sequence[str]) -> dict[str, StoredCapture]:
        """The first capture of each address, by id in the index."""
        found: dict[str, StoredCapture] = {}
        for capture in self._captures(captures.c.index_id, index_ids):
            found.setdefault(capture.index_id, capture)
        return found

    def captures_of_address(self, index_id: str) -> list[StoredCapture]:
        """Every capture of an address, given its id in the index; oldest first."""
        return list(self._captures(captures.c.index_id, [index_id]))

    def captures_known_by(self, keys: Iterable[str]) -> list[StoredCapture]:
        """Every capture of stories that are known by one of these addresses, whichever of a story's addresses it is."""
        found: dict[str, StoredCapture] = {}
        for chunk in chunks(list(keys)):
            others = select(capture_addresses.c.story_id).where(capture_addresses.c.url_key.in_(chunk))
            with self._database.read() as connection:
                story_ids = list(connection.execute(others).scalars())
            found |= {capture.story_id: capture for capture in self._captures(captures.c.index_id, chunk)}
            found |= {capture.story_id: capture for capture in self._captures(captures.c.story_id, story_ids)}
        return list(found.values())

    def capture_at(self, name: str, offset: int) -> StoredCapture | None:
        """The capture that begins at an offset of a file."""
        found = list(self._captures(captures.c.offset, [offset], archive_files.c.name == name))
        return found[0] if found else None

    def captures_of_file(self, file_id: int) -> Iterator[StoredCapture]:
        """The captures of one file, in order of offset."""
        yield from sorted(self._captures(captures.c.file_id, [file_id]), key=lambda capture: capture.offset)

    def _captures(
        self, column: Column[Any], values: Sequence[Any], also: sa.ColumnElement[bool] | None = None
    ) -> Iterator[StoredCapture]:
        with self._database.read() as connection:
            for chunk in chunks(values):
                query = (
                    select(captures, archive_files)
                    .join(archive_files, archive_files.c.id == captures.c.file_id)
                    .where(column.in_(chunk), sa.true() if also is None else also)
                    .order_by(captures.c.captured_at, captures.c.story_id)
                    .set_label_style(sa.LABEL_STYLE_TABLENAME_PLUS_COL)
                )
                for row in connection.execute(query).mappings():
                    yield _capture_from_row(row)

    def file(self, name: str) -> StoredFile | None:
        """A file by its name."""
        with self._database.read() as connection:
            row = connection.execute(select(archive_files).where(archive_files.c.name == name)).mappings().first()
        return file_from_row(row) if row else None

    def has_file(self, name: str) -> bool:
        """Whether a file with this name is registered, here or in a store."""
        return self.file(name) is not None

    def newest_files(self, limit: int = 20) -> list[StoredFile]:
        """Files, newest first."""
        order = (archive_files.c.created_at.desc(), archive_files.c.id.desc())
        with self._database.read() as connection:
            rows = connection.execute(select(archive_files).order_by(*order).limit(limit)).mappings()
            return [file_from_row(row) for row in rows]

    def files(self) -> Iterator[StoredFile]:
        """Every file, in the order of registration."""
        with self._database.read() as connection:
            rows = connection.execute(select(archive_files).order_by(archive_files.c.id)).mappings().all()
        yield from map(file_from_row, rows)

    def names(self) -> set[str]:
        """The names of all registered files."""
        with self._database.read() as connection:
            return set(connection.execute(select(archive_files.c.name)).scalars())

    def proved_stores(self, file_id: int) -> list[str]:
        """The blob stores that have a proved copy of a file."""
        uploads = archive_uploads.c
        query = select(uploads.store).where(uploads.file_id == file_id, uploads.done).order_by(uploads.proved_at)
        with self._database.read() as connection:
            return list(connection.execute(query).scalars())

    def all_proved_stores(self) -> list[str]:
        """The blob stores that have any proved copy, whether or not the settings still name them."""
        uploads = archive_uploads.c
        with self._database.read() as connection:
            return list(connection.execute(select(uploads.store).where(uploads.done).distinct()).scalars())

    def totals(self) -> ArchiveTotals:
        """How many files, stories and bytes there are."""
        columns = archive_files.c
        query = select(
            func.count(),
            func.coalesce(func.sum(columns.stories), 0),
            func.coalesce(func.sum(columns.size), 0),
            func.min(columns.created_at),
            func.max(columns.created_at),
        ).select_from(archive_files)
        with self._database.read() as connection:
            files, stories, size, oldest, newest = connection.execute(query).one()
        return ArchiveTotals(files, int(stories), int(size), oldest, newest)

    def collected_stories(self) -> int:
        """How many stories should be in the index, too: all but ingested documents, pages of topics and other people's files."""
        columns = archive_files.c
        others = sa.or_(*(columns.name.startswith(f"{prefix}-", autoescape=True) for prefix in (INGESTED, SPIDERED)))
        query = select(func.coalesce(func.sum(columns.stories), 0)).where(columns.path.is_(None), ~others)
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())


def add_addresses(database: Database, connection: sa.Connection, file_id: int, found: Sequence[Capture]) -> None:
    """Add the addresses of the captures of a file, all of which are now known."""
    for chunk in chunks([row for capture in found for row in _address_rows(capture)]):
        connection.execute(database.insert(capture_addresses).on_conflict_do_nothing(), chunk)
    known = sa.update(archive_files).where(archive_files.c.id == file_id, ~archive_files.c.addresses_known)
    connection.execute(known.values(addresses_known=True))


def _address_rows(capture: Capture) -> Iterator[dict[str, Any]]:
    """What `captures` does not say: it has one address as text, and the key of one, which are mostly the same address."""
    by_key = _by_key(capture)
    if (key := index_id_of(capture.url)) == index_id_of(capture.index_url):
        by_key.pop(key, None)
    for key, url in by_key.items():
        yield {"url_key": key, "story_id": capture.story_id, "url": storable(url)}


def _by_key(capture: Capture) -> dict[str, str]:
    return {key: url for url in (*capture.addresses, capture.url, capture.index_url) if (key := index_id_of(url))}


def _without_erased(connection: sa.Connection, found: Sequence[Capture]) -> Sequence[Capture]:
    """These captures, without those of stories that were erased."""
    if not is_anything_erased(connection):
        return found
    keys = [_by_key(capture).keys() for capture in found]
    erased = erased_among(connection, {key for some in keys for key in some})
    return [capture for capture, some in zip(found, keys, strict=True) if erased.isdisjoint(some)]


def _capture_row(capture: Capture, file_id: int) -> dict[str, Any]:
    return {
        "story_id": capture.story_id,
        "index_id": index_id_of(capture.index_url),
        "url": storable(capture.url),
        "file_id": file_id,
        "offset": capture.offset,
        "length": capture.length,
        "sha256": capture.sha256,
        "captured_at": capture.time,
    }


def upload_row(file_id: int, store: str, due: datetime) -> dict[str, Any]:
    """A row of the outbox: this file is to be copied to this store."""
    return {"file_id": file_id, "store": store, "done": False, "attempts": 0, "next_at": due, "error": ""}


def file_from_row(row: Any, prefix: str = "") -> StoredFile:
    """A file from a row of `archive_files`, whose columns may carry a prefix."""
    names = ("id", "name", "key", "path", "size", "sha256", "stories", "created_at", "local")
    return StoredFile(*(row[prefix + name] for name in names))


def _capture_from_row(row: Any) -> StoredCapture:
    return StoredCapture(
        story_id=row["captures_story_id"],
        index_id=row["captures_index_id"],
        url=row["captures_url"],
        offset=row["captures_offset"],
        length=row["captures_length"],
        sha256=row["captures_sha256"],
        time=row["captures_captured_at"],
        file=file_from_row(row, "archive_files_"),
    )
