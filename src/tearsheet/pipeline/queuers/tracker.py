"""Which input files have been queued: one SQLite file for each pipeline, shared by any number of queuers on one machine.

A file is known by its base name without `.gz`, and is taken by one queuer at a time. When a queuer dies, the files that it
had taken can be taken by the next one that asks, which goes on where the other stopped. Of dumped queues, each story is known.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import Enum
from pathlib import Path, PurePosixPath

from tearsheet.clock import Clock, wall_clock
from tearsheet.engines import Holder, keep_log, sqlite_errors
from tearsheet.pipeline.queuers.bookmark import Mark

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS files (
    name TEXT PRIMARY KEY, status TEXT NOT NULL, ts REAL NOT NULL, holder TEXT) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS marks (name TEXT PRIMARY KEY, stories INTEGER NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS sizes (name TEXT PRIMARY KEY, file TEXT NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID",
    """CREATE TABLE IF NOT EXISTS loaded (
    dump TEXT, start INTEGER, story TEXT, PRIMARY KEY (dump, start, story)) WITHOUT ROWID""",
)
_PATIENCE_SECONDS = 60.0
Place = tuple[int, str]
"""A story of a dump: the byte where it begins, and its id."""


class State(Enum):
    """What is known about a file."""

    NOT_STARTED = "not started"
    STARTED = "started"
    FINISHED = "finished"


def tracked_name(path: str) -> str:
    """The name that a file is known by: `b.csv` for `s3://bucket/a/b.csv.gz`."""
    base = PurePosixPath(path.rstrip("/")).name or path
    for suffix in (".gz", ".gzip"):
        base = base.removesuffix(suffix)
    return base


class Tracker:
    """Takes files, and remembers those that are finished."""

    def __init__(self, path: Path, *, clock: Clock = wall_clock) -> None:
        self._path = path
        self._clock = clock
        self._holder = Holder(path.with_name(path.name + "-holders"))
        with self._clear_errors():
            self._db = sqlite3.connect(path, timeout=_PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
            keep_log(self._db)
            self._db.execute("PRAGMA synchronous = FULL")
            for statement in _SCHEMA:
                self._db.execute(statement)

    def state(self, file: str) -> State:
        """What is known about a file. One that a dead queuer had taken counts as not started."""
        with self._clear_errors():
            return self._state(tracked_name(file))[0]

    def is_finished(self, file: str) -> bool:
        """Whether all its stories have been queued."""
        return self.state(file) is State.FINISHED

    def take(self, file: str, *, force: bool = False) -> bool:
        """Take a file that is not started; with `force`, a finished one too. False when it cannot be taken."""
        name = tracked_name(file)
        with self._transaction():
            state, _ = self._state(name)
            if state is State.STARTED or (state is State.FINISHED and not force):
                return False
            if state is State.FINISHED:
                self._forget_mark(name)
            self._write(name, State.STARTED, self._holder.name)
            return True

    def mark(self, file: str) -> Mark | None:
        """How far the file was queued by a queuer that did not finish it."""
        with self._clear_errors():
            row = self._db.execute("SELECT stories, digest FROM marks WHERE name = ?", (tracked_name(file),)).fetchone()
        return Mark(*row) if row else None

    def keep_mark(self, file: str, mark: Mark) -> None:
        """The stories up to this mark have been queued."""
        with self._transaction():
            row = (tracked_name(file), mark.stories, mark.digest)
            self._db.execute("INSERT OR REPLACE INTO marks VALUES (?, ?, ?)", row)

    def finish(self, file: str, size: int | None = None) -> None:
        """All its stories have been queued, when it had this many bytes."""
        name = tracked_name(file)
        with self._transaction():
            self._write(name, State.FINISHED, None)
            self._forget_mark(name)
            if size is not None:
                row = (name, PurePosixPath(file).name, size)
                self._db.execute("INSERT OR REPLACE INTO sizes VALUES (?, ?, ?)", row)

    def was_another(self, file: str, size: int | None) -> bool:
        """Whether the file that was finished under this name had another size: it has grown, or is another one.

        Nothing is concluded from one that was packed and now is not, or the other way round.
        """
        name = tracked_name(file)
        with self._clear_errors():
            if size is None or self._state(name)[0] is not State.FINISHED:
                return False
            row = self._db.execute("SELECT file, bytes FROM sizes WHERE name = ?", (name,)).fetchone()
        return row is not None and row[0] == PurePosixPath(file).name and row[1] != size

    def give_back(self, file: str) -> None:
        """It was not finished: the next queuer takes it again, and goes on at its mark."""
        with self._transaction():
            self._db.execute("DELETE FROM files WHERE name = ?", (tracked_name(file),))

    def loaded(self, dump: str) -> set[Place]:
        """The stories of a dump that were put back into their queues."""
        with self._clear_errors():
            return set(self._db.execute("SELECT start, story FROM loaded WHERE dump = ?", (dump,)))

    def note_loaded(self, dump: str, places: Iterable[Place]) -> None:
        """These stories of a dump were put back into their queues."""
        with self._transaction():
            rows = [(dump, *place) for place in places]
            self._db.executemany("INSERT OR IGNORE INTO loaded VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Give back what this queuer has taken, and close the file."""
        with self._transaction():
            self._db.execute("DELETE FROM files WHERE holder = ?", (self._holder.name,))
        self._db.close()
        self._holder.close()

    def _state(self, name: str) -> tuple[State, str | None]:
        row = self._db.execute("SELECT status, holder FROM files WHERE name = ?", (name,)).fetchone()
        if row is None:
            return State.NOT_STARTED, None
        state, holder = State(row[0]), row[1]
        if state is State.STARTED and holder != self._holder.name and not self._holder.is_alive(holder or ""):
            self._holder.forget(holder)
            return State.NOT_STARTED, None
        return state, holder

    def _write(self, name: str, state: State, holder: str | None) -> None:
        row = (name, state.value, self._clock(), holder)
        self._db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", row)

    def _forget_mark(self, name: str) -> None:
        self._db.execute("DELETE FROM marks WHERE name = ?", (name,))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._clear_errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _clear_errors(self) -> AbstractContextManager[None]:
        return sqlite_errors(self._path, f"the tracker {self._path} cannot be used")
