"""Two parts of a topic, told apart by their words."""

from __future__ import annotations

import math
from collections import Counter

import msgspec
import pytest

from tearsheet.errors import NotFoundError
from tearsheet.topics.snapshot.comparing import REST, Part, add_text, compared, parts_of


def numbers(part):
    return [int(id_) for id_ in part.stories]


def test_parts_are_foci_and_periods_by_their_names(frozen):
    even, rest, both = parts_of(frozen, "even", "")
    assert (numbers(even), rest.name, both) == ([2, 4, 8, 10, 14], REST, 0)
    assert numbers(rest) == [1, 3, 5, 7, 9, 11, 13, 15]
    week = "weekly-2024-01-01-2024-01-07"
    first, second, both = parts_of(frozen, week, "weekly-2024-01-08-2024-01-14-even")
    assert (numbers(first), numbers(second), both) == ([1, 2, 3, 4, 5, 7], [8, 10, 14], 0)


def test_stories_of_both_parts_count_in_neither(frozen):
    week = "weekly-2024-01-01-2024-01-07"
    first, second, both = parts_of(frozen, "even", week)
    assert (numbers(first), numbers(second), both) == ([8, 10, 14], [1, 3, 5, 7], 2)
    with pytest.raises(NotFoundError, match="has no stories of its own"):
        parts_of(frozen, "even", "overall")


def test_parts_in_one_language(frozen):
    stories = tuple(msgspec.structs.replace(one, language="de" if int(one.id) > 7 else "en") for one in frozen.stories)
    mixed = msgspec.structs.replace(frozen, stories=stories)
    first, rest, both = parts_of(mixed, "even", "", "de")
    assert (numbers(first), numbers(rest), both) == ([8, 10, 14], [9, 11, 13, 15], 0)
    with pytest.raises(NotFoundError, match="'even' has no stories of its own in 'fr'"):
        parts_of(mixed, "even", "", "fr")


def test_what_is_not_there_is_said(frozen):
    with pytest.raises(NotFoundError, match="no focus or period 'evn'; did you mean even"):
        parts_of(frozen, "evn", "")
    everything = msgspec.structs.replace(frozen, foci=())
    with pytest.raises(NotFoundError, match="'the rest' has no stories"):
        parts_of(everything, "overall", "")


def test_the_counts_are_shown_and_the_weight_is_as_published():
    first, other = Part("first", ["1", "2"]), Part("other", ["3"])
    add_text(first, "Dam dam", "the flood", names=False)
    add_text(first, "", "the dam", names=False)
    add_text(other, "Rain", "the flood the rain", names=False)
    assert (first.texts, first.words, first.stories_with["dam"]) == (2, Counter(dam=3, the=2, flood=1), 2)
    rows = compared(first, other, 10)
    assert [(row.word, row.more_in) for row in rows] == [
        ("dam", "first"), ("rain", "other"), ("the", "other"), ("flood", "other"),
    ]  # fmt: skip
    dam = rows[0]
    assert (dam.count, dam.other_count, dam.stories, dam.other_stories) == (3, 0, 2, 0)
    prior, weight = 3 * 5 / 11, 5  # the words of both, as much as the smaller part has
    odds = math.log((3 + prior) / (6 + weight - 3 - prior)) - math.log(prior / (5 + weight - prior))
    assert dam.log_odds == pytest.approx(odds, abs=5e-4)
    assert dam.z == pytest.approx(odds / math.sqrt(1 / (3 + prior) + 1 / prior), abs=5e-3)
    assert [row.word for row in compared(first, other, 1)] == ["dam", "rain"]


def test_names_are_counted_without_titles():
    part = Part("one", ["1"])
    add_text(part, "Flood Hits Town", "Yesterday the mayor met Angela Merkel.", names=True)
    assert part.words == {"Angela Merkel": 1}
