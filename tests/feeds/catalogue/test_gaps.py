"""Days on which a source brought far fewer stories than usual."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tearsheet.feeds.catalogue.gaps import Gap, find_gaps

WEEK = [10, 12, 11, 10, 12, 4, 0]
"""Monday to Sunday of a paper that rests on Sundays."""


def test_a_regular_source_has_no_gaps():
    assert find_gaps(WEEK * 8, 7) == []


def test_days_without_stories_are_one_gap_and_resting_days_are_none():
    counts = WEEK * 4
    counts[22:25] = [0, 1, 0]
    assert find_gaps(counts, 7) == [Gap(22, 24, 1, 12 + 11 + 10)]


def test_a_source_that_fell_silent_stays_a_gap():
    gaps = find_gaps(WEEK * 3 + [0] * 70, 7)
    assert gaps[0].first == 21
    assert gaps[-1].last >= 21 + 70 - 2  # the last day is a Sunday
    assert all(gap.stories == 0 for gap in gaps)


def test_a_source_that_became_slower_is_soon_usual_that_way():
    gaps = find_gaps([40] * 42 + [4] * 140, 7)
    assert gaps[0].first == 42
    assert gaps[-1].last < 42 + 6 * 7


def test_what_stands_before_the_first_story_is_not_known():
    assert find_gaps([0] * 30 + WEEK * 3, 7) == []


def test_where_little_is_usual_nothing_is_missing():
    assert find_gaps([2, 1, 2, 2] * 20 + [0] * 30, 7) == []


def test_weeks_are_compared_with_weeks():
    assert find_gaps([5, 6, 5, 0, 0, 6], 1) == [Gap(3, 4, 0, 10)]


@given(st.lists(st.integers(0, 50), max_size=120), st.sampled_from([1, 7]))
def test_gaps_are_apart_in_order_and_far_below_what_is_usual(counts, season):
    gaps = find_gaps(counts, season)
    for gap in gaps:
        assert gap.stories == sum(counts[gap.first : gap.last + 1])
        assert gap.stories < gap.usual / 4
    assert all(one.last + 1 < other.first for one, other in pairwise(gaps))
