"""The database port on PostgreSQL, for many machines. Leases of rows are taken with FOR UPDATE SKIP LOCKED."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, Table, create_engine, event
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.exc import DBAPIError

from tearsheet.engines.database.sql import SqlDatabase
from tearsheet.engines.server import (
    PATIENCE_SECONDS,
    BrokenOff,
    LostConnection,
    ServerUrl,
    cannot_reach,
    load_client,
    parse_server_url,
    pauses,
)  # fmt: skip
from tearsheet.errors import ConfigError, EngineError, StorageError

_log = logging.getLogger(__name__)
_SETTING = "engines.database"
OLDEST_SERVER = 13

# What a server, or libpq on its behalf, says while it starts, stops, or has no free connections for the moment.
_PASSING_STATES = {"57P01", "57P02", "57P03", "53300", "08000", "08001", "08003", "08004", "08006"}
_BROKEN_OFF = {"40001", "40P01", "55P03", "57014", "40003", "25P03", "57P05"}
"""A transaction met another, waited too long for it, or was ended by the server's limits."""
_PASSING_PHRASES = (
    "starting up", "shutting down", "recovery mode", "not yet accepting", "too many clients", "remaining connection slots",
    "connection refused", "connection failed", "connection timeout", "server closed the connection", "reset by peer",
    "terminating connection", "no route to host", "network is unreachable", "timeout expired", "broken pipe",
)  # fmt: skip


def open_postgresql(url: str, *, patience: float = PATIENCE_SECONDS) -> PostgresDatabase:
    """The database of `postgresql://USER:PASSWORD@HOST[:PORT]/NAME`; libpq options such as `?sslmode=require` may follow."""
    server = parse_server_url(url, _SETTING, {"postgresql": 5432, "postgres": 5432})
    if not server.path:
        raise ConfigError(
            f"{_SETTING}: the URL should end in the name of a database: postgresql://USER:PASSWORD@HOST/NAME"
        )
    load_client("psycopg", "postgresql", _SETTING)
    return PostgresDatabase(server, patience)


class PostgresDatabase(SqlDatabase):
    """A pool of connections. It waits for a server that is down before a transaction begins, never inside one."""

    def __init__(self, server: ServerUrl, patience: float) -> None:
        engine = create_engine(
            URL.create(
                "postgresql+psycopg",
                server.user or None,
                server.password or None,
                server.host,
                server.port,
                server.path,
                server.options,
            ),
            pool_pre_ping=True,
            pool_size=5,
            max_overflow=15,
            connect_args={"connect_timeout": 10, "application_name": "tearsheet"},
        )
        event.listen(engine, "connect", self._check_version)
        super().__init__(engine)
        self._server = server
        self._patience = patience

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read-only connection."""
        with self._explained(), self._connect() as connection:
            yield connection.execution_options(postgresql_readonly=True)

    def insert(self, table: Table) -> Insert:
        """An INSERT that knows ON CONFLICT."""
        return insert(table)

    def scrub(self, tables: Sequence[str]) -> None:
        """Rewrite these tables. Archives of the server's own log are out of reach."""
        with self._explained(), self._connect() as connection:
            outside = connection.execution_options(isolation_level="AUTOCOMMIT")
            for table in tables:
                outside.exec_driver_sql(f'VACUUM (FULL) "{table}"')

    def _connect(self) -> Connection:
        tries = pauses(self._patience)
        while True:
            try:
                return self.engine.connect()
            except DBAPIError as error:
                explained = self._explain(error)
                pause = next(tries, None) if isinstance(explained, LostConnection) else None
                if pause is None:
                    raise explained from error
                _log.warning(
                    "waiting for the database", extra={"at": self._server.address, "error": _first_line(error)}
                )
                time.sleep(pause)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            explained = self._explain(error)
            if isinstance(explained, LostConnection):
                explained = BrokenOff(str(explained))
            raise explained from error

    def _explain(self, error: DBAPIError) -> Exception:
        """The user's error for a driver's error; the driver's own where the fault is ours."""
        message, state = _first_line(error), str(getattr(error.orig, "sqlstate", None) or "")
        lower = str(error.orig).lower()
        address = self._server.address
        if "invalid connection option" in lower:
            return ConfigError(f"{_SETTING}: the URL has an option that PostgreSQL does not know; check this setting")
        if "password authentication failed" in lower or "no password supplied" in lower or state == "28P01":
            return EngineError(
                f"{_SETTING}: PostgreSQL at {address} refuses the user or the password; check this setting"
            )
        if ("database" in lower and "does not exist" in lower and not state) or state == "3D000":
            return EngineError(
                f"{_SETTING}: there is no database {self._server.path!r} at {address}; create it with `createdb`"
            )
        if "translate host name" in lower or "resolve host" in lower or "name or service not known" in lower:
            return cannot_reach(self._server, "database")
        if state == "53100":
            return StorageError(f"{_SETTING}: the disk of PostgreSQL at {address} is full; free some space there")
        if state in ("42501", "28000"):
            return EngineError(f"{_SETTING}: PostgreSQL at {address} does not allow our user to do this ({message})")
        if state in _BROKEN_OFF:
            return BrokenOff(
                f"{_SETTING}: PostgreSQL at {address} broke off a transaction ({message}); start again: nothing is lost"
            )
        if (
            error.connection_invalidated
            or state in _PASSING_STATES
            or any(phrase in lower for phrase in _PASSING_PHRASES)
        ):
            return LostConnection(
                f"{_SETTING}: PostgreSQL at {address} does not answer ({message}); start it, or check this setting"
            )
        return error

    def _check_version(self, connection: Any, _: Any) -> None:
        version = connection.info.server_version // 10_000
        if version < OLDEST_SERVER:
            connection.close()
            raise EngineError(
                f"{_SETTING}: PostgreSQL {version} at {self._server.address} is too old; {OLDEST_SERVER} or newer is needed"
            )


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().split("\n")[0]
