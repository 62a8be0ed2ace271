"""Which database the setting `engines.database` names."""

from __future__ import annotations

from pathlib import Path

from tearsheet.engines.database.port import Database
from tearsheet.engines.location import local_path, scheme_of
from tearsheet.engines.server import PATIENCE_SECONDS
from tearsheet.errors import ConfigError


def open_database(url: str, data: Path, *, patience: float = PATIENCE_SECONDS) -> Database:
    """Connect to the database of the setting `engines.database`. Does not migrate: call `migrate()` once at start.

    Waits up to `patience` seconds for a server that is down.
    """
    scheme = scheme_of(url)
    if scheme == "sqlite":
        from tearsheet.engines.database.sqlite import SqliteDatabase

        return SqliteDatabase(local_path(url, data))
    if scheme in ("postgresql", "postgres"):
        from tearsheet.engines.database.postgresql import open_postgresql

        return open_postgresql(url, patience=patience)
    raise ConfigError(f"engines.database: unknown engine {scheme!r}; use sqlite:///FILE or postgresql://…")
