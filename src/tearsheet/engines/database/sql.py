"""What the SQL engines share: one type for times, and one set of tables, migrations and statements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    DateTime,
    Engine,
    Index,
    MetaData,
    Table,
    TextClause,
    TypeDecorator,
    inspect,
    text,
)
from sqlalchemy.dialects.sqlite import DATETIME
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.types import TypeEngine

from tearsheet.errors import EngineError

if TYPE_CHECKING:
    # Only for types: SQLAlchemy loads all drivers of a dialect with it, so each adapter imports its own dialect.
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert

metadata = MetaData()
"""Every table of the program; each package declares its own tables."""


def partial_index(name: str, column: str | ColumnElement[Any], where: ColumnElement[bool] | TextClause) -> Index:
    """An index of those rows of a table that some statements look for, as migrations make it on every engine.

    PostgreSQL is not named here: SQLAlchemy would load its dialect, with all drivers, to check that the option exists.
    """
    return Index(name, column, sqlite_where=where)


@lru_cache(maxsize=4096)
def _utc_text(t: datetime) -> str:
    """A time as SQLite stores it. Cached, because many rows of a transaction share one time."""
    return f"{t.year:04}-{t.month:02}-{t.day:02} {t.hour:02}:{t.minute:02}:{t.second:02}.{t.microsecond:06}"


class _TextDateTime(DATETIME):
    """A time that is already text when it reaches the driver: SQLAlchemy's own conversion takes five times as long."""

    def bind_processor(self, dialect: Dialect) -> None:
        """Leave it as it is."""

    def result_processor(self, dialect: Dialect, coltype: object) -> None:
        """Leave it as it is."""


_TEXT: TypeEngine[Any] = _TextDateTime()  # type: ignore[no-untyped-call]  # of SQLAlchemy


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime, stored and returned as UTC by every engine."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """SQLite has no type for times, so they are text that sorts by time: `2026-11-15 10:00:00.000000`."""
        return _TEXT if dialect.name == "sqlite" else DateTime(timezone=True)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Refuse naive times: they are ambiguous."""
        if value is None:
            return None
        if value.tzinfo is not UTC:
            if value.tzinfo is None:
                raise ValueError("a time without a zone cannot be stored")
            value = value.astimezone(UTC)
        return _utc_text(value) if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Mark the time as UTC."""
        if value is None:
            return None
        found = datetime.fromisoformat(value) if isinstance(value, str) else value
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


class SqlDatabase(ABC):
    """What every SQL engine shares: transactions, dialect-aware inserts, migrations."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction that may write."""
        with self._explained(), self._connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading."""
        with self._explained(), self._connect() as connection:
            yield connection

    def ping(self) -> None:
        """Run a statement that does nothing."""
        with self.read() as connection:
            connection.execute(text("SELECT 1"))

    def try_writing(self) -> None:
        """Make a table, write to it and read it, and take it all back."""
        with self._explained(), self._connect() as connection, connection.begin() as transaction:
            connection.execute(text("CREATE TABLE tearsheet_doctor (x INTEGER)"))
            connection.execute(text("INSERT INTO tearsheet_doctor VALUES (1)"))
            connection.execute(text("SELECT x FROM tearsheet_doctor")).one()
            transaction.rollback()

    @abstractmethod
    def insert(self, table: Table) -> SqliteInsert | PostgresInsert:
        """An INSERT that knows ON CONFLICT."""

    def migrate(self) -> None:
        """Bring the schema up to date."""
        steps = migration_steps()
        with self._explained(), self._migration_connection() as connection:
            found = self._version(connection)
            if found is not None and found not in steps:
                raise EngineError(
                    f"the database has schema {found}, which this version of tearsheet does not know: "
                    "upgrade tearsheet, or use another data folder"
                )
            if found is None:
                self._create(connection)
            elif found != steps[-1]:
                upgrade(connection)

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    def _create(self, connection: Connection) -> None:
        """Give an empty database the schema."""
        upgrade(connection)

    @abstractmethod
    def _explained(self) -> AbstractContextManager[None]:
        """Turn the driver's errors into one line that says what to do."""

    def _connect(self) -> Connection:
        return self.engine.connect()

    @contextmanager
    def _migration_connection(self) -> Iterator[Connection]:
        """One transaction for all migrations, so that two processes that start at once do not both run them."""
        with self._connect() as connection, connection.begin():
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(7265346)"))
            yield connection

    @staticmethod
    def _version(connection: Connection) -> str | None:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def migration_steps() -> list[str]:
    """The names of all migrations, oldest first: the numbers that their files begin with."""
    return sorted(path.name[:4] for path in (Path(__file__).parent / "migrations" / "versions").glob("[0-9]*.py"))


def upgrade(connection: Connection) -> None:
    """Run the migrations that a database has not had yet."""
    from alembic import command  # takes half a second, which most starts need not spend
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
