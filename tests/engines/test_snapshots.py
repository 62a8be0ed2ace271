"""Several SQLite files, all of one moment, while others write to them."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tearsheet.engines.snapshots import frozen, is_sqlite
from tearsheet.errors import BusyError, StorageError


def counter(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("CREATE TABLE counter (value INTEGER)")
    connection.execute("INSERT INTO counter VALUES (0)")
    return connection


def value(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (found,) = connection.execute("SELECT value FROM counter").fetchone()
        return int(found)


def test_what_is_written_later_is_not_in_it(tmp_path):
    a, b = counter(tmp_path / "a"), counter(tmp_path / "b")

    def count_on() -> None:
        a.execute("UPDATE counter SET value = value + 1")

    with closing(a), closing(b), frozen([tmp_path / "a", tmp_path / "b"]) as snapshots:
        for connection in (a, b):
            connection.execute("UPDATE counter SET value = 7")
        for snapshot in snapshots:
            snapshot.copy_to(tmp_path / f"{snapshot.path.name}.copy", count_on)
    assert value(tmp_path / "a.copy") == value(tmp_path / "b.copy") == 0
    assert is_sqlite(tmp_path / "a.copy")


def test_all_files_are_of_one_moment(tmp_path):
    """Whoever counts on in one file and then in the other is never seen to have skipped the first."""
    a, b = counter(tmp_path / "a"), counter(tmp_path / "b")
    stop = threading.Event()

    def count() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            for connection in (a, b):
                connection.execute("UPDATE counter SET value = ?", (number,))

    writer = threading.Thread(target=count)
    writer.start()
    try:
        for turn in range(20):
            with frozen([tmp_path / "b", tmp_path / "a"]) as snapshots:
                for snapshot in snapshots:
                    snapshot.copy_to(tmp_path / f"{snapshot.path.name}{turn}")
            assert value(tmp_path / f"b{turn}") <= value(tmp_path / f"a{turn}") <= value(tmp_path / f"b{turn}") + 1
    finally:
        stop.set()
        writer.join()
        a.close()
        b.close()


def test_nothing_is_written_in_the_meanwhile(tmp_path):
    with closing(counter(tmp_path / "a")) as a:
        a.execute("PRAGMA busy_timeout = 0")

        def write() -> None:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                a.execute("UPDATE counter SET value = 1")

        with frozen([tmp_path / "a"], write):
            a.execute("UPDATE counter SET value = 2")
    assert value(tmp_path / "a") == 2


def test_a_writer_that_needs_both_files_gets_its_turn(tmp_path, monkeypatch):
    """It has one and waits for the other, as we do the other way round: we are the ones to give way."""
    monkeypatch.setattr("tearsheet.engines.snapshots._LOCK_SECONDS", 0.0)
    with closing(counter(tmp_path / "a")) as a, closing(counter(tmp_path / "b")) as b:
        a.execute("BEGIN IMMEDIATE")

        def give_way(seconds: float) -> None:
            if a.in_transaction:
                b.execute("UPDATE counter SET value = 1")
                a.execute("COMMIT")

        with frozen([tmp_path / "b", tmp_path / "a"], pause=give_way) as snapshots:
            snapshots[0].copy_to(tmp_path / "copy")
    assert value(tmp_path / "copy") == 1


def test_a_writer_that_never_lets_go_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("tearsheet.engines.snapshots._LOCK_SECONDS", 0.0)
    with closing(counter(tmp_path / "a")) as a:
        a.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError, match="held by another process"), frozen([tmp_path / "a"], pause=lambda _: None):
            raise AssertionError("not reached")


def test_what_is_no_database_is_an_error(tmp_path):
    (tmp_path / "a").write_bytes(b"SQLite format 3\x00" + b"not really" * 100)
    with pytest.raises(StorageError, match="cannot be copied"), frozen([tmp_path / "a"]):
        raise AssertionError("not reached")
    (tmp_path / "b").write_bytes(b"text")
    assert is_sqlite(tmp_path / "a") and not is_sqlite(tmp_path / "b")
