"""A database that restarts under a run: whichever transaction is broken off, the run goes on, and its outcome is the same."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from tearsheet.demo import Newsroom, serve_in_thread
from tearsheet.engines import BrokenOff
from tearsheet.engines.database.sqlite import SqliteDatabase
from tearsheet.work import Supervisor
from tests.support.demo_outcome import check
from tests.support.tearsheet_command import in_process, write_config

Transaction = Callable[[SqliteDatabase], AbstractContextManager[Any]]


class Breaker:
    """Breaks off the first transaction of each function that has one, at its very end: all that it did is taken back."""

    def __init__(self) -> None:
        self.armed = False
        self.broken: list[str] = []

    def around(self, transaction: Transaction) -> Transaction:
        @contextmanager
        def breaking(database: SqliteDatabase) -> Iterator[Any]:
            place = _caller()
            with transaction(database) as connection:
                yield connection
                if self.armed and place not in self.broken:
                    self.broken.append(place)
                    raise BrokenOff(f"the transaction of {place} was broken off")

        return breaking


def _caller() -> str:
    """The function of the program that asked for a transaction, with its caller: one function may serve several."""
    frame = sys._getframe(2)
    names: list[str] = []
    while frame.f_back and len(names) < 2:
        frame = frame.f_back
        _, inside, path = frame.f_code.co_filename.rpartition("/tearsheet/")
        if inside:
            names.append(f"{path} {frame.f_code.co_name}")
    return ", for ".join(names)


@pytest.fixture
def breaker(monkeypatch) -> Breaker:
    breaker, run = Breaker(), Supervisor.run

    async def armed_run(*arguments: Any, **options: Any) -> None:
        breaker.armed = True
        try:
            await run(*arguments, **options)
        finally:
            breaker.armed = False

    monkeypatch.setattr(SqliteDatabase, "begin", breaker.around(SqliteDatabase.begin))
    monkeypatch.setattr(SqliteDatabase, "read", breaker.around(SqliteDatabase.read))
    monkeypatch.setattr(Supervisor, "run", armed_run)
    return breaker


def test_each_transaction_of_a_run_may_be_broken_off_once(tmp_path, breaker):
    newsroom = Newsroom(seed=4, articles=40)
    with serve_in_thread(newsroom) as server:
        write_config(tmp_path, server, newsroom)
        assert in_process("feeds", "add", *(feed.url for feed in server.feed_urls()), data=tmp_path).exit_code == 0
        done = in_process("run", "--once", "--no-web", data=tmp_path)
    assert done.exit_code == 0, done.output
    modules = {place.partition(" ")[0] for place in breaker.broken}
    assert modules >= {
        "archive/store.py", "archive/erased.py", "feeds/polling/record.py", "feeds/polling/store.py",
        "feeds/polling/story_store.py", "fetch/store.py", "work/announce.py", "work/ledger_writing.py", "work/stage_times.py",
    }  # fmt: skip
    check(tmp_path, newsroom)
