"""The databases that the contract suite runs against."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from alembic import command
from alembic.config import Config
from psycopg import sql

import tearsheet.engines.database.sql
from tearsheet.engines.database import open_database
from tearsheet.engines.database.port import Database
from tests.support.servers import server_url


def migrate_to(database: Database, step: str) -> None:
    """Give an empty database the schema that an earlier version had."""
    config = Config()
    config.set_main_option("script_location", str(Path(tearsheet.engines.database.sql.__file__).parent / "migrations"))
    with database.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, step)


def take_back(file: Path, step: str) -> None:
    """Give a SQLite file the schema that an earlier version had, with what its tables can hold of the rows."""
    newer = file.rename(file.with_name(f"newer-{file.name}"))
    older = open_database(file.name, file.parent)
    migrate_to(older, step)
    older.close()
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("ATTACH ? AS newer", (str(newer),))
        for (table,) in database.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
            columns, others = (
                [row[1] for row in database.execute(f"PRAGMA {schema}.table_info({table})")]
                for schema in ("main", "newer")
            )
            names = ", ".join(name for name in columns if name in others)
            if names and table != "alembic_version":
                database.execute(f"INSERT INTO main.{table} ({names}) SELECT {names} FROM newer.{table}")
        database.execute("DETACH newer")
    for beside in newer.parent.glob(f"{newer.name}*"):
        beside.unlink()


class SqliteHarness:
    """A file of the test's own; each `open` is another connection to it, as from another process."""

    def prepare(self, tmp_path: Path) -> None:
        self.place = tmp_path

    def open(self) -> Database:
        return open_database("test.db", self.place)

    def remove(self) -> None:
        """Leave nothing behind on a server."""


class PostgresHarness(SqliteHarness):
    """A database of the test's own, which may sort text as a language does instead of by characters."""

    def __init__(self, sorting: str = "") -> None:
        self.sorting = sorting

    def prepare(self, tmp_path: Path) -> None:
        self.place = tmp_path
        self.name = f"test_{uuid.uuid4().hex}"
        self.url = urlsplit(server_url("postgresql"))._replace(path=f"/{self.name}").geturl()
        by_language = f" TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '{self.sorting}'" if self.sorting else ""
        self._admin("CREATE DATABASE {}" + by_language)

    def open(self) -> Database:
        return open_database(self.url, self.place, patience=10)

    def remove(self) -> None:
        self._admin("DROP DATABASE {} WITH (FORCE)")

    def _admin(self, statement) -> None:
        with psycopg.connect(server_url("postgresql"), autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(sql.Identifier(self.name)))


DATABASES = [
    pytest.param(SqliteHarness, id="sqlite"),
    pytest.param(PostgresHarness, id="postgresql", marks=pytest.mark.engine("postgresql")),
]
