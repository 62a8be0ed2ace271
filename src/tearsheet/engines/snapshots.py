"""Several SQLite files as they were at one and the same moment, while other processes go on writing to them.

All files are locked against writers, a reading transaction is begun on each, and the locks are given up: a few milliseconds, for
which writers wait. What the transactions then see is what a kill at that moment would have left, however long it takes to copy it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path

from tearsheet.engines.explaining import sqlite_errors
from tearsheet.errors import BusyError

_LOCK_SECONDS = 2.0
"""How long to wait for one file while holding others. A writer of ours waits for 30 seconds before it gives up."""
_TRIES = 20
_PAGES_AT_ONCE = 1024
_HEADER = b"SQLite format 3\x00"


class Snapshot:
    """One file as it was at the moment."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def copy_to(self, target: Path, progress: Callable[[], None] = lambda: None) -> None:
        """Write the file as it was into a new file. Pages stay where they are, so that a later copy differs little."""
        with _explained(target), closing(sqlite3.connect(target, isolation_level=None)) as copy:
            copy.execute("PRAGMA synchronous = OFF")
            self._connection.backup(copy, pages=_PAGES_AT_ONCE, progress=lambda *_: progress())


def is_sqlite(path: Path) -> bool:
    """Whether a file is a database of SQLite, by its first bytes."""
    with path.open("rb") as file:
        return file.read(len(_HEADER)) == _HEADER


@contextmanager
def frozen(
    paths: Sequence[Path],
    meanwhile: Callable[[], None] = lambda: None,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[list[Snapshot]]:
    """Snapshots of files, all of one moment. `meanwhile` is called at that moment, and no file is written until it returns.

    Raises BusyError when a writer does not let go: what holds one file and waits for another gets its turn before we try again.
    """
    with ExitStack() as snapshots:
        for attempt in range(1, _TRIES + 1):
            try:
                with ExitStack() as locks:
                    for path in paths:
                        _lock(path, locks)
                    found = [_begin_reading(path, snapshots) for path in paths]
                    meanwhile()
                break
            except BusyError:
                if attempt == _TRIES:
                    raise
                pause(0.05 * attempt)
        yield found


def _lock(path: Path, locks: ExitStack) -> None:
    with _explained(path):
        writer = locks.enter_context(closing(_connect(path)))
        writer.execute("BEGIN IMMEDIATE")  # given up when the connection is closed


def _begin_reading(path: Path, snapshots: ExitStack) -> Snapshot:
    with _explained(path):
        reader = snapshots.enter_context(closing(_connect(path)))
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchone()  # only now does the transaction begin
    return Snapshot(path, reader)


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=_LOCK_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )


def _explained(path: Path) -> AbstractContextManager[None]:
    return sqlite_errors(path, f"{path} cannot be copied")
