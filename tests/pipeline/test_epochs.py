"""Which version of a page belongs to an id that was used twice."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tearsheet.engines.blobs.port import BlobInfo
from tearsheet.pipeline.epochs import FIRST_DOUBTFUL, LAST_DOUBTFUL, NoSuchEpoch, is_doubtful, pick_version


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def version(name: str, modified: str) -> BlobInfo:
    return BlobInfo("k", 1, day(modified), name)


NEW, OLD = version("new", "2022-01-02 10:00"), version("old", "2021-10-02 10:00")


def test_the_doubtful_ids():
    assert [is_doubtful(n) for n in (FIRST_DOUBTFUL - 1, FIRST_DOUBTFUL, LAST_DOUBTFUL, LAST_DOUBTFUL + 1)] == [
        False, True, True, False,
    ]  # fmt: skip
    assert (FIRST_DOUBTFUL, LAST_DOUBTFUL) == (3211617605, 3257240456)


@pytest.mark.parametrize(
    ("collected", "picked"),
    [
        ("2021-09-15", "old"), ("2021-10-02", "old"), ("2021-11-11 23:59:59", "old"),
        ("2021-12-26", "new"), ("2022-01-01", "new"), ("2022-01-25 23:59:59", "new"),
    ],
)  # fmt: skip
def test_the_version_of_the_epoch_is_picked(collected, picked):
    assert pick_version([NEW, OLD], day(collected)).version == picked


@pytest.mark.parametrize("collected", ["2021-09-14 23:59", "2021-11-12", "2021-12-25", "2022-01-26"])
def test_a_time_when_the_id_was_not_in_use_is_an_error(collected):
    with pytest.raises(NoSuchEpoch, match="not in use"):
        pick_version([NEW, OLD], day(collected))


def test_a_version_of_the_wrong_epoch_is_never_taken():
    with pytest.raises(NoSuchEpoch, match="the versions are of 2022-01-02"):
        pick_version([NEW], day("2021-10-01"))


def test_of_several_in_one_epoch_the_newest_is_taken_also_when_it_was_stored_a_little_later():
    later = version("later", "2021-11-12 00:10")
    assert pick_version([NEW, later, OLD], day("2021-11-11 23:50")).version == "later"


def test_nobody_knows_when():
    assert pick_version([NEW, OLD], None) is NEW
