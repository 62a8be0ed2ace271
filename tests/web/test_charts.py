"""Charts are drawn as text that can be read."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tearsheet.web import charts

DAYS = st.dates(date(2020, 1, 1), date(2027, 1, 1))


@given(st.dictionaries(DAYS, st.integers(1, 10**7), max_size=60), st.integers(1, 90))
def test_a_window_has_no_gaps_and_loses_no_story(counts, days):
    today = date(2026, 11, 15)
    window = charts.last_days([(day.isoformat(), count) for day, count in counts.items()], today, days)
    assert sum(count for _, count in window.points) + window.earlier + window.later == sum(counts.values())
    assert len(window.points) in (0, days)
    assert [day for day, _ in window.points] == sorted(day for day, _ in window.points)


@given(st.dictionaries(DAYS, st.integers(0, 10**7), min_size=1, max_size=30))
def test_a_chart_is_well_formed_and_has_a_bar_for_each_point(counts):
    points = [(day.isoformat(), count) for day, count in sorted(counts.items())]
    tree = etree.fromstring(str(charts.bar_chart(points, 'A "label" <&>')))
    assert tree.get("aria-label") == 'A "label" <&>'
    bars = tree.findall("g")
    assert len(bars) == len(points)
    heights = [float(bar.findall("rect")[1].attrib["height"]) for bar in bars]
    assert all(0 <= height <= 150 for height in heights)
    by_count = [height for _, height in sorted(zip((count for _, count in points), heights, strict=True))]
    assert by_count == sorted(heights)


@pytest.mark.parametrize(("highest", "top"), [(1, 1), (3, 5), (10, 10), (11, 20), (4_999, 5_000), (5_001, 10_000)])
def test_an_axis_ends_at_a_round_number(highest, top):
    assert charts.nice_top(highest) == top


@pytest.mark.parametrize(
    ("interval", "expected"),
    [("day", 32), ("week", 5), ("month", 2)],
)
def test_gaps_are_filled(interval, expected):
    first = {"day": "2026-10-05", "week": "2026-10-05", "month": "2026-10-01"}[interval]
    last = {"day": "2026-11-05", "week": "2026-11-02", "month": "2026-11-01"}[interval]
    points = charts.filled([(last, 2), (first, 1)], interval)
    assert len(points) == expected
    assert (points[0], points[-1]) == ((first, 1), (last, 2))


@pytest.mark.parametrize(("days", "interval"), [(30, "day"), (365, "week"), (3000, "month")])
def test_a_long_period_is_drawn_coarsely(days, interval):
    first = date(2015, 1, 1)
    assert charts.interval_for(first, date.fromordinal(first.toordinal() + days)) == interval
