from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tearsheet.pipeline.queuers.bookmark import Bookmark, Mark

IDS = st.lists(st.text(max_size=3), max_size=8)


@given(IDS, IDS)
def test_a_mark_is_reached_again_by_the_same_stories(before, after):
    first, second = Bookmark(), Bookmark()
    first.move(before)
    rest = iter([*before, *after])
    assert second.reaches(first.mark, rest) == bool(before)
    assert list(rest) == after or not before, "and not by one story more"


@given(IDS.filter(len), IDS)
def test_a_mark_is_not_reached_by_others(before, other):
    first = Bookmark()
    first.move(before)
    if other[: len(before)] != before:
        assert not Bookmark().reaches(first.mark, other)


def test_a_mark_is_known_by_number_and_digest():
    moved = Bookmark()
    moved.move(["a", "b"])
    assert moved.mark.stories == 2
    assert not Bookmark().reaches(Mark(2, "x"), ["a", "b"])
