"""A process that brings a database up to date and kills itself before one of its statements.

`python -m tests.support.migrate_until_killed URL FOLDER STATEMENT`, where the first statement is 1. Says which it was.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from sqlalchemy import event

from tearsheet.engines.database import open_database
from tearsheet.engines.database.sql import SqlDatabase


def main() -> None:
    url, folder, last = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    database = open_database(url, folder)
    seen = 0

    def count(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        nonlocal seen
        seen += 1
        if seen == last:
            print(" ".join(statement.split()), flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

    assert isinstance(database, SqlDatabase)
    event.listen(database.engine, "before_cursor_execute", count)
    database.migrate()


if __name__ == "__main__":
    main()
