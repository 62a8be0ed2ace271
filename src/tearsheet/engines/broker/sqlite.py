"""The broker port on one SQLite file, shared by any number of processes on one machine.

It rests on two ideas. *Group commit*: all calls that arrive during a transaction form the next one (`sqlite_commits`), so that many
settlements cost one sync. *Holders*: a lease belongs to a broker object, which holds a lock on a
its own file for as long as its process lives; the kernel frees the lock when the process dies, so that others see at
once which leases no longer have a living holder.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple, cast

import msgspec

from tearsheet.clock import Clock, wall_clock
from tearsheet.engines.broker.port import Depth, Lease, Message, Output, Settlement
from tearsheet.engines.broker.sqlite_commits import CommitThread
from tearsheet.engines.broker.sqlite_pages import PageLocation, PageSpool
from tearsheet.engines.explaining import explained
from tearsheet.engines.holders import Holder
from tearsheet.engines.scrubbing import scrub_file
from tearsheet.engines.write_ahead import keep_log
from tearsheet.errors import BusyError, EngineError

SCHEMA_VERSION = 1
_POLL_SECONDS = 0.25
"""How often a waiting consumer checks for delays that ended and for messages from other processes."""
_RECLAIM_SECONDS = 2.0
"""How often to check for leases of dead processes."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS queues (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, due REAL NOT NULL, holder TEXT,
    redelivered INTEGER NOT NULL DEFAULT 0, key TEXT NOT NULL, headers BLOB NOT NULL, page INTEGER);
CREATE INDEX IF NOT EXISTS messages_waiting ON messages (queue, due, id) WHERE holder IS NULL;
CREATE INDEX IF NOT EXISTS messages_held ON messages (holder) WHERE holder IS NOT NULL;
-- Apart from the messages, so that taking and moving one does not rewrite its body.
CREATE TABLE IF NOT EXISTS bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
-- A page is written once, to the spool, and shared by all messages that carry it on.
CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY, refs INTEGER NOT NULL, segment TEXT NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS pages_of_segment ON pages (segment);
"""

_CONTENT = (
    "body, headers, key, segment, offset, length"
    " FROM messages JOIN bodies ON bodies.id = messages.id LEFT JOIN pages ON pages.id = messages.page"
)


class SqliteBroker:
    """Queues in a file. It need not be opened inside an event loop: every call uses the caller's."""

    def __init__(self, path: Path, *, clock: Clock = wall_clock) -> None:
        self._path = path
        self._clock = clock
        self._known_queues: set[str] = set()
        self._arrivals: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._last_reclaim = 0.0
        self._holder = Holder(path.with_name(path.name + "-holders"))
        self._spool = PageSpool(path.with_name(path.name + "-pages"), self._holder.name)
        self._dead_segments: list[str] = []
        self._connection = self._connect()
        self._reclaim_if_possible()
        self._drop_dead_segments()
        self._thread = CommitThread(
            self._connection, self._spool.sync, self._drop_dead_segments, self._forget_failed, self._explain
        )
        self._run = self._thread.run

    # ------------------------------------------------------------------------------------------------- the port

    async def publish(self, outputs: Sequence[Output]) -> None:
        """Store all messages in one transaction."""
        if outputs:
            await self._run(lambda db: self._insert(db, outputs))
            self._announce(outputs)

    async def lease(self, queue: str, limit: int, wait: float = 0.0) -> list[Lease]:
        """Take up to `limit` messages that are due, oldest first."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait
        while True:
            arrival = self._arrivals[queue]
            arrival.clear()
            leases = await self._run(lambda db: self._take(db, queue, limit))
            remaining = deadline - loop.time()
            if leases or remaining <= 0:
                return leases
            try:
                await asyncio.wait_for(arrival.wait(), min(remaining, _POLL_SECONDS))
            except TimeoutError:
                continue

    async def settle(self, settlements: Sequence[Settlement]) -> None:
        """Store the outputs and delete the originals in one transaction."""
        if settlements:
            await self._run(lambda db: self._settle(db, settlements))
            self._announce([output for settlement in settlements for output in settlement.outputs])

    async def release(self, leases: Sequence[Lease]) -> None:
        """Return messages unprocessed."""
        ids = [(lease.token.message,) for lease in leases]
        if ids:
            await self._run(lambda db: db.executemany("UPDATE messages SET holder = NULL WHERE id = ?", ids))
            for name in {lease.queue for lease in leases}:
                self._arrivals[name].set()

    async def depths(self) -> dict[str, Depth]:
        """Every queue with its depth."""
        return await self._run(self._count)

    async def oldest(self) -> dict[str, float]:
        """When the first ready message of each queue was due."""
        return await self._run(self._first_due)

    async def peek(self, queue: str, limit: int) -> list[Message]:
        """The messages that nobody holds, in the order in which they are due."""
        return await self._run(lambda db: self._look(db, queue, limit))

    async def hasten(self, queue: str, limit: int | None = None) -> int:
        """Make delayed messages due now, the first ones first."""
        chosen = "SELECT id FROM messages WHERE queue = :queue AND holder IS NULL AND due > :now ORDER BY due, id LIMIT :limit"
        values = {"now": self._clock(), "queue": queue, "limit": -1 if limit is None else limit}
        sql = f"UPDATE messages SET due = :now WHERE id IN ({chosen})"  # noqa: S608 - a constant
        moved = await self._run(lambda db: db.execute(sql, values).rowcount)
        self._arrivals[queue].set()
        return moved

    async def purge(self, queue: str) -> int:
        """Delete what is not leased."""
        return await self._run(lambda db: self._delete_messages(db, "queue = ? AND holder IS NULL", queue))

    async def delete(self, queue: str) -> int:
        """Delete the queue and everything in it."""

        def remove(db: sqlite3.Connection) -> int:
            removed = self._delete_messages(db, "queue = ?", queue)
            db.execute("DELETE FROM queues WHERE name = ?", (queue,))
            self._known_queues.discard(queue)
            return removed

        return await self._run(remove)

    async def scrub(self) -> None:
        """Overwrite the pages that no message carries, and rewrite the file. Raises BusyError while other processes use it."""

        def others(db: sqlite3.Connection) -> list[str]:
            self._reclaim(db)
            owners = {owner for _, owner in self._spool.segments()}
            return [owner for owner in owners if owner != self._holder.name and self._holder.is_alive(owner)]

        if await self._run(others):
            raise BusyError(f"the queues in {self._path} are in use by another process: stop it first")
        await self._run(self._blank_unused)
        await asyncio.to_thread(self._rewrite)

    async def close(self) -> None:
        """Return leases and close the file."""
        if self._thread.stopped:
            return
        await self._thread.stop()
        # On a full disk the next process takes the leases back: our lock is gone.
        with suppress(sqlite3.Error, OSError):
            self._connection.execute("UPDATE messages SET holder = NULL WHERE holder = ?", (self._holder.name,))
            self._spool.close()
            self._find_dead_segments(self._connection)
            self._drop_dead_segments()
        self._connection.close()
        self._holder.close()

    # --------------------------------------------------------------------------------------- statements, in the thread

    def _insert(self, db: sqlite3.Connection, outputs: Sequence[Output], origin: Lease | None = None) -> None:
        now = self._clock()
        for output in outputs:
            self._ensure_queue(db, output.queue)
            message = output.message
            page = self._keep_page(db, message.page, origin)
            row = (output.queue, now + output.delay, message.key, msgspec.msgpack.encode(message.headers), page)
            new = db.execute("INSERT INTO messages (queue, due, key, headers, page) VALUES (?, ?, ?, ?, ?)", row)
            db.execute("INSERT INTO bodies VALUES (?, ?)", (new.lastrowid, message.body))

    def _keep_page(self, db: sqlite3.Connection, page: bytes, origin: Lease | None) -> int | None:
        if not page:
            return None
        if origin is not None and page is origin.message.page:
            return cast(int, origin.token.page)
        location = self._spool.append(page)
        return db.execute("INSERT INTO pages (refs, segment, offset, length) VALUES (1, ?, ?, ?)", location).lastrowid

    def _take(self, db: sqlite3.Connection, queue: str, limit: int) -> list[Lease]:
        self._reclaim_now_and_then(db)
        rows = db.execute(
            f"SELECT messages.id, page, redelivered, {_CONTENT} WHERE queue = ? AND holder IS NULL AND due <= ?"
            " ORDER BY due, messages.id LIMIT ?",
            (queue, self._clock(), limit),
        ).fetchall()
        db.executemany("UPDATE messages SET holder = ? WHERE id = ?", [(self._holder.name, row[0]) for row in rows])
        return [
            Lease(queue, self._message(*content), _Token(number, page), bool(redelivered))
            for number, page, redelivered, *content in rows
        ]

    def _settle(self, db: sqlite3.Connection, settlements: Sequence[Settlement]) -> None:
        for settlement in settlements:
            lease, outputs = settlement.lease, settlement.outputs
            if len(outputs) == 1 and _same_content(outputs[0].message, lease.message):
                self._move(db, lease, outputs[0])
            else:
                self._insert(db, outputs, lease)
                db.execute("DELETE FROM bodies WHERE id = ?", (lease.token.message,))
                db.execute("DELETE FROM messages WHERE id = ?", (lease.token.message,))
                carriers = sum(output.message.page is lease.message.page for output in outputs)
                self._change_refs(db, lease.token.page, carriers - 1)

    def _move(self, db: sqlite3.Connection, lease: Lease, output: Output) -> None:
        """Change the row's queue and due time: a retry, a requeue or a quarantine does not change the body."""
        self._ensure_queue(db, output.queue)
        db.execute(
            "UPDATE messages SET queue = ?, due = ?, headers = ?, key = ?, holder = NULL, redelivered = 0 WHERE id = ?",
            (
                output.queue,
                self._clock() + output.delay,
                msgspec.msgpack.encode(output.message.headers),
                output.message.key,
                lease.token.message,
            ),
        )

    def _count(self, db: sqlite3.Connection) -> dict[str, Depth]:
        depths = {name: Depth() for (name,) in db.execute("SELECT name FROM queues ORDER BY name")}
        rows = db.execute(
            "SELECT queue, sum(holder IS NULL AND due <= :now), sum(holder IS NOT NULL), sum(holder IS NULL AND due > :now),"
            " min(CASE WHEN holder IS NULL AND due > :now THEN due END) FROM messages GROUP BY queue",
            {"now": self._clock()},
        )
        return depths | {name: Depth(*counts) for name, *counts in rows}

    def _first_due(self, db: sqlite3.Connection) -> dict[str, float]:
        # One look into the index for each queue: a GROUP BY would read all of it.
        first = "SELECT min(due) FROM messages WHERE queue = queues.name AND holder IS NULL AND due <= ?"
        rows = db.execute(f"SELECT name, ({first}) FROM queues", (self._clock(),))  # noqa: S608 - a constant
        return {name: due for name, due in rows if due is not None}

    def _look(self, db: sqlite3.Connection, queue: str, limit: int) -> list[Message]:
        rows = db.execute(
            f"SELECT {_CONTENT} WHERE queue = ? AND holder IS NULL ORDER BY due, messages.id LIMIT ?", (queue, limit)
        ).fetchall()
        return [self._message(*row) for row in rows]

    def _message(self, body: bytes, headers: bytes, key: str, segment: str | None, offset: int, length: int) -> Message:
        page = b"" if segment is None else self._spool.read(PageLocation(segment, offset, length))
        return Message(body, msgspec.msgpack.decode(headers), key, page)

    def _delete_messages(self, db: sqlite3.Connection, condition: str, value: str) -> int:
        """Delete the messages that meet a condition, their bodies, and the pages that no other message carries."""
        chosen = f"FROM messages WHERE {condition}"
        used = db.execute(f"SELECT page, count(*) {chosen} AND page IS NOT NULL GROUP BY page", (value,)).fetchall()
        db.execute(f"DELETE FROM bodies WHERE id IN (SELECT id {chosen})", (value,))  # noqa: S608 - a constant condition
        removed = db.execute(f"DELETE {chosen}", (value,)).rowcount
        for page, count in used:
            self._change_refs(db, page, -count)
        return removed

    def _change_refs(self, db: sqlite3.Connection, page: int | None, change: int) -> None:
        if page is not None and change:
            db.execute("UPDATE pages SET refs = refs + ? WHERE id = ?", (change, page))
            db.execute("DELETE FROM pages WHERE id = ? AND refs <= 0", (page,))

    def _ensure_queue(self, db: sqlite3.Connection, name: str) -> None:
        if name not in self._known_queues:
            db.execute("INSERT OR IGNORE INTO queues VALUES (?)", (name,))
            self._known_queues.add(name)

    # ------------------------------------------------------------------------------------------ leases of the dead

    def _reclaim_now_and_then(self, db: sqlite3.Connection) -> None:
        now = self._clock()
        if not 0 <= now - self._last_reclaim < _RECLAIM_SECONDS:
            self._last_reclaim = now
            self._reclaim(db)

    def _reclaim_if_possible(self) -> None:
        """On a full disk the queues can still be read; whoever leases from them tries again and is told."""
        try:
            self._reclaim(self._connection)
        except sqlite3.OperationalError:
            self._forget_failed()
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _reclaim(self, db: sqlite3.Connection) -> None:
        holders = db.execute("SELECT DISTINCT holder FROM messages WHERE holder IS NOT NULL").fetchall()
        for (holder,) in holders:
            if holder != self._holder.name and not self._holder.is_alive(holder):
                db.execute("UPDATE messages SET holder = NULL, redelivered = 1 WHERE holder = ?", (holder,))
                self._holder.forget(holder)
        self._find_dead_segments(db)

    def _find_dead_segments(self, db: sqlite3.Connection) -> None:
        """Note the segments of whose pages no message carries any. They are deleted when that is committed, and not before."""
        for segment, owner in self._spool.segments():
            own = owner == self._holder.name
            in_use = segment == self._spool.current if own else self._holder.is_alive(owner)
            if not in_use and not db.execute("SELECT 1 FROM pages WHERE segment = ? LIMIT 1", (segment,)).fetchone():
                self._dead_segments.append(segment)

    def _drop_dead_segments(self) -> None:
        """Delete whole segments. What is committed stays so: one that cannot be deleted now is found again."""
        dead, self._dead_segments = self._dead_segments, []
        for segment in dead:
            with suppress(OSError):
                self._spool.drop(segment)

    def _rewrite(self) -> None:
        try:
            with closing(sqlite3.connect(self._path, timeout=30.0, isolation_level=None)) as own:
                scrub_file(own, self._path)
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _blank_unused(self, db: sqlite3.Connection) -> None:
        for segment, _ in self._spool.segments():
            used = db.execute(
                "SELECT offset, length FROM pages WHERE segment = ? ORDER BY offset", (segment,)
            ).fetchall()
            self._spool.blank_all_but(segment, used)

    def _forget_failed(self) -> None:
        """A transaction was undone."""
        self._dead_segments.clear()
        self._known_queues.clear()

    # ------------------------------------------------------------------------------------------ the file and its errors

    def _connect(self) -> sqlite3.Connection:
        try:
            db = sqlite3.connect(self._path, timeout=30.0, isolation_level=None, check_same_thread=False)
            db.execute("PRAGMA page_size = 8192")
            keep_log(db)
            for pragma in ("synchronous = FULL", "wal_autocheckpoint = 4000", "cache_size = -16384"):
                db.execute(f"PRAGMA {pragma}")
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version > SCHEMA_VERSION:
                raise EngineError(
                    f"{self._path} was written by a newer tearsheet (version {version}): upgrade tearsheet"
                )
            db.executescript(_SCHEMA)
            db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        except sqlite3.Error as error:
            raise self._explain(error) from error
        return db

    def _announce(self, outputs: Sequence[Output]) -> None:
        for name in {output.queue for output in outputs if not output.delay}:
            self._arrivals[name].set()

    def _explain(self, error: sqlite3.Error | OSError) -> Exception:
        return explained(error, self._path, f"the queues in {self._path} cannot be written")


class _Token(NamedTuple):
    """The rows behind a lease."""

    message: int
    page: int | None


def _same_content(one: Message, other: Message) -> bool:
    """Whether at most headers and key differ. Compares by identity: comparing the bytes would cost what it saves."""
    return one.body is other.body and one.page is other.page
