"""A tombstone for each capture that was erased: not what it said, but that it was there. And which copies of it are still around.

Also the tables' side of rewriting a file: where the stories that stay are from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, Connection, ForeignKey, Integer, String, Table, select

from tearsheet.accounts import name_in_addresses
from tearsheet.archive.erased import Erasure, erased_addresses, erasures
from tearsheet.archive.store import (
    StoredCapture,
    StoredFile,
    archive_files,
    archive_uploads,
    capture_addresses,
    captures,
    file_from_row,
)
from tearsheet.archive.writer import ArchiveFile
from tearsheet.chunks import chunks
from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines.database import Database, UtcDateTime, metadata
from tearsheet.urls import BadURL, canonical_domain

tombstones = Table(
    "tombstones",
    metadata,
    Column("file", String(255), primary_key=True),
    Column("story_id", String(64), primary_key=True),
    Column("erasure_id", Integer, ForeignKey("erasures.id"), nullable=False, index=True),
    Column("url_key", String(64), nullable=False, index=True),
    Column("sha256", String(64), nullable=False),
    Column("captured_at", UtcDateTime, nullable=False),
)

stale_copies = Table(
    "stale_copies",
    metadata,
    Column("file_id", Integer, ForeignKey("archive_files.id"), primary_key=True),
    Column("store", String(200), primary_key=True),
)
"""Copies of archive files, made before the file was rewritten, that still hold what was erased."""


@dataclass(slots=True, frozen=True)
class Tombstone:
    """What is known of a capture that was erased: not what it said, but that it was there."""

    file: str
    story_id: str
    url_key: str
    sha256: str
    captured: datetime
    erased: datetime
    reason: str


@dataclass(slots=True, frozen=True)
class ErasureInfo:
    """An erasure as a list shows it."""

    id: int
    reason: str
    started: datetime
    finished: datetime | None
    addresses: int
    captures: int


class Tombstones:
    """The tombstones in a database."""

    def __init__(self, database: Database, clock: Clock = wall_clock) -> None:
        self._database = database
        self._clock = clock

    def of(self, keys: Iterable[str] | None = None) -> list[Tombstone]:
        """The tombstones, oldest first; those of some addresses when keys are given."""
        query = select(tombstones, erasures.c.started_at, erasures.c.reason).join(erasures)
        query = query.order_by(tombstones.c.erasure_id, tombstones.c.file, tombstones.c.story_id)
        if keys is not None:
            query = query.where(tombstones.c.url_key.in_(list(keys)))
        with self._database.read() as connection:
            return [
                Tombstone(row.file, row.story_id, row.url_key, row.sha256, row.captured_at, row.started_at, row.reason)
                for row in connection.execute(query)
            ]

    def erasures(self) -> list[ErasureInfo]:
        """Every erasure, oldest first."""

        def counted(table: Table) -> sa.ScalarSelect[int]:
            return select(sa.func.count()).where(table.c.erasure_id == erasures.c.id).scalar_subquery()

        query = select(erasures, counted(erased_addresses), counted(tombstones)).order_by(erasures.c.id)
        with self._database.read() as connection:
            return [ErasureInfo(*row) for row in connection.execute(query)]

    def files_with(self, keys: Iterable[str], erasure_id: int | None = None) -> list[StoredFile]:
        """The files that may hold captures of these addresses: by the captures that are registered, by the tombstones of an
        erasure that was interrupted, and those that hold more stories than are registered (a story that was archived twice).
        """
        wanted: set[int] = set()
        with self._database.read() as connection:
            for chunk in chunks(sorted(set(keys))):
                query = select(captures.c.file_id).where(_known_by(chunk)).distinct()
                wanted.update(connection.execute(query).scalars())
            wanted.update(connection.execute(_with_unregistered(archive_files.c.id)).scalars())
            if erasure_id is not None:
                named = select(archive_files.c.id).join(tombstones, tombstones.c.file == archive_files.c.name)
                wanted.update(connection.execute(named.where(tombstones.c.erasure_id == erasure_id)).scalars())
            rows = [
                row
                for chunk in chunks(sorted(wanted))
                for row in connection.execute(select(archive_files).where(archive_files.c.id.in_(chunk))).mappings()
            ]
        return [file_from_row(row) for row in rows]

    def with_unregistered(self) -> list[StoredFile]:
        """Our files that hold more stories than are registered: what was erased may be in one that nobody could reach then."""
        query = _with_unregistered(archive_files).where(archive_files.c.path.is_(None)).order_by(archive_files.c.id)
        with self._database.read() as connection:
            return [file_from_row(row) for row in connection.execute(query).mappings()]

    def burials(self, story_ids: Iterable[str]) -> list[tuple[Erasure, set[str]]]:
        """Which of these stories were erased, by erasure."""
        found: dict[int, tuple[Erasure, set[str]]] = {}
        columns = tombstones.c
        query = select(columns.story_id, erasures).join(erasures).order_by(erasures.c.id)
        with self._database.read() as connection:
            for chunk in chunks(sorted(set(story_ids))):
                for row in connection.execute(query.where(columns.story_id.in_(chunk))):
                    erasure = Erasure(row.id, row.reason, row.started_at, {})
                    found.setdefault(row.id, (erasure, set()))[1].add(row.story_id)
        return list(found.values())

    def register_rewritten(
        self,
        file: StoredFile,
        rewritten: ArchiveFile,
        gone: Sequence[Tombstone],
        erasure: Erasure,
    ) -> None:
        """A file is about to be replaced by one without some stories: register where the others are, in one transaction.

        Copies of the file that were made before become stale.
        """
        with self._database.begin() as connection:
            values = {"size": rewritten.size, "sha256": rewritten.sha256, "stories": rewritten.stories, "local": True}
            connection.execute(sa.update(archive_files).where(archive_files.c.id == file.id).values(values))
            here = captures.c.file_id == file.id
            moved = sa.update(captures).where(here, captures.c.story_id == sa.bindparam("story"))
            moved = moved.values(offset=sa.bindparam("at"), length=sa.bindparam("bytes"))
            rows = [{"story": one.story_id, "at": one.offset, "bytes": one.length} for one in rewritten.captures]
            for chunk in chunks(rows):
                connection.execute(moved, chunk)
            self._bury(connection, gone, erasure)
            for ids in chunks(tombstone.story_id for tombstone in gone):
                connection.execute(sa.delete(captures).where(here, captures.c.story_id.in_(ids)))
            uploads = archive_uploads.c
            made = select(uploads.file_id, uploads.store).where(
                uploads.file_id == file.id, sa.or_(uploads.done, uploads.attempts > 0)
            )
            stale = self._database.insert(stale_copies).from_select(["file_id", "store"], made)
            connection.execute(stale.on_conflict_do_nothing())
            again = sa.update(archive_uploads).where(uploads.file_id == file.id)
            connection.execute(again.values(done=False, next_at=utc_now(self._clock)))

    def captured_from(self, domain: str) -> list[str]:
        """The addresses of all captures of a source."""
        found: set[str] = set()
        name = name_in_addresses(domain)
        with self._database.read() as connection:
            for column in (captures.c.url, capture_addresses.c.url):
                named = sa.func.lower(column).contains(name, autoescape=True)
                found.update(connection.execute(select(column).where(named)).scalars())
        return sorted(url for url in found if _domain_of(url) == domain)

    def same_pages(self, some: Sequence[StoredCapture]) -> int:
        """How many captures of other addresses have the same page as these."""
        ids, pages = {one.story_id for one in some}, sorted({one.sha256 for one in some})
        found: set[str] = set()
        with self._database.read() as connection:
            for chunk in chunks(pages):
                found.update(
                    connection.execute(select(captures.c.story_id).where(captures.c.sha256.in_(chunk))).scalars()
                )
        return len(found - ids)

    def drop_captures(self, file: StoredFile, erasure: Erasure) -> int:
        """Forget the captures of these addresses in a file that is not ours to rewrite, or is lost; returns how many."""
        with self._database.begin() as connection:
            found: list[sa.Row[Any]] = []
            for chunk in chunks(sorted(erasure.addresses)):
                query = select(captures).where(captures.c.file_id == file.id, _known_by(chunk))
                found += connection.execute(query).all()
            self._bury(
                connection,
                [
                    Tombstone(
                        file.name,
                        row.story_id,
                        row.index_id,
                        row.sha256,
                        row.captured_at,
                        erasure.started,
                        erasure.reason,
                    )
                    for row in found
                ],
                erasure,
            )
            for chunk in chunks([row.story_id for row in found]):
                connection.execute(sa.delete(captures).where(captures.c.story_id.in_(chunk)))
        return len(found)

    def _bury(self, connection: Connection, gone: Sequence[Tombstone], erasure: Erasure) -> None:
        rows: list[dict[str, Any]] = [
            {
                "file": one.file,
                "story_id": one.story_id,
                "erasure_id": erasure.id,
                "url_key": one.url_key,
                "sha256": one.sha256,
                "captured_at": one.captured,
            }
            for one in gone
        ]
        for chunk in chunks(rows):
            connection.execute(self._database.insert(tombstones).on_conflict_do_nothing(), chunk)

    def stale(self) -> list[tuple[StoredFile, str]]:
        """The copies that still hold what was erased: file and store."""
        query = select(archive_files, stale_copies.c.store).join(stale_copies).order_by(archive_files.c.id)
        with self._database.read() as connection:
            return [(file_from_row(row), row["store"]) for row in connection.execute(query).mappings()]

    def forget_store(self, store: str) -> None:
        """A store was lost, with all copies in it."""
        with self._database.begin() as connection:
            connection.execute(sa.delete(stale_copies).where(stale_copies.c.store == store))

    def replaced(self, file: StoredFile, store: str) -> None:
        """A store has no copy of the file any more that was made before."""
        columns = stale_copies.c
        with self._database.begin() as connection:
            connection.execute(sa.delete(stale_copies).where(columns.file_id == file.id, columns.store == store))


def _known_by(keys: Sequence[str]) -> sa.ColumnElement[bool]:
    """Whether a capture is one of a story that is known by one of these addresses."""
    others = select(capture_addresses.c.story_id).where(capture_addresses.c.url_key.in_(keys))
    return sa.or_(captures.c.index_id.in_(keys), captures.c.story_id.in_(others))


def _with_unregistered(what: Table | Column[int]) -> sa.Select[Any]:
    known = select(captures.c.file_id, sa.func.count().label("stories")).group_by(captures.c.file_id).subquery()
    found = select(what).select_from(archive_files.outerjoin(known, known.c.file_id == archive_files.c.id))
    return found.where(archive_files.c.stories > sa.func.coalesce(known.c.stories, 0))


def _domain_of(url: str) -> str:
    try:
        return canonical_domain(url)
    except BadURL:
        return ""
