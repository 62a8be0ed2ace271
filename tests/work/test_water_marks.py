from __future__ import annotations

import pytest

from tearsheet.engines.broker.port import Depth
from tearsheet.work.water_marks import SOON_SECONDS, WaterMarks, at_hand, waiting

NOW = 1_000_000.0


def test_stops_at_the_high_mark_and_starts_below_the_low_one():
    marks = WaterMarks(low=3, high=6)
    said = [marks.may_go([depth]) for depth in (0, 5, 6, 5, 3, 2, 5)]
    assert said == [True, True, False, False, False, True, True]


def test_a_queuer_starts_below_the_low_mark_only():
    marks = WaterMarks(low=3, high=6, stopped=True)
    assert [marks.may_go([depth]) for depth in (5, 3, 2, 5, 6)] == [False, False, True, True, False]
    assert WaterMarks(low=0, high=6, stopped=True).may_go([0]), "nothing is as low as it gets"


@pytest.mark.parametrize(
    ("depth", "count"),
    [
        (Depth(ready=2, leased=3), 5),
        (Depth(leased=3, delayed=4, next_due=NOW + SOON_SECONDS), 7),
        (Depth(leased=3, delayed=4, next_due=NOW + SOON_SECONDS + 1), 3),
        (Depth(delayed=4, next_due=NOW - 1), 4),
    ],
)
def test_later_tries_are_not_at_hand(depth, count):
    assert at_hand(depth, NOW) == count
    assert waiting(depth, NOW) == count - depth.leased


def test_the_fullest_queue_decides():
    assert not WaterMarks(low=3, high=6).may_go([0, 9])
    assert WaterMarks(low=3, high=6).may_go([])
