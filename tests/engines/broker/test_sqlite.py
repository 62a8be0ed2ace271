"""What only the SQLite broker promises: it survives kill -9 at any moment, and several processes share its file."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tearsheet.engines.broker.port import Message, Output, Settlement
from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.errors import EngineError, StorageError
from tests.support.leftovers import places_of

FORWARDER = """
import asyncio, sys
from pathlib import Path
from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.broker import Message
from tearsheet.engines.broker import Output
from tearsheet.engines.broker import Settlement

async def main():
    broker = SqliteBroker(Path(sys.argv[1]))
    print("up", flush=True)
    while True:
        leases = await broker.lease("a", 7, wait=5)
        await broker.settle([
            Settlement(l, (Output("b", Message(l.message.body + b"!", page=l.message.page)),)) for l in leases
        ])

asyncio.run(main())
"""


def start_forwarder(path: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", FORWARDER, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    return process


def test_killed_again_and_again_nothing_is_lost_and_nothing_is_settled_twice(tmp_path):
    path = tmp_path / "q.db"
    total = 600

    async def fill() -> None:
        broker = SqliteBroker(path)
        await broker.publish([Output("a", Message(str(n).encode(), page=b"p" * 3000)) for n in range(total)])
        await broker.close()

    async def harvest() -> list[bytes]:
        broker = SqliteBroker(path)
        held = await broker.lease("b", 10 * total)
        await broker.close()
        return [lease.message.body for lease in held]

    asyncio.run(fill())
    chance = random.Random(7)
    for _ in range(8):
        process = start_forwarder(path)
        time.sleep(chance.uniform(0, 0.05))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    process = start_forwarder(path)
    try:
        deadline = time.monotonic() + 60
        while len(done := asyncio.run(harvest())) < total and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        process.kill()
        process.communicate()
    assert sorted(done, key=lambda body: int(body[:-1])) == [f"{n}!".encode() for n in range(total)]
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*), sum(refs) FROM pages").fetchone() == (total, total)
    db.close()


def test_pages_that_nobody_carries_any_more_leave_the_disk(tmp_path):
    def stored() -> int:
        return sum(path.stat().st_size for path in (tmp_path / "q.db-pages").iterdir())

    async def scenario() -> None:
        broker = SqliteBroker(tmp_path / "q.db")
        await broker.publish([Output("q", Message(b"x", page=b"p" * 50_000)) for _ in range(4)])
        leases = await broker.lease("q", 3)
        await broker.settle([Settlement(lease) for lease in leases])
        await broker.close()
        assert stored() == 4 * 50_000  # one of them is still carried
        broker = SqliteBroker(tmp_path / "q.db")
        (lease,) = await broker.lease("q", 1)
        assert lease.message.page == b"p" * 50_000
        await broker.settle([Settlement(lease)])
        await broker.close()
        assert stored() == 0

    asyncio.run(scenario())


def test_leases_of_a_killed_process_come_back_at_once_and_are_marked(tmp_path):
    path = tmp_path / "q.db"
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            FORWARDER.replace("await broker.settle", "print('held', flush=True); await asyncio.sleep(99)"),
            path,
        ],
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None

    async def scenario() -> None:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"up\n"
        broker = SqliteBroker(path)
        await broker.publish([Output("a", Message(b"x"))])
        await asyncio.to_thread(holder.stdout.readline)
        assert await broker.lease("a", 1) == []
        holder.kill()
        holder.wait()
        (lease,) = await broker.lease("a", 1, wait=20)
        assert lease.redelivered
        await broker.settle([Settlement(lease)])
        await broker.close()

    try:
        asyncio.run(scenario())
    finally:
        holder.kill()
        holder.communicate()


def test_a_file_of_a_newer_program_is_refused(tmp_path):
    path = tmp_path / "q.db"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(EngineError, match="newer"):
        SqliteBroker(path)


def test_a_full_disk_is_one_clear_error_and_loses_nothing(tmp_path):
    async def scenario() -> None:
        broker = SqliteBroker(tmp_path / "q.db")
        await broker.publish([Output("q", Message(b"kept"))])
        await broker._run(lambda db: db.execute("PRAGMA max_page_count = 30"))
        with pytest.raises(StorageError, match="free some disk space"):
            await broker.publish([Output("q", Message(b"x" * 1_000_000))])
        assert [lease.message.body for lease in await broker.lease("q", 5)] == [b"kept"]
        await broker.close()

    asyncio.run(scenario())


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(StorageError, match="file"):
        SqliteBroker(blocked / "q.db")


def test_scrubbing_leaves_nothing_of_settled_messages_in_any_file(tmp_path):
    def message(word: str) -> Message:
        return Message(f"{word}body".encode(), {"what": f"{word}head"}, f"{word}key", f"{word}page ".encode() * 100)

    async def scenario() -> None:
        broker = SqliteBroker(tmp_path / "queues.db")
        await broker.publish([Output("q", message("qwertyuiop")), Output("q", message("stays"))])
        leases = await broker.lease("q", 2)
        await broker.settle([Settlement(leases[0])])
        await broker.release(leases[1:])
        assert len(places_of(tmp_path, "qwertyuiop")) >= 2
        await broker.scrub()
        assert places_of(tmp_path, "qwertyuiop") == []
        assert (await broker.lease("q", 2))[0].message == message("stays")
        await broker.close()

    asyncio.run(scenario())


def test_a_page_stays_until_the_settlement_that_lets_go_of_it_is_safe(tmp_path):
    """Of a transaction that is undone, or that a kill cuts short, nothing must have left the disk."""

    async def scene() -> None:
        first = SqliteBroker(tmp_path / "q.db")
        await first.publish([Output("in", Message(b"body", page=b"page"))])
        await first.close()
        broker = SqliteBroker(tmp_path / "q.db")
        (lease,) = await broker.lease("in", 1)
        sync, broker._last_reclaim = broker._spool.sync, 0.0

        def fail() -> None:
            raise OSError(28, "No space left on device")

        def settle_and_lease(db: sqlite3.Connection) -> None:
            broker._settle(db, [Settlement(lease)])
            broker._take(db, "in", 1)

        broker._thread._before_commit = fail
        with pytest.raises(StorageError):
            await broker._run(settle_and_lease)
        broker._thread._before_commit = sync
        await broker.release([lease])
        (again,) = await broker.lease("in", 1)
        assert again.message.page == b"page"
        broker._last_reclaim = 0.0
        await broker._run(settle_and_lease)
        await broker.close()
        assert list((tmp_path / "q.db-pages").iterdir()) == []

    asyncio.run(scene())


def test_on_a_full_disk_the_queues_can_be_read_and_a_lease_says_why_it_cannot_be_had(tmp_path, monkeypatch):
    path = tmp_path / "q.db"

    async def fill() -> None:
        broker = SqliteBroker(path)
        await broker.publish([Output("a", Message(b"1"))])
        await broker.close()

    async def look() -> None:
        broker = SqliteBroker(path)
        try:
            assert (await broker.depths())["a"].ready == 1
            assert [message.body for message in await broker.peek("a", 5)] == [b"1"]
            with pytest.raises(StorageError, match=r"cannot be written .*disk is full"):
                await broker.lease("a", 1)
        finally:
            await broker.close()

    asyncio.run(fill())

    def full(_: SqliteBroker, __: sqlite3.Connection) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(SqliteBroker, "_reclaim", full)
    asyncio.run(look())
