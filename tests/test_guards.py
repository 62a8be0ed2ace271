"""What the guards of conftest.py refuse, and what they let pass."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import sqlite3
import time
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture.providers import HypothesisProvider

from tests.support.chromium import NO_BROWSER
from tests.support.growth import assert_linear
from tests.support.guards import DiskUsed, NetworkUsed
from tests.support.left_out import left_out
from tests.support.loop_watch import allowed, unblocked_loop
from tests.support.paths import ROOT
from tests.support.servers import LEFT_OUT

FILE = ROOT / "written-by-a-test"


@pytest.mark.parametrize(
    "write",
    [
        lambda: FILE.write_text("x"),
        lambda: FILE.open("ab"),
        lambda: os.open(FILE, os.O_WRONLY | os.O_CREAT),
        lambda: sqlite3.connect(FILE),
    ],
)
def test_without_a_folder_nothing_is_written(write):
    with pytest.raises(DiskUsed, match="written-by-a-test"):
        write()
    assert not FILE.exists()


def test_reading_and_memory_are_no_disk():
    assert Path(__file__).read_text().startswith('"""')
    sqlite3.connect(":memory:").close()
    with open(os.devnull, "w") as nowhere:
        nowhere.write("x")


def test_with_a_folder_files_are_written(tmp_path):
    (tmp_path / "x").write_text("x")


@pytest.fixture
def folder_below(tmp_path):
    return tmp_path / "below"


def test_with_a_fixture_that_has_a_folder_files_are_written(folder_below):
    folder_below.mkdir()
    (folder_below / "x").write_text("x")


def test_nothing_beyond_this_machine_is_reached():
    with socket.socket() as connection, pytest.raises(NetworkUsed):
        connection.connect(("192.0.2.1", 80))
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("news.example", 80)


def test_a_run_says_what_it_left_out():
    assert left_out(["some other reason"]) == []
    assert left_out([f"{LEFT_OUT}kafka at x", f"{LEFT_OUT}kafka at x", f"{NO_BROWSER} at y"]) == [
        "engines left out, because they are not running: kafka (`make engines-up`)",
        "the pages in a browser left out, because there is none (`make browser`)",
    ]


async def compute(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_a_loop_that_computes_for_too_long_is_seen_in_every_thread():
    too_long = allowed() * 1.2
    with pytest.raises(AssertionError, match=r"blocked for 0\.\d+ s .*compute"), unblocked_loop():
        asyncio.run(compute(too_long))
    with pytest.raises(AssertionError, match="blocked"), unblocked_loop():
        thread = Thread(target=lambda: asyncio.run(compute(too_long)))
        thread.start()
        thread.join()


def test_many_short_turns_and_waiting_and_old_garbage_block_no_loop():
    async def gently() -> None:
        for _ in range(20):
            await compute(0.01)
            await asyncio.sleep(0)
        time.sleep(0.15)
        await asyncio.to_thread(lambda: asyncio.run(compute(0.02)))

    async def collect() -> None:
        until = time.thread_time() + 0.15
        while time.thread_time() < until:
            gc.collect()

    with unblocked_loop() as turns:
        asyncio.run(gently())
        asyncio.run(collect())
    assert turns.count > 20
    assert turns.longest >= 0.02


@pytest.mark.skipif(not settings().derandomize, reason="`make fuzz` draws from whatever is loaded")
def test_examples_do_not_depend_on_the_modules_that_other_tests_loaded():
    assert len(HypothesisProvider(None)._local_constants) == 0


def test_time_that_grows_with_the_square_of_the_input_is_found() -> None:
    with pytest.raises(AssertionError, match="time grows with the power"):
        assert_linear(lambda count: sum(range(count * count)), lambda count: count, 300)
    assert_linear(lambda count: sum(range(count * 300)), lambda count: count, 300)
