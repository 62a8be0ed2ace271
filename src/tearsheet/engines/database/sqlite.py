"""The database port on one SQLite file: the embedded default, for any number of processes on one machine."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, create_engine, event
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlalchemy.exc import DatabaseError

from tearsheet.engines.database.sql import SqlDatabase
from tearsheet.engines.scrubbing import scrub_file
from tearsheet.engines.write_ahead import keep_log
from tearsheet.errors import BusyError, StorageError

_BUSY_SECONDS = 30.0
_DAMAGE_PHRASES = ("not a database", "malformed")
_FULL_DISK_PHRASES = ("disk is full", "readonly database", "unable to open", "disk I/O error")


_SCHEMA = Path(__file__).with_name("sqlite_schema.sql")
"""The statements that make what all migrations make, each ended by a semicolon at the end of its line. Written by `make docs`:
running the migrations one after the other takes a new folder 0.7 s of processor time, and this 0.01 s."""


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
        """A transaction that may write. Threads of one process queue up here, because SQLite would have them sleep and retry."""
        if not self._writing.acquire(timeout=_BUSY_SECONDS):
            raise BusyError("the database is held by another part of this process for too long")
        try:
            with super().begin() as connection:
                yield connection
        finally:
            self._writing.release()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection with a deferred transaction, so that it never waits for a writer."""
        with self._explained(), self._reader.connect() as connection:
            yield connection

    def insert(self, table: Table) -> Insert:
        """An INSERT that knows ON CONFLICT."""
        return insert(table)

    def scrub(self, tables: Sequence[str]) -> None:
        """Rewrite the file, with all of its tables, and empty its log."""
        with self._writing, self._explained():
            connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
            try:
                scrub_file(connection, self.path)
            finally:
                connection.close()

    def _create(self, connection: Connection) -> None:
        for statement in _SCHEMA.read_text("utf-8").split(";\n"):
            if statement:
                connection.exec_driver_sql(statement)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (DatabaseError, sqlite3.Error) as error:
            raise explain(error, self.path) from error


def _prepare_connection(connection: Any, _: Any) -> None:
    # The driver issues BEGIN too late for a write lock; with None we issue it ourselves (see _begin).
    connection.isolation_level = None
    keep_log(connection)
    cursor = connection.cursor()
    for pragma in ("synchronous=FULL", "foreign_keys=ON", "temp_store=MEMORY"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot create {folder}: {error.strerror}; choose another folder with --data") from error


def explain(error: Exception, path: Path) -> Exception:
    """The user's error for a driver's error; the driver's own where the fault is ours."""
    message = str(getattr(error, "orig", None) or error)
    if "database is locked" in message:
        return BusyError("the database is held by another process for too long; is a backup or another tool using it?")
    if any(phrase in message for phrase in _FULL_DISK_PHRASES):
        return StorageError(
            f"the database {path} cannot be written ({message}): free some disk space, or check its rights and the folder's"
        )
    if any(phrase in message for phrase in _DAMAGE_PHRASES):
        return StorageError(
            f"the database {path} is damaged or not a database ({message}): restore it, or use another data folder"
        )
    return error
