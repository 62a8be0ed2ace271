"""The rhythm of a feed: what is learned from the times of its entries, and when it is asked again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.feeds.polling.rhythm import Rhythm, best_minutes, learn, read_rhythm, rhythm_text, typical_minutes

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)  # a Monday
LONGEST = 1440.0


def every(hours: float, count: int, until: datetime = NOW) -> list[datetime]:
    return [until - timedelta(hours=hours * (number + 0.5)) for number in range(count)]


def morning_paper(days: int = 28) -> Rhythm:
    """Ten stories at ten past six on every working day, and none else."""
    dates = [
        (NOW - timedelta(days=day)).replace(hour=6, minute=10 + story)
        for day in range(1, days)
        for story in range(10)
        if (NOW - timedelta(days=day)).weekday() < 5
    ]
    return learn(None, dates, len(dates), 20, NOW)


def test_the_first_document_tells_how_much_a_feed_publishes() -> None:
    rhythm = learn(None, every(2, 20), 20, 20, NOW)
    assert rhythm.is_known
    assert 7 < rhythm.stories_a_day < 13
    old = learn(None, [NOW - timedelta(days=day) for day in (1, 40, 300, 700)], 4, 4, NOW)
    assert old.stories == 1  # of what is older it may have dropped some
    assert old.days == 28


def test_a_document_without_dates_tells_nothing_at_first_and_something_later() -> None:
    rhythm = learn(None, [], 20, 20, NOW)
    assert not rhythm.is_known
    for day in range(1, 4):
        rhythm = learn(rhythm, [], 4, 20, NOW + timedelta(days=day))
    assert rhythm.is_known
    assert 2.5 < rhythm.stories_a_day < 4.5


def test_a_site_that_was_rebuilt_is_not_taken_for_a_torrent() -> None:
    assert learn(None, [NOW] * 20, 20, 20, NOW).stories_a_day < 30


def test_old_habits_fade() -> None:
    rhythm = learn(None, every(1, 100), 100, 100, NOW)
    before = rhythm.stories_a_day
    for day in range(1, 57):
        rhythm = learn(rhythm, [], 0, 0, NOW + timedelta(days=day))
    assert rhythm.stories_a_day < before / 20
    assert rhythm.room == 100


def test_what_came_and_went_unseen_is_reckoned_with() -> None:
    """Ten entries of the last hour, all new after ten hours: about a hundred came."""
    rhythm = learn(None, every(6, 10), 10, 10, NOW)
    later = NOW + timedelta(hours=10)
    seen = learn(rhythm, every(0.1, 10, later), 10, 10, later)
    assert seen.stories - rhythm.stories > 80


def test_an_hour_that_is_not_stated_is_not_midnight() -> None:
    dates = [(NOW - timedelta(days=day)).replace(hour=0, minute=0) for day in range(10)]
    assert sum(learn(None, dates, 10, 10, NOW).hours) == 0


def test_a_poll_comes_when_the_paper_is_out() -> None:
    """And not before, and neither at night nor on Sunday."""
    rhythm = morning_paper()
    evening = NOW.replace(hour=20)
    when = evening + timedelta(minutes=best_minutes(rhythm, evening, 10, LONGEST))
    assert when.date() == evening.date() + timedelta(days=1)
    assert 6 <= when.hour <= 8
    saturday = NOW + timedelta(days=5)
    assert best_minutes(rhythm, saturday, 10, LONGEST) >= 18 * 60


def test_a_day_on_which_nobody_looked_is_not_taken_for_silent() -> None:
    rhythm = learn(None, every(0.5, 48 * 4), 200, 300, NOW)  # four days
    waits = [best_minutes(rhythm, NOW + timedelta(days=day), 10, LONGEST) for day in range(7)]
    assert max(waits) == pytest.approx(min(waits))


def test_a_busy_hour_is_polled_more_often_than_a_quiet_one() -> None:
    dates = [
        (NOW - timedelta(days=day)).replace(hour=hour, minute=30)
        for day in range(1, 28)
        for hour in range(24)
        for _ in range(6 if 8 <= hour < 20 else 1)
    ]
    rhythm = learn(None, dates, len(dates), 1000, NOW)
    busy = best_minutes(rhythm, NOW.replace(hour=10), 10, LONGEST)
    quiet = best_minutes(rhythm, NOW.replace(hour=22), 10, LONGEST)
    assert busy * 1.5 < quiet


def test_a_short_document_is_read_before_it_overflows() -> None:
    dates = every(0.2, 600)  # 120 a day
    long, short = (learn(None, dates, len(dates), room, NOW) for room in (500, 6))
    assert best_minutes(short, NOW, 10, LONGEST) < best_minutes(long, NOW, 10, LONGEST)
    assert best_minutes(short, NOW, 10, LONGEST) <= 6 * 12 / 2


def test_a_publishers_wish_is_granted_unless_stories_would_be_missed() -> None:
    dates = every(0.2, 600)
    assert best_minutes(learn(None, dates, 600, 500, NOW), NOW, 10, LONGEST, wished=120) >= 120
    assert best_minutes(learn(None, dates, 600, 6, NOW), NOW, 10, LONGEST, wished=120) < 120


def test_twice_the_eagerness_is_half_the_interval() -> None:
    rhythm = learn(None, every(4, 100), 100, 1000, NOW)
    assert typical_minutes(rhythm, 2.0) == pytest.approx(typical_minutes(rhythm, 1.0) / 2)
    assert best_minutes(rhythm, NOW, 1, LONGEST, eagerness=2.0) == pytest.approx(
        best_minutes(rhythm, NOW, 1, LONGEST) / 2, rel=0.2
    )


counts = st.floats(0, 1e5)
rhythms = st.builds(
    Rhythm,
    at=st.just(NOW),
    stories=counts,
    days=st.floats(0, 100),
    hours=st.lists(counts, min_size=24, max_size=24).map(tuple),
    weekdays=st.lists(counts, min_size=7, max_size=7).map(tuple),
    room=st.integers(0, 50_000),
)


@given(rhythms, st.integers(0, 20_000), st.floats(1, 700), st.floats(0, 2000), st.floats(0.0, 100))
def test_the_limits_hold_whatever_was_seen(rhythm, minutes, shortest, wished, eagerness) -> None:
    now = NOW + timedelta(minutes=minutes, seconds=minutes % 60)
    assert shortest <= best_minutes(rhythm, now, shortest, LONGEST, wished, eagerness) <= LONGEST
    assert typical_minutes(rhythm, eagerness) > 0


@given(rhythms)
def test_it_comes_out_of_the_database_as_it_went_in(rhythm) -> None:
    again = read_rhythm(rhythm_text(rhythm))
    assert again is not None
    assert again.hours == pytest.approx(rhythm.hours, abs=1e-3)
    assert (again.at, again.room, len(again.weekdays)) == (rhythm.at, rhythm.room, 7)


@pytest.mark.parametrize("text", [None, "", "x", "[1]", "{}", '["2026-01-01", 1]'])
def test_what_is_no_rhythm_is_none(text) -> None:
    assert read_rhythm(text) is None
