"""A data folder that is destroyed while a pipeline works in it and a backup is made of it: every story comes back, once."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.support.backup_kills import Ordeal
from tests.support.blob_stores import S3Harness


@pytest.fixture(params=["a folder", pytest.param("a bucket", marks=pytest.mark.engine("s3"))])
def place(request, tmp_path) -> Iterator[str]:
    if request.param == "a folder":
        yield str(tmp_path / "place")
        return
    harness = S3Harness()
    harness.prepare(tmp_path)
    yield harness.url
    harness.remove()


def survive(ordeal: Ordeal, rounds: int) -> None:
    try:
        for _ in range(rounds):
            ordeal.lose_once()
        ordeal.finish()
    finally:
        ordeal.end()
    assert ordeal.restored == rounds


def test_a_lost_folder_comes_back(tmp_path, place):
    survive(Ordeal(tmp_path, place, 120, random.Random(3)), rounds=2)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_a_folder_that_is_lost_a_hundred_times_comes_back(tmp_path, place):
    ordeal = Ordeal(tmp_path, place, 2_000, random.Random(100))
    survive(ordeal, rounds=100)
    assert ordeal.kills["restore"] > 10


@pytest.mark.slow
@pytest.mark.kills
@pytest.mark.timeout(1_800)
def test_queuers_runs_backups_and_restores_are_killed_in_turn(tmp_path, kills):
    ordeal = Ordeal(tmp_path, str(tmp_path / "place"), 600, random.Random(15))
    try:
        for _ in range(15):
            ordeal.kill_queuer()
            ordeal.lose_once()
        ordeal.finish()
    finally:
        ordeal.end()
    kills.update(ordeal.kills)
    assert set(kills) == {"queuer", "run of a pipeline", "backup", "restore"} and min(kills.values()) > 0
