"""Names for the completion of a command line: read quickly, without changing or making anything, and never an error.

Only files of SQLite are read, without what opens an engine: that takes longer than anybody waits for a key. On servers nothing is
offered.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from tearsheet.app.data_folder import of_what_is_there
from tearsheet.engines import is_embedded, local_path
from tearsheet.errors import TearsheetError
from tearsheet.settings import load_settings
from tearsheet.terminal import clean_line

MOST = 200
_SECONDS = 0.2
_NAMES = {
    "topics": ("database", "SELECT name FROM topics WHERE name >= ? AND substr(name, 1, ?) = ? ORDER BY name LIMIT ?"),
    "sources": ("database", "SELECT DISTINCT domain FROM sources WHERE domain >= ? AND substr(domain, 1, ?) = ? LIMIT ?"),
    "collections": ("database", "SELECT name FROM collections WHERE name >= ? AND substr(name, 1, ?) = ? ORDER BY name LIMIT ?"),
    "queues": ("broker", "SELECT name FROM queues WHERE name >= ? AND substr(name, 1, ?) = ? ORDER BY name LIMIT ?"),
    "queues and quarantines": (
        "broker",
        "SELECT name FROM (SELECT name FROM queues UNION"
        " SELECT substr(name, 1, length(name) - 3) || '-quar' FROM queues WHERE name LIKE '%-in')"
        " WHERE name >= ? AND substr(name, 1, ?) = ? ORDER BY name LIMIT ?",
    ),
}  # fmt: skip
"""For each kind of name, the engine that knows it, and how it is asked for those that begin in some way."""


def names_like(data: Path | None, kind: str, start: str) -> list[str]:
    """The first names of a kind, as `topics` or `queues`, of a data folder that begin like this."""
    with suppress(TearsheetError, OSError, sqlite3.Error):
        settings = of_what_is_there(load_settings(data))
        engine, question = _NAMES[kind]
        url = getattr(settings.engines, engine)
        file = local_path(url, settings.data, f"engines.{engine}") if is_embedded(url) else None
        if file is not None and file.is_file():
            with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", _SECONDS, uri=True)) as connection:
                rows = connection.execute(question, (start, len(start), start, MOST))
                return [name for (name,) in rows if name == clean_line(name)]
    return []
