"""The outbox: which files are still to be copied to which blob stores. A file's rows exist before it may be removed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, exists, func, or_, select, update

from tearsheet.archive.store import (
    StoredFile,
    archive_files,
    archive_stores,
    archive_uploads,
    file_from_row,
    upload_row,
)
from tearsheet.archive.tombstones import Tombstones
from tearsheet.engines.database import Database

FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=4)
_MAX_ERROR = 500


@dataclass(slots=True, frozen=True)
class Upload:
    """A copy that is still to be made or proved."""

    file: StoredFile
    store: str
    attempts: int


@dataclass(slots=True, frozen=True)
class StoreState:
    """How far copying to one store has got."""

    store: str
    done: int
    waiting: int
    error: str
    """The error of the file that was tried most often, when one failed."""


def pause_after(attempts: int) -> timedelta:
    """How long to wait after this many failed tries: twice as long each time, up to four hours."""
    return min(FIRST_PAUSE * (1 << min(attempts - 1, 20)), LONGEST_PAUSE)


class Outbox:
    """The outbox in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.tombstones = Tombstones(database)

    def add_missing(self, stores: Sequence[str], now: datetime) -> int:
        """Add the files that a store was never asked to take, for instance because it was configured later. Returns how many.

        A file that is no longer on this machine counts if another store has a proved copy of it.
        """
        added = 0
        with self._database.begin() as connection:
            for store in stores:
                known = exists().where(
                    and_(archive_uploads.c.file_id == archive_files.c.id, archive_uploads.c.store == store)
                )
                copied = exists().where(and_(archive_uploads.c.file_id == archive_files.c.id, archive_uploads.c.done))
                query = select(archive_files.c.id).where(~known, archive_files.c.path.is_(None))
                ids = connection.execute(query.where(or_(archive_files.c.local, copied))).scalars()
                rows = [upload_row(file_id, store, now) for file_id in ids]
                if rows:
                    connection.execute(self._database.insert(archive_uploads).on_conflict_do_nothing(), rows)
                added += len(rows)
        return added

    def due(self, stores: Sequence[str], now: datetime | None) -> Iterator[Upload]:
        """What is to be copied now, oldest file first. With None, everything that waits, whether or not its pause is over."""
        columns = archive_uploads.c
        query = (
            select(archive_files, columns.store, columns.attempts)
            .join(archive_files, archive_files.c.id == columns.file_id)
            .where(~columns.done, columns.store.in_(stores))
            .order_by(archive_files.c.id, columns.store)
        )
        if now is not None:
            query = query.where(columns.next_at <= now)
        with self._database.read() as connection:
            rows = connection.execute(query).mappings().all()
        for row in rows:
            yield Upload(file_from_row(row), row["store"], row["attempts"])

    def proved(self, upload: Upload, now: datetime) -> None:
        """The copy is there, and is identical to the file."""
        self._set(upload, done=True, proved_at=now, attempts=upload.attempts + 1, error="")

    def failed(self, upload: Upload, error: str, now: datetime) -> None:
        """The copy failed: try again later."""
        attempts = upload.attempts + 1
        self._set(upload, attempts=attempts, next_at=now + pause_after(attempts), error=error[:_MAX_ERROR])

    def _set(self, upload: Upload, **values: object) -> None:
        columns = archive_uploads.c
        statement = update(archive_uploads).where(
            columns.file_id == upload.file.id, columns.store == upload.store, ~columns.done
        )
        with self._database.begin() as connection:
            connection.execute(statement.values(**values))

    def doubt(self, store: str, now: datetime, error: str = "", file: StoredFile | None = None) -> int:
        """The proved copies of a store, or that of one file, may not be there any more: make or prove them again.

        Returns how many there were.
        """
        columns = archive_uploads.c
        statement = update(archive_uploads).where(columns.store == store, columns.done)
        if file is not None:
            statement = statement.where(columns.file_id == file.id)
        with self._database.begin() as connection:
            return connection.execute(statement.values(done=False, next_at=now, error=error[:_MAX_ERROR])).rowcount

    def without_copy(self) -> list[StoredFile]:
        """Files that are neither on this machine nor proved to be in any store."""
        copied = exists().where(and_(archive_uploads.c.file_id == archive_files.c.id, archive_uploads.c.done))
        with self._database.read() as connection:
            rows = connection.execute(select(archive_files).where(~archive_files.c.local, ~copied)).mappings()
            return [file_from_row(row) for row in rows]

    def newest_copies(self, store: str, limit: int | None = None) -> list[StoredFile]:
        """The files of which a store was last proved to have a copy; all of them when no limit is given."""
        columns = archive_uploads.c
        query = (
            select(archive_files)
            .join(archive_uploads, archive_files.c.id == columns.file_id)
            .where(columns.store == store, columns.done)
            .order_by(columns.proved_at.desc(), archive_files.c.id.desc())
            .limit(limit)
        )
        with self._database.read() as connection:
            return [file_from_row(row) for row in connection.execute(query).mappings()]

    def store_id(self, store: str, otherwise: str) -> str:
        """The id of a store; one that has none yet gets the id `otherwise`."""
        row = {"name": store, "id": otherwise}
        with self._database.begin() as connection:
            connection.execute(self._database.insert(archive_stores).on_conflict_do_nothing(), row)
            query = select(archive_stores.c.id).where(archive_stores.c.name == store)
            return str(connection.execute(query).scalar_one())

    def set_store_id(self, store: str, found: str) -> None:
        """A store turned out to have this id."""
        statement = update(archive_stores).where(archive_stores.c.name == store)
        with self._database.begin() as connection:
            connection.execute(statement.values(id=found))

    def states(self) -> list[StoreState]:
        """How far copying to each store has got."""
        columns = archive_uploads.c
        found = []
        with self._database.read() as connection:
            counts: dict[str, dict[bool, int]] = {}
            query = select(columns.store, columns.done, func.count()).group_by(columns.store, columns.done)
            for store, done, count in connection.execute(query):
                counts.setdefault(store, {})[done] = count
            for store, by_state in sorted(counts.items()):
                worst = (
                    select(columns.error)
                    .where(columns.store == store, ~columns.done, columns.error != "")
                    .order_by(columns.attempts.desc())
                )
                error = connection.execute(worst.limit(1)).scalar() or ""
                found.append(StoreState(store, by_state.get(True, 0), by_state.get(False, 0), error))
        return found

    def removable(self, stores: Sequence[str], created_before: datetime) -> list[StoredFile]:
        """Local files of which every one of these stores has a proved copy; none when there are no stores."""
        if not stores:
            return []
        columns = archive_uploads.c
        proved = (
            select(func.count())
            .select_from(archive_uploads)
            .where(columns.file_id == archive_files.c.id, columns.store.in_(stores), columns.done)
            .scalar_subquery()
        )
        query = select(archive_files).where(
            archive_files.c.local,
            archive_files.c.path.is_(None),
            archive_files.c.created_at < created_before,
            proved == len(set(stores)),
        )
        with self._database.read() as connection:
            return [file_from_row(row) for row in connection.execute(query).mappings()]

    def removed(self, file: StoredFile) -> None:
        """The file is no longer on this machine."""
        with self._database.begin() as connection:
            connection.execute(update(archive_files).where(archive_files.c.id == file.id).values(local=False))
