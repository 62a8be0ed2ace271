"""What the guards of conftest.py refuse, and what they let pass."""

from __future__ import annotations

import os
import socket
import sqlite3
from pathlib import Path

import pytest

from tests.support.chromium import NO_BROWSER
from tests.support.guards import DiskUsed, NetworkUsed
from tests.support.left_out import left_out
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
