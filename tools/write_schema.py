"""Write the schema of a new SQLite database, as all migrations together make it. `make docs` does, and a test compares the two."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from sqlalchemy import create_engine

from tearsheet.engines.database import sqlite
from tearsheet.engines.database.sql import upgrade

SCHEMA = Path(sqlite.__file__).with_name("sqlite_schema.sql")


def schema_text() -> str:
    """The statements that make an empty database what the migrations make it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "schema.db"
        engine = create_engine(f"sqlite:///{file}")
        with engine.begin() as connection:
            upgrade(connection)
        engine.dispose()
        return statements_of(file)


def statements_of(file: Path) -> str:
    """The statements that make a database like this one: tables with their rows, then indexes, which have no order of their own."""
    with closing(sqlite3.connect(file)) as database:
        made = [line for line in database.iterdump() if line.startswith(("CREATE", "INSERT"))]
    return "\n".join(sorted(made, key=lambda line: line if " INDEX " in line else "")) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), "utf-8")
