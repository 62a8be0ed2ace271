from __future__ import annotations

from tearsheet.work.water_marks import WaterMarks


def test_stops_at_the_high_mark_and_starts_below_the_low_one():
    marks = WaterMarks(low=3, high=6)
    said = [marks.may_go([depth]) for depth in (0, 5, 6, 5, 3, 2, 5)]
    assert said == [True, True, False, False, False, True, True]


def test_the_fullest_queue_decides():
    assert not WaterMarks(low=3, high=6).may_go([0, 9])
    assert WaterMarks(low=3, high=6).may_go([])
