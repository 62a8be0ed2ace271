"""The same title within the window is the same story, in whatever order the stories come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tearsheet.feeds.polling.title_window import TitleWindow

NOW = datetime(2026, 11, 15, tzinfo=UTC)


@given(st.lists(st.integers(0, 60), max_size=30))
def test_a_title_is_had_before_exactly_within_the_window(days: list[int]) -> None:
    window, kept = TitleWindow(7), list[int]()
    for day in days:
        near = any(abs(day - other) < 7 for other in kept)
        assert window.has("title", "source 1", NOW + timedelta(days=day)) is near
        if not near:
            kept.append(day)
            window.add("title", "source 1", NOW + timedelta(days=day))


def test_titles_count_for_their_source_only() -> None:
    window = TitleWindow(7)
    window.add("title", "source 1", NOW)
    assert window.has("title", "source 1", NOW)
    assert not window.has("title", "source 2", NOW) and not window.has("other", "source 1", NOW)
