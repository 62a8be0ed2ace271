"""Which database the setting `engines.database` names."""

from __future__ import annotations

from pathlib import Path

from tearsheet.engines.database.port import Database
from tearsheet.engines.location import engine_of, local_path
from tearsheet.engines.server import PATIENCE_SECONDS

_SETTING, _ENGINES = "engines.database", "sqlite:///FILE postgresql://USER:PASSWORD@HOST/NAME postgres://…"


def open_database(url: str, data: Path, *, patience: float = PATIENCE_SECONDS) -> Database:
    """Connect to the database of the setting `engines.database`. Does not migrate: call `migrate()` once at start.

    Waits up to `patience` seconds for a server that is down.
    """
    if engine_of(url, _SETTING, _ENGINES) == "sqlite":
        from tearsheet.engines.database.sqlite import SqliteDatabase

        return SqliteDatabase(local_path(url, data, _SETTING))
    from tearsheet.engines.database.postgresql import open_postgresql

    return open_postgresql(url, patience=patience)
