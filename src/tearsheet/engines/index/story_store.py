"""The stories beside the tantivy index, in SQLite: which copy was first, what is stored with a story, its text in zstd.

A story in this store is safe; tantivy can always be rebuilt from it. Each story has a running number, by which tantivy knows
it; `indexed_number` is the highest number that tantivy has committed.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import zstandard

from tearsheet.chunks import chunks
from tearsheet.engines.index.clean_stories import clean_story
from tearsheet.engines.index.port import AddResult, IndexedStory
from tearsheet.engines.scrubbing import scrub_file
from tearsheet.engines.write_ahead import keep_log
from tearsheet.errors import EngineError, StorageError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS stories (
  docno INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE,
  story_id TEXT NOT NULL,
  record BLOB NOT NULL,
  text BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO state VALUES ('format', 1), ('indexed_number', 0);
"""
_FORMAT = 1
_BUSY_SECONDS = 30.0
_CHUNK = 500
_ZSTD_LEVEL = 3


@dataclass(slots=True, frozen=True)
class Numbered:
    """A story with its running number."""

    docno: int
    story: IndexedStory


class _Zstd(threading.local):
    """One compressor for each thread, because two threads may not share one."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(_ZSTD_LEVEL).compress


class StoryStore:
    """One SQLite file. Each thread has its own connection; readers never wait for the writer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(IndexedStory).decode
        self._zstd = _Zstd()
        connection = self._connection()
        with self._errors():
            if connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'state'").fetchone()[0] == 0:
                connection.executescript(_SCHEMA)
        if (found := self._state("format")) != _FORMAT:
            raise EngineError(
                f"{path} was written by a later version (format {found}); install that version or a newer one"
            )

    # --------------------------------------------------------------------------------------------------- writing

    def add(self, stories: Sequence[IndexedStory]) -> tuple[list[AddResult], list[Numbered]]:
        """Store those that are new, in one transaction that is on disk when this returns; say what became of each."""
        results: list[AddResult] = []
        new: list[Numbered] = []
        keys = [_key(story.id) for story in stories]
        first = self._first_copies(keys)
        rows = [None if key in first else self._row(story) for key, story in zip(keys, stories, strict=True)]
        connection = self._connection()
        with self._errors(), connection:
            connection.execute("BEGIN IMMEDIATE")
            for story, key, row in zip(stories, keys, rows, strict=True):
                if row is not None:
                    inserted = connection.execute(
                        "INSERT OR IGNORE INTO stories (id, story_id, record, text) VALUES (?, ?, ?, ?)", row
                    )
                    if inserted.rowcount == 1 and inserted.lastrowid is not None:
                        results.append(AddResult("created", story.story_id))
                        new.append(Numbered(inserted.lastrowid, story))
                        continue
                    first[key] = connection.execute("SELECT story_id FROM stories WHERE id = ?", row[:1]).fetchone()[0]
                status = "own" if story.story_id and first[key] == story.story_id else "duplicate"
                results.append(AddResult(status, first[key]))
        return results, new

    def _first_copies(self, keys: Sequence[bytes | str]) -> dict[bytes | str, str]:
        """Which of these are stored already, so that their text is not compressed in vain."""
        found: dict[bytes | str, str] = {}
        for some in chunks(keys):
            marks = ",".join("?" * len(some))
            with self._errors():
                statement = f"SELECT id, story_id FROM stories WHERE id IN ({marks})"  # noqa: S608 (question marks)
                found.update(self._connection().execute(statement, some).fetchall())
        return found

    def remove(self, ids: Sequence[str]) -> int:
        """Delete stories, in one transaction; returns how many there were.

        From then on, tantivy counts as empty: its next writer gives it all stories again, and so without these.
        """
        removed = 0
        connection = self._connection()
        with self._errors(), connection:
            connection.execute("BEGIN IMMEDIATE")
            for identifier in ids:
                removed += connection.execute("DELETE FROM stories WHERE id = ?", (_key(identifier),)).rowcount
            if removed:
                connection.execute("UPDATE state SET value = 0 WHERE name = 'indexed_number'")
        return removed

    def scrub(self) -> None:
        """Rewrite the file, so that nothing of deleted stories stays in it."""
        with self._errors():
            scrub_file(self._connection(), self.path)

    def set_indexed(self, docno: int) -> None:
        """Record that tantivy has committed everything up to this number."""
        connection = self._connection()
        with self._errors(), connection:
            connection.execute("UPDATE state SET value = max(value, ?) WHERE name = 'indexed_number'", (docno,))

    # --------------------------------------------------------------------------------------------------- reading

    @property
    def indexed_number(self) -> int:
        """The highest number that tantivy is known to have committed."""
        return self._state("indexed_number")

    def last_number(self) -> int:
        """The highest running number."""
        with self._errors():
            return int(self._connection().execute("SELECT coalesce(max(docno), 0) FROM stories").fetchone()[0])

    def since(self, docno: int) -> Iterator[Numbered]:
        """Stories above a number, in order."""
        while True:
            with self._errors():
                rows = (
                    self._connection()
                    .execute(
                        "SELECT docno, id, record, text FROM stories WHERE docno > ? ORDER BY docno LIMIT ?",
                        (docno, _CHUNK),
                    )
                    .fetchall()
                )
            if not rows:
                return
            for row in rows:
                yield Numbered(row[0], self._story(row[1], row[2], row[3]))
            docno = rows[-1][0]

    def numbers_of(self, ids: Sequence[str]) -> list[int]:
        """The running numbers of stories by id, in any order; those that are not there are left out."""
        numbers: list[int] = []
        for some in chunks(map(_key, ids), _CHUNK):
            marks = ",".join("?" * len(some))
            with self._errors():
                statement = f"SELECT docno FROM stories WHERE id IN ({marks})"  # noqa: S608 (question marks)
                numbers += [row[0] for row in self._connection().execute(statement, some)]
        return numbers

    def by_number(self, numbers: Sequence[int], *, text: bool = True) -> list[IndexedStory]:
        """Stories by running number, in order; numbers that do not exist are left out."""
        found = self._fetch("docno", list(numbers), text)
        return [found[number] for number in numbers if number in found]

    def by_id(self, ids: Sequence[str]) -> list[IndexedStory | None]:
        """Stories by id, in order."""
        keys = [_key(identifier) for identifier in ids]
        found = self._fetch("id", keys, True)
        return [found.get(key) for key in keys]

    def _fetch(
        self, column: str, keys: Sequence[int | bytes | str], text: bool
    ) -> dict[int | bytes | str, IndexedStory]:
        found: dict[int | bytes | str, IndexedStory] = {}
        what = "text" if text else "NULL"
        for some in chunks(keys):
            marks = ",".join("?" * len(some))
            statement = f"SELECT {column}, id, record, {what} FROM stories WHERE {column} IN ({marks})"  # noqa: S608 (constant names)
            with self._errors():
                rows = self._connection().execute(statement, some).fetchall()
            for row in rows:
                found[row[0]] = self._story(row[1], row[2], row[3])
        return found

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            for connection in self._connections:
                with suppress(sqlite3.Error):
                    connection.close()
            self._connections.clear()
        self._local = threading.local()

    # --------------------------------------------------------------------------------------------------- details

    def _row(self, story: IndexedStory) -> tuple[bytes | str, str, bytes, bytes]:
        try:
            record, text = self._encode(replace(story, id="", text_content="")), story.text_content.encode()
        except UnicodeEncodeError:
            return self._row(clean_story(story))
        return _key(story.id), story.story_id, record, self._zstd.compress(text)

    def _story(self, key: bytes | str, record: bytes, text: bytes | None) -> IndexedStory:
        story = self._decode(record)
        story.id = key.hex() if isinstance(key, bytes) else key
        if text is not None:
            story.text_content = zstandard.decompress(text).decode()
        return story

    def _state(self, name: str) -> int:
        with self._errors():
            row = self._connection().execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with self._errors():
                connection = sqlite3.connect(
                    self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
                )
                keep_log(connection)
                connection.execute("PRAGMA synchronous=FULL")
                connection.execute("PRAGMA cache_size=-8192")  # of each thread, and a server has many
            self._local.connection = connection
            with self._lock:
                self._connections.append(connection)
        return connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if "full" in str(error) or "disk I/O" in str(error):
                raise StorageError(
                    f"{self.path}: the disk is full; make room and start again; nothing is lost"
                ) from error
            raise EngineError(f"{self.path}: {error}") from error
        except sqlite3.DatabaseError as error:
            raise EngineError(f"{self.path}: {error}") from error


def _key(identifier: str) -> bytes | str:
    """The id as a key: a hash takes half the space as bytes."""
    if len(identifier) == 64:
        with suppress(ValueError):
            key = bytes.fromhex(identifier)
            if key.hex() == identifier:
                return key
    return identifier
