"""Below the floor of free disk nothing new is begun; with room again, it goes on."""

from __future__ import annotations

import logging
import shutil
from collections import namedtuple
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.errors import StorageError
from tearsheet.work.disk_floor import DiskFloor, fullest_disk, has_space, may_poll

Usage = namedtuple("Usage", "total used free")


def test_it_pauses_below_the_floor_and_goes_on_well_above_it():
    assert has_space(1_000, 1_000, paused=False)
    assert not has_space(999, 1_000, paused=False)
    assert not has_space(1_099, 1_000, paused=True), "what is freed by chance does not start it again"
    assert has_space(1_100, 1_000, paused=True)


@given(st.integers(0, 2**50), st.integers(0, 2**50))
def test_what_may_go_on_after_a_pause_may_go_on_without_one_and_feeds_are_polled_longest(free, floor):
    assert has_space(free, floor, paused=False) >= has_space(free, floor, paused=True)
    assert may_poll(free, floor) >= has_space(free, floor, paused=False)
    assert has_space(free, 0, paused=True)


@pytest.fixture
def free(monkeypatch) -> dict[str, int]:
    """How much is free, by the path of a disk."""
    disks = {"/": 10_000}
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(2**40, 0, disks.get(str(path), disks["/"])))
    return disks


def test_a_pause_and_its_end_are_told_once(free, caplog):
    caplog.set_level(logging.INFO, "tearsheet")
    floor = DiskFloor([Path("/")], 1_000_000)
    free["/"] = 900_000
    assert [floor.may_go() for _ in range(3)] == [False] * 3
    assert floor.told == (
        "only 1 MB are free at /, and storage.min_free_bytes is 1 MB: make room, or lower this setting"
    )
    assert floor.may_poll() and not floor.gave_up
    free["/"] = 2_000_000
    assert floor.may_go() and floor.told == ""
    assert [record.message.partition(":")[0] for record in caplog.records] == ["queuers pause", "queuers go on"]


def test_a_run_that_is_to_end_gives_up_when_its_patience_ends(free):
    now = [0.0]
    floor = DiskFloor([Path("/")], 1_000_000, patience=60, clock=lambda: now[0])
    assert not floor.may_go() and not floor.gave_up
    now[0] = 59.0
    assert not floor.may_go() and not floor.gave_up
    now[0] = 60.0
    assert [floor.gave_up, floor.told != ""] == [True, True]
    free["/"] = 2_000_000
    assert [floor.may_go(), floor.gave_up] == [True, False], "room just in time"


def test_the_fullest_disk_counts_and_a_place_that_is_not_there_yet_is_on_the_disk_above(free, tmp_path):
    free[str(tmp_path)] = 5
    disk = fullest_disk([Path("/"), tmp_path / "archive" / "new"])
    assert (disk.folder, disk.free) == (tmp_path / "archive" / "new", 5)


def test_without_a_floor_no_disk_is_asked(monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: pytest.fail("asked"))
    floor = DiskFloor([Path("/")], 0)
    assert floor.may_go() and floor.may_poll()


def test_a_disk_that_cannot_be_asked_is_an_error_of_one_line(monkeypatch):
    def broken(_: object) -> Usage:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(shutil, "disk_usage", broken)
    with pytest.raises(StorageError, match="cannot see how much disk is free: Input/output error"):
        DiskFloor([Path("/")], 1).may_go()
