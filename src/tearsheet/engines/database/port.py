"""What the program asks of a database."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    # Only for types: the worker processes that parse pages start many times and must not load a database library.
    from sqlalchemy import Connection, Table
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert


class Database(Protocol):
    """Tables, through SQLAlchemy Core. The same statements run on SQLite and on PostgreSQL."""

    def begin(self) -> AbstractContextManager[Connection]:
        """A transaction that may write; committed when the block ends, rolled back when it raises."""
        ...

    def read(self) -> AbstractContextManager[Connection]:
        """A connection for reading; never blocks a writer and is never blocked by one."""
        ...

    def ping(self) -> None:
        """Check that the database answers. Raises EngineError when it does not."""
        ...

    def try_writing(self) -> None:
        """Check that the database can be written and read; nothing is left there. Raises EngineError or StorageError."""
        ...

    def insert(self, table: Table) -> SqliteInsert | PostgresInsert:
        """An INSERT that knows `on_conflict_do_nothing` and `on_conflict_do_update` in the engine's dialect."""
        ...

    def migrate(self) -> None:
        """Bring the schema up to date. Raises EngineError when the database is newer than the program."""
        ...

    def scrub(self, tables: Sequence[str]) -> None:
        """Leave nothing of rows that were deleted from these tables in the files of the database. Takes a while.

        Raises BusyError or StorageError when it cannot now.
        """
        ...

    def close(self) -> None:
        """Close every connection."""
        ...
