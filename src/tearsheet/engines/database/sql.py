"""The database port: SQLite by default, PostgreSQL beside it. One schema, one set of migrations and statements for both."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, DateTime, Engine, MetaData, Table, TypeDecorator, create_engine, event, inspect, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.types import TypeEngine

from tearsheet.engines.database.port import Database
from tearsheet.engines.location import local_path, scheme_of
from tearsheet.engines.server import PATIENCE_SECONDS
from tearsheet.errors import BusyError, ConfigError, EngineError, StorageError

metadata = MetaData()
"""Every table of the program; each package declares its own in its store module."""

_BUSY_SECONDS = 30.0
_DAMAGE_WORDS = ("not a database", "malformed")
_FULL_DISK_WORDS = ("disk is full", "readonly database", "unable to open", "disk I/O error")


@lru_cache(maxsize=4096)
def _utc_text(t: datetime) -> str:
    """A time as SQLite keeps it. Many rows of one transaction share theirs."""
    return f"{t.year:04}-{t.month:02}-{t.day:02} {t.hour:02}:{t.minute:02}:{t.second:02}.{t.microsecond:06}"


class _TextDateTime(sqlite.DATETIME):
    """A time that reaches the driver as text already: SQLAlchemy's own way there and back takes five times as long."""

    def bind_processor(self, dialect: Dialect) -> None:
        """Leave it as it is."""

    def result_processor(self, dialect: Dialect, coltype: object) -> None:
        """Leave it as it is."""


_TEXT: TypeEngine[Any] = _TextDateTime()  # type: ignore[no-untyped-call]  # of SQLAlchemy


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime, stored as UTC and given back as UTC by every engine."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """SQLite has no times, but text that sorts as they do: `2026-11-15 10:00:00.000000`."""
        return _TEXT if dialect.name == "sqlite" else DateTime(timezone=True)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Refuse naive times: nobody knows what they mean."""
        if value is None:
            return None
        if value.tzinfo is not UTC:
            if value.tzinfo is None:
                raise ValueError("a time without a zone cannot be stored")
            value = value.astimezone(UTC)
        return _utc_text(value) if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Say that it is UTC."""
        if value is None:
            return None
        found = datetime.fromisoformat(value) if isinstance(value, str) else value
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def open_database(url: str, data: Path, *, patience: float = PATIENCE_SECONDS) -> Database:
    """Connect to the database of the setting `engines.database`. Does not migrate: call `migrate()` once at start.

    A server that is away is waited for, up to `patience` seconds.
    """
    scheme = scheme_of(url)
    if scheme == "sqlite":
        return SqliteDatabase(local_path(url, data))
    if scheme in ("postgresql", "postgres"):
        from tearsheet.engines.database.postgresql import open_postgresql

        return open_postgresql(url, patience=patience)
    raise ConfigError(f"engines.database: unknown engine {scheme!r}; use sqlite:///FILE or postgresql://…")


class SqlDatabase:
    """What every SQL engine shares: transactions, dialect-aware inserts, migrations."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction that may write."""
        with explained(), self._connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading."""
        with explained(), self._connect() as connection:
            yield connection

    def ping(self) -> None:
        """Ask for nothing."""
        with self.read() as connection:
            connection.execute(text("SELECT 1"))

    def insert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """An INSERT that knows ON CONFLICT."""
        return sqlite.insert(table) if self.engine.dialect.name == "sqlite" else postgresql.insert(table)

    def migrate(self) -> None:
        """Bring the schema to this version's."""
        steps = migration_steps()
        with explained(), self._migration_connection() as connection:
            found = self._version(connection)
            if found is not None and found not in steps:
                raise EngineError(
                    f"the database has schema {found}, which this version of tearsheet does not know: "
                    "upgrade tearsheet, or use another data folder"
                )
            if found != steps[-1]:
                _upgrade(connection)

    def close(self) -> None:
        """Give back every connection."""
        self.engine.dispose()

    def _connect(self) -> Connection:
        return self.engine.connect()

    @contextmanager
    def _migration_connection(self) -> Iterator[Connection]:
        """One transaction for all migrations: two processes that start at once do not both run them."""
        with self._connect() as connection, connection.begin():
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(7265346)"))
            yield connection

    @staticmethod
    def _version(connection: Connection) -> str | None:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


class SqliteDatabase(SqlDatabase):
    """A file in WAL mode: readers never block the writer. Writers take turns, so a lease needs no row locks."""

    def __init__(self, path: Path) -> None:
        _make_folder(path.parent)
        engine = create_engine(
            f"sqlite:///{path}",
            connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False},
            execution_options={"writes": True},
        )
        event.listen(engine, "connect", _prepare_connection)
        event.listen(engine, "begin", _begin)
        super().__init__(engine)
        self.path = path
        self._reader = engine.execution_options(writes=False)
        self._writing = threading.Lock()

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction that may write. Threads of one process queue up here: SQLite itself would let them sleep and try again."""
        if not self._writing.acquire(timeout=_BUSY_SECONDS):
            raise BusyError("the database is held by another part of this process for too long")
        try:
            with super().begin() as connection:
                yield connection
        finally:
            self._writing.release()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection whose transaction is deferred, so that it never waits for a writer."""
        with explained(), self._reader.connect() as connection:
            yield connection


def _prepare_connection(connection: Any, _: Any) -> None:
    # The driver's own BEGIN comes too late for a write lock; with None we begin ourselves (see _begin).
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "temp_store=MEMORY"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def migration_steps() -> list[str]:
    """The names of all steps of the schema, oldest first: the numbers that their files begin with."""
    return sorted(path.name[:4] for path in (Path(__file__).parent / "migrations" / "versions").glob("[0-9]*.py"))


def _upgrade(connection: Connection) -> None:
    from alembic import command  # half a second that most starts need not spend
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot create {folder}: {error.strerror}; choose another folder with --data") from error


@contextmanager
def explained() -> Iterator[None]:
    """Turn an engine's own errors into one line that says what to do."""
    try:
        yield
    except (OperationalError, DatabaseError, sqlite3.Error) as error:
        raise explain(error) from error


def explain(error: Exception) -> EngineError | StorageError | BusyError | Exception:
    """The user's error for a driver's error; the driver's own where it is a bug of ours."""
    message = str(getattr(error, "orig", None) or error)
    if "database is locked" in message:
        return BusyError("the database is held by another process for too long; is a backup or another tool using it?")
    if any(word in message for word in _FULL_DISK_WORDS):
        return StorageError(
            f"the database cannot be written ({message}): free some disk space or check the folder's rights"
        )
    if any(word in message for word in _DAMAGE_WORDS):
        return StorageError(
            f"the database file is damaged or no database ({message}): restore it, or use another data folder"
        )
    return error
