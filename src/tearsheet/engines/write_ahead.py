"""Write-ahead logs for all SQLite files, so that readers never wait for a writer."""

from __future__ import annotations

import sqlite3
import time

_BUSY_SECONDS = 30.0
_LOOK_AGAIN_SECONDS = 0.02


def keep_log(connection: sqlite3.Connection) -> None:
    """Switch a file to its log. While another process makes the file, SQLite refuses that at once instead of waiting its turn."""
    give_up = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(_LOOK_AGAIN_SECONDS)
