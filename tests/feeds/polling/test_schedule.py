"""The schedule: the golden vectors of the original where the rules agree, and what must hold for every feed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.feeds.polling.rhythm import learn
from tearsheet.feeds.polling.schedule import (
    GONE_APART,
    HARD,
    SOFT,
    TEMPORARY,
    FeedState,
    PollOutcome,
    Rules,
    next_fetch,
    outside_skipped,
    spread_over_source,
)

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
RULES = Rules()
UNDEAD = Rules(disable_failing=False)


def state(poll: int | None = 360, *, early: int = 0, late: int = 0, new_days: float = 1, **more) -> FeedState:
    """A feed whose previous poll succeeded, on time unless said otherwise."""
    since = (poll or 360) - early + late
    values = {
        "last_fetch_success": NOW - timedelta(minutes=since),
        "last_new_stories": NOW - timedelta(days=new_days),
    } | more
    return FeedState(created_at=NOW - timedelta(days=400), poll_minutes=poll, **values)


def first(**more) -> FeedState:
    return FeedState(created_at=NOW, **more)


def found(added: int, duplicates: int) -> PollOutcome:
    return PollOutcome(added=added, duplicates=duplicates)


SAME = PollOutcome(unchanged=True)

GOLDEN = [
    ("first success, no hint", first(), found(5, 0), 360, 360),
    ("first success, sy => 30", first(update_minutes=30), found(5, 0), 30, 30),
    ("the feed's later word does not undo what was learned", state(update_minutes=60), found(5, 5), 360, 360),
    ("all duplicates, a new story yesterday", state(), found(0, 10), 370, 370),
    ("all duplicates, quiet for 40 days", state(new_days=40), found(0, 10), 420, 420),
    ("same hash, quiet for 40 days", state(new_days=40), SAME, 420, 420),
    ("same hash near the longest interval", state(1435), SAME, 1440, 1440),
    ("two of three known", state(), found(1, 2), 360, 360),
    ("seven of ten known", state(), found(3, 7), 370, 370),
    ("nearly all new", state(), found(9, 1), 300, 300),
    ("all new after long intervals", state(1000), found(10, 0), 360, 360),
    ("all new at 60 minutes", state(60), found(10, 0), 10, 10),
    ("all new at 60 minutes, the feed says 45", state(60, update_minutes=45), found(10, 0), 45, 45),
    ("all new, but 22 minutes late", state(late=22), found(10, 0), 360, 360),
    ("all known, but 30 minutes early", state(early=30), found(0, 10), 360, 360),
]

# Where the design differs from the original on purpose.
OURS = [
    ("all new", state(), found(10, 0), 180, 180),
    ("a floor that holds: sy => 2", first(update_minutes=2), found(5, 0), 10, 10),
    ("news never lengthens an interval", state(360, update_minutes=1440), found(10, 0), 360, 360),
]


@pytest.mark.parametrize(
    ("name", "before", "outcome", "minutes", "poll"), GOLDEN + OURS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_after_success(name, before, outcome, minutes, poll) -> None:
    decision = next_fetch(before, outcome, NOW, RULES, 0.0)
    assert decision.next_fetch_attempt == NOW + timedelta(minutes=minutes)
    assert decision.poll_minutes == poll
    assert decision.failures == 0
    assert decision.system_enabled
    assert decision.reason


@pytest.mark.parametrize(
    ("weight", "before", "minutes", "rules"),
    [
        (HARD, 0, 360, RULES), (HARD, 1, 720, RULES), (HARD, 4, 1440, RULES), (HARD, 29, 1440, UNDEAD),
        (HARD, 30, 11160, UNDEAD), (HARD, 199, 43200, UNDEAD),
        (SOFT, 0, 360, RULES), (SOFT, 1, 540, RULES), (TEMPORARY, 0, 360, RULES),
    ],
)  # fmt: skip
def test_back_off(weight, before, minutes, rules) -> None:
    decision = next_fetch(state(failures=before), PollOutcome(weight=weight), NOW, rules, 0.0)
    assert decision.next_fetch_attempt == NOW + timedelta(minutes=minutes)
    assert decision.failures == before + weight
    assert decision.poll_minutes == 360


@pytest.mark.parametrize(
    ("status", "retry_after", "before", "random", "minutes"),
    [
        (429, None, 0, 0.5, 390), (429, 14_400, 0, 0.5, 390),
        (503, 86_400, 0, 0.0, 1440), (503, 317_100, 0, 0.0, 1440),
        (503, 1_200_000, 30, 0.0, 10_980),  # the original shortens the back-off to a day here
        (503, 60, 0, 0.0, 360),
    ],
)  # fmt: skip
def test_retry_after_never_shortens(status, retry_after, before, random, minutes) -> None:
    outcome = PollOutcome(weight=SOFT, http_status=status, retry_after=retry_after)
    decision = next_fetch(state(failures=before), outcome, NOW, UNDEAD, random)
    assert decision.next_fetch_attempt == NOW + timedelta(minutes=minutes)


def test_a_feed_is_disabled_past_the_threshold() -> None:
    decision = next_fetch(state(failures=29.5), PollOutcome(weight=SOFT), NOW, RULES, 0.0)
    assert (decision.next_fetch_attempt, decision.system_enabled, decision.failures) == (None, False, 30)
    assert next_fetch(state(failures=29.25), PollOutcome(weight=SOFT), NOW, RULES, 0.0).system_enabled


def test_gone_is_believed_when_confirmed() -> None:
    gone = PollOutcome(weight=HARD, http_status=410)
    assert next_fetch(state(gone_seen=1), gone, NOW, RULES, 0.0).system_enabled
    decision = next_fetch(state(gone_seen=2), gone, NOW, RULES, 0.0)
    assert not decision.system_enabled
    assert "gone" in decision.reason


def test_gone_is_not_confirmed_by_polls_in_quick_succession() -> None:
    gone = PollOutcome(weight=HARD, http_status=410)
    feed, now = state(last_fetch_attempt=NOW - timedelta(days=1)), NOW
    counted = []
    for pause in (timedelta(minutes=1), timedelta(minutes=1), GONE_APART, GONE_APART):
        decision = next_fetch(feed, gone, now, RULES, 0.0)
        counted.append((decision.gone_seen, decision.system_enabled))
        feed, now = replace(feed, gone_seen=decision.gone_seen, last_fetch_attempt=now), now + pause
    assert counted == [(1, True), (1, True), (1, True), (2, True)]
    assert not next_fetch(feed, gone, now, RULES, 0.0).system_enabled
    assert next_fetch(feed, PollOutcome(), now, RULES, 0.0).gone_seen == 0


def test_the_administrators_interval_is_kept_apart() -> None:
    decision = next_fetch(state(admin_minutes=45), found(0, 10), NOW, RULES, 0.0)
    assert decision.next_fetch_attempt == NOW + timedelta(minutes=45)
    assert decision.poll_minutes == 370
    assert "own interval" in decision.reason
    failed = next_fetch(state(admin_minutes=45, failures=1), PollOutcome(weight=HARD), NOW, RULES, 0.0)
    assert failed.next_fetch_attempt == NOW + timedelta(minutes=90)


def test_http_freshness_is_a_floor() -> None:
    fresh = PollOutcome(added=5, duplicates=5, fresh_minutes=720)
    decision = next_fetch(state(), fresh, NOW, RULES, 0.0)
    assert decision.next_fetch_attempt == NOW + timedelta(minutes=720)
    assert decision.poll_minutes == 360
    short = next_fetch(state(), PollOutcome(added=5, duplicates=5, fresh_minutes=5), NOW, RULES, 0.0)
    assert short.next_fetch_attempt == NOW + timedelta(minutes=360)


def test_skipped_hours_and_days_are_skipped() -> None:
    outcome = PollOutcome(added=5, duplicates=5, skip_hours=frozenset({18, 19}), skip_days=frozenset({6}))
    decision = next_fetch(state(), outcome, NOW, RULES, 0.0)  # a Sunday; 18:00 would be next
    assert decision.next_fetch_attempt == datetime(2026, 11, 16, 0, 0, tzinfo=UTC)
    assert "skip" in decision.reason


hours = st.frozensets(st.integers(0, 23))
states = st.builds(
    FeedState,
    created_at=st.just(NOW - timedelta(days=300)),
    failures=st.floats(0, 200).map(lambda f: round(f * 4) / 4),
    poll_minutes=st.none() | st.integers(1, 5000),
    update_minutes=st.none() | st.integers(1, 1440),
    last_fetch_success=st.none() | st.timedeltas(timedelta(0), timedelta(days=90)).map(lambda d: NOW - d),
    last_new_stories=st.none() | st.timedeltas(timedelta(0), timedelta(days=90)).map(lambda d: NOW - d),
    gone_seen=st.integers(0, 3),
)
outcomes = st.builds(
    PollOutcome,
    weight=st.sampled_from([0.0, HARD, SOFT, TEMPORARY]),
    added=st.integers(0, 2000),
    duplicates=st.integers(0, 2000),
    unchanged=st.booleans(),
    http_status=st.sampled_from([None, 200, 304, 404, 410, 429, 503]),
    retry_after=st.none() | st.floats(0, 1e9),
    fresh_minutes=st.none() | st.integers(1, 1440),
    skip_hours=hours,
    skip_days=st.frozensets(st.integers(0, 6)),
)
dice = st.floats(0, 1)


@given(states, outcomes, dice, st.booleans())
def test_what_holds_for_every_poll(before, outcome, random, disable) -> None:
    rules = Rules(disable_failing=disable)
    decision = next_fetch(before, outcome, NOW, rules, random)
    assert decision.failures == (before.failures + outcome.weight if outcome.weight else 0)
    if decision.next_fetch_attempt is None:
        assert not decision.system_enabled
        return
    minutes = (decision.next_fetch_attempt - NOW).total_seconds() / 60
    assert minutes >= rules.min_minutes  # the floor
    if outcome.retry_after and outcome.weight:
        assert minutes >= min(outcome.retry_after / 60, 1440) - 1e-6  # what the server asked for
    still = next_fetch(before, outcome, NOW, rules, 0.0)
    assert still.next_fetch_attempt is not None
    shift = (decision.next_fetch_attempt - still.next_fetch_attempt).total_seconds() / 60
    skips = bool(outcome.skip_hours or outcome.skip_days)
    assert shift >= 0  # jitter is never early ...
    assert skips or shift <= 60  # ... and bounded
    if not outcome.weight:
        assert decision.poll_minutes is not None
        assert rules.min_minutes <= decision.poll_minutes <= rules.max_minutes


@given(states, st.sampled_from([HARD, SOFT, TEMPORARY]))
def test_back_off_never_shrinks_with_failures(before, weight) -> None:
    rules = Rules(disable_failing=False)
    pauses = []
    for failures in range(0, 60, 3):
        now = FeedState(before.created_at, failures, before.poll_minutes, before.update_minutes)
        when = next_fetch(now, PollOutcome(weight=weight), NOW, rules, 0.0).next_fetch_attempt
        assert when is not None
        pauses.append(when)
    assert pauses == sorted(pauses)


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)).map(lambda d: d.replace(tzinfo=UTC)),
    hours,
    st.frozensets(st.integers(0, 6)),
)
def test_skipping_ends_at_the_first_moment_that_is_allowed(when, skip_hours, skip_days) -> None:
    moved = outside_skipped(when, skip_hours, skip_days)
    assert moved >= when
    if len(skip_hours) < 24 and len(skip_days) < 7:
        assert moved.hour not in skip_hours
        assert moved.weekday() not in skip_days
        assert moved == when or moved.minute == 0


@given(st.integers(1, 20_000), dice)
def test_fetch_soon_spreads_a_source_over_at_most_three_hours(count, random) -> None:
    times = [spread_over_source(number, count, NOW, random) for number in (0, count - 1)]
    assert NOW <= times[0] <= times[1] <= NOW + timedelta(hours=3, seconds=1)


@pytest.mark.parametrize("random", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("dated", [False, True])
def test_a_feed_that_is_all_new_reaches_its_shortest_interval_within_six_polls(random, dated) -> None:
    """Our own jitter makes none of its polls late."""
    before, now = FeedState(created_at=NOW), NOW
    intervals: list[int | None] = []
    while len(intervals) < 6:
        dates = [now - timedelta(minutes=minute) for minute in range(0, 20, 2)] if dated else []
        before = replace(before, rhythm=learn(before.rhythm, dates, 10, 10, now))
        decision = next_fetch(before, found(10, 0), now, RULES, random)
        assert decision.next_fetch_attempt is not None
        intervals.append(decision.poll_minutes)
        before = replace(
            before, poll_minutes=decision.poll_minutes, last_fetch_success=now, last_new_stories=now,
            planned_at=decision.next_fetch_attempt,
        )  # fmt: skip
        now = decision.next_fetch_attempt
    assert intervals[-1] == RULES.min_minutes


def test_our_own_jitter_makes_no_poll_late_and_a_busy_host_does() -> None:
    jittered = state(late=30, planned_at=NOW)
    assert next_fetch(jittered, found(9, 1), NOW, RULES, 0.0).poll_minutes == 300
    put_off = state(late=90, planned_at=NOW)
    assert next_fetch(put_off, found(9, 1), NOW, RULES, 0.0).poll_minutes == 360


def test_max_age_can_be_ignored() -> None:
    fresh = PollOutcome(added=10, fresh_minutes=1440)
    obeyed = next_fetch(state(), fresh, NOW, RULES, 0.0)
    ignored = next_fetch(state(), fresh, NOW, Rules(obey_max_age=False), 0.0)
    assert obeyed.next_fetch_attempt == NOW + timedelta(days=1)
    assert ignored.next_fetch_attempt == NOW + timedelta(minutes=180)


@pytest.mark.parametrize("wish", [-5, 9_999_999_999, -(10**18), 10**18])
def test_an_interval_that_makes_no_sense_stops_nobody(wish) -> None:
    for outcome in (found(1, 1), PollOutcome(weight=HARD)):
        decision = next_fetch(state(admin_minutes=wish), outcome, NOW, RULES, 1.0)
        assert decision.next_fetch_attempt is not None
        assert timedelta(minutes=1) <= decision.next_fetch_attempt - NOW <= timedelta(days=31)


def test_a_known_rhythm_sets_the_hour_and_the_limits_hold() -> None:
    dates = [NOW - timedelta(minutes=7 * number) for number in range(500)]
    busy = replace(state(), rhythm=learn(None, dates, 500, 500, NOW))
    decision = next_fetch(busy, found(5, 495), NOW, RULES, 0.0)
    assert decision.next_fetch_attempt is not None
    assert timedelta(minutes=10) <= decision.next_fetch_attempt - NOW < timedelta(minutes=120)
    assert "rhythm" in decision.reason
    silent = replace(state(), rhythm=learn(learn(None, [], 0, 9, NOW - timedelta(days=300)), [], 0, 9, NOW))
    assert next_fetch(silent, SAME, NOW, RULES, 0.0).next_fetch_attempt == NOW + timedelta(minutes=1440)
