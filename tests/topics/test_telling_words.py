import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.topics.telling_words import SURE, telling_words

COUNTS = st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.integers(0, 50), max_size=20)


def words_of(rows):
    return [row.word for row in rows]


def test_words_of_one_group_stand_at_its_end():
    rows = telling_words({"goal": 30, "the": 100, "match": 20}, {"vote": 30, "the": 100, "law": 20})
    assert words_of(rows) == ["goal", "match", "the", "law", "vote"]
    assert rows[0].z > SURE and rows[-1].z < -SURE
    assert rows[2].log_odds == pytest.approx(0)
    assert (rows[0].first, rows[0].second) == (30, 0)


def test_the_weight_is_that_of_the_formula():
    """Computed by hand: 30 words against 10, so the prior weighs 10, a quarter of 40."""
    [a, _] = telling_words({"a": 20, "b": 10}, {"a": 2, "b": 8})
    prior = 22 / 4
    of_first, of_second = (20 + prior) / (40 - 20 - prior), (2 + prior) / (20 - 2 - prior)
    assert a.word == "a"
    assert a.log_odds == pytest.approx(math.log(of_first / of_second))
    assert a.z == pytest.approx(a.log_odds / math.sqrt(1 / (20 + prior) + 1 / (2 + prior)))


def test_a_rare_word_tells_less_than_a_common_one_with_a_smaller_ratio():
    rows = telling_words({"rare": 2, "common": 300, "x": 700}, {"common": 100, "x": 900})
    assert words_of(rows)[0] == "common"
    by_word = {row.word: row for row in rows}
    assert by_word["rare"].log_odds > by_word["common"].log_odds
    assert by_word["rare"].z < SURE < by_word["common"].z


def test_words_below_the_threshold_count_in_the_sums_alone():
    first, second = {"goal": 30, "once": 1}, {"vote": 30, "the": 9}
    assert telling_words(first, second, at_least=2) == [
        row for row in telling_words(first, second) if row.word != "once"
    ]


def test_nothing_is_told_by_a_group_without_words():
    assert telling_words({}, {"a": 1}) == []
    assert telling_words({"a": 1}, {"a": 0}) == []


def test_a_single_word_tells_nothing():
    assert telling_words({"a": 3}, {"a": 5, "b": 0}) == []


@given(COUNTS, COUNTS)
def test_exchanging_the_groups_turns_the_order_around(first, second):
    there, back = telling_words(first, second), telling_words(second, first)
    assert {row.word: (row.first, row.second) for row in there} == {row.word: (row.second, row.first) for row in back}
    weights = {row.word: row.z for row in back}
    for row in there:
        assert math.isfinite(row.z)
        assert row.z == pytest.approx(-weights[row.word])
    assert [row.z for row in there] == sorted((row.z for row in there), reverse=True)
