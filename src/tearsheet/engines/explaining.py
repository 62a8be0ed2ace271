"""What SQLite says about a file, as one line for the user."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tearsheet.errors import BusyError, StorageError


@contextmanager
def sqlite_errors(path: Path, failure: str) -> Iterator[None]:
    """Turn errors of SQLite into `explained` ones."""
    try:
        yield
    except sqlite3.Error as error:
        raise explained(error, path, failure) from error


def explained(error: sqlite3.Error | OSError, path: Path, failure: str) -> BusyError | StorageError:
    """The error to raise; `failure` says what could not be done, as `the queues in … cannot be written`."""
    if "locked" in str(error):
        return BusyError(f"{path} is held by another process for too long; try again")
    return StorageError(f"{failure} ({error}): free some disk space, or check the folder's rights")
