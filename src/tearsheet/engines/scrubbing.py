"""Nothing of deleted rows stays in a SQLite file: SQLite only marks them as free, and their text can still be read there."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from tearsheet.errors import BusyError, StorageError

_ROOM = 2.1
"""How much space it takes, in sizes of the file: a copy, and the log through which the copy replaces the file."""


def scrub_file(connection: sqlite3.Connection, path: Path) -> None:
    """Rewrite the file from its living rows, and empty its log. The connection must be outside of a transaction.

    Raises StorageError when there is no room for that, BusyError when another process reads or writes all the time.
    """
    size = path.stat().st_size
    free = shutil.disk_usage(path.parent).free
    if free < size * _ROOM:
        raise StorageError(
            f"{path} cannot be rewritten: that takes {size * _ROOM / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free"
        )
    connection.execute("PRAGMA temp_store = FILE")  # the copy does not belong into memory
    connection.execute("VACUUM")
    if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise BusyError(f"{path} is being read by another process, so that its log cannot be emptied: stop it first")
