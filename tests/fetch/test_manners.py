"""The rules of politeness, as pure functions."""

from dataclasses import replace
from itertools import pairwise
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.fetch.manners import (
    LONGEST_BLOCK,
    LONGEST_PROMISE,
    SLACK,
    HostRules,
    HostState,
    Refusal,
    Start,
    answered,
    by_present_clock,
    earliest,
    failed,
    failing_for,
    interval,
    promise,
    retry_after_seconds,
    rules_for,
    take_turn,
)
from tearsheet.settings import FetchSettings

NOW = 1_700_000_000.0
RULES = HostRules(per_host=2, interval=2.0)
seconds = st.floats(0, 200)
events = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["reserve", "begin", "late"]), seconds, st.just(0), st.none()),
        st.tuples(st.just("fail"), seconds, st.just(0), st.none()),
        st.tuples(
            st.just("answer"), seconds, st.sampled_from([200, 304, 404, 429, 500, 503]), st.none() | st.floats(0, 1e6)
        ),
    ),
    max_size=40,
)


@given(events)
def test_starts_keep_their_distance_and_wait_as_told(steps):
    state, now, last_reserved, last_begun, told = HostState(), NOW, None, None, 0.0
    for kind, pause, status, retry_after in steps:
        now += pause
        if kind in ("reserve", "begin", "late"):
            state = replace(state, failed_until=0.0)
            queued, ready = kind == "late", kind != "reserve"
            state, turn = take_turn(state, RULES, now, hold=inf, queued=queued, ready=ready)
            assert isinstance(turn, Start)
            assert turn.at >= max(now, told)
            assert turn.begun == (ready and turn.at - now <= SLACK)
            if not queued:
                assert last_reserved is None or turn.at - last_reserved >= RULES.interval - 1e-6
                last_reserved = turn.at
            if turn.begun:
                assert last_begun is None or now - last_begun >= RULES.interval - 2 * SLACK
                last_begun = now
        elif kind == "fail":
            state = failed(state, now)
            assert 0 < failing_for(state, RULES, now) <= 3600
        else:
            state = answered(state, RULES, now, status=status, seconds=pause, retry_after=retry_after)
            assert failing_for(state, RULES, now) == 0
            if status in (429, 503) and retry_after:
                told = max(told, now + min(retry_after, LONGEST_BLOCK))
        assert interval(state, RULES) >= RULES.interval
        assert earliest(state, RULES, now) - now <= LONGEST_BLOCK + 900 * len(steps) + 1


def test_a_turn_far_off_is_refused_and_leaves_no_trace():
    busy = HostState(next_start=NOW + 20)
    assert take_turn(busy, RULES, NOW, hold=15, queued=False, ready=True) == (busy, Refusal(busy, 0.0))
    told = HostState(blocked_until=NOW + 20)
    assert take_turn(told, RULES, NOW, hold=15, queued=True, ready=True) == (told, Refusal(told, 0.0))
    down = HostState(failed_until=NOW + 5)
    assert take_turn(down, RULES, NOW, hold=15, queued=True, ready=True) == (down, Refusal(down, 5.0))


def test_who_waited_begins_before_those_who_come_now_and_nobody_too_early():
    state, first = take_turn(HostState(), RULES, NOW, hold=15, queued=False, ready=True)
    assert first == Start(NOW, True, 2.0)
    state, second = take_turn(state, RULES, NOW + 0.5, hold=15, queued=False, ready=True)
    assert second == Start(NOW + 2, False, 2.0)
    state, early = take_turn(state, RULES, NOW + 1.5, hold=15, queued=True, ready=True)
    assert early == Start(NOW + 2, False, 2.0)
    state, third = take_turn(state, RULES, NOW + 2, hold=15, queued=False, ready=True)
    assert third == Start(NOW + 4, False, 2.0)
    state, begun = take_turn(state, RULES, NOW + 2.7, hold=15, queued=True, ready=True)
    assert begun == Start(NOW + 2.7, True, 2.0) and state.started == NOW + 2.7
    state, late = take_turn(state, RULES, NOW + 4, hold=15, queued=True, ready=True)
    assert late == Start(NOW + 4.7, False, 2.0), "the second was late, so the third waits"


@pytest.mark.parametrize("ahead", [0.5, 60.0, 10 * 86_400.0])
def test_a_clock_that_was_set_back_moves_every_time_of_the_record(ahead):
    state, _ = take_turn(HostState(), RULES, NOW + ahead, hold=15, queued=False, ready=True)
    told = failed(answered(state, RULES, NOW + ahead, status=503, seconds=1, retry_after=100), NOW + ahead)
    now = by_present_clock(told, NOW)
    assert now.blocked_until - NOW == pytest.approx(100, abs=0.001)
    assert failing_for(now, RULES, NOW) == pytest.approx(failing_for(told, RULES, NOW + ahead), abs=0.001)
    assert earliest(by_present_clock(state, NOW), RULES, NOW) == pytest.approx(NOW + RULES.interval, abs=0.001)


def test_a_record_of_the_past_stays_as_it_is():
    state = HostState(next_start=NOW + 5, blocked_until=NOW + 50, updated=NOW)
    assert by_present_clock(state, NOW) is state
    assert by_present_clock(state, NOW + 1) is state


def test_the_interval_follows_how_fast_the_host_answers():
    state = HostState()
    assert interval(state, RULES) == 2.0
    for _ in range(20):
        state = answered(state, RULES, NOW, status=200, seconds=20.0)
    assert interval(state, RULES) == pytest.approx(10.0)
    for _ in range(30):
        state = answered(state, RULES, NOW, status=200, seconds=0.1)
    assert interval(state, RULES) == 2.0


def test_a_quick_refusal_does_not_make_a_slow_host_fast():
    slow = answered(HostState(), RULES, NOW, status=200, seconds=20.0)
    assert answered(slow, RULES, NOW, status=404, seconds=0.01).average == 20.0
    assert answered(slow, RULES, NOW, status=500, seconds=60.0).average == 30.0


def test_429_really_slows_down_and_wears_off():
    state, pauses = HostState(), []
    for _ in range(7):
        state = answered(state, RULES, NOW, status=429, seconds=0.1)
        pauses.append(interval(state, RULES))
        assert earliest(state, RULES, NOW) >= NOW + pauses[-1]
    assert pauses == [30, 60, 120, 240, 480, 900, 900]
    state = answered(state, RULES, NOW, status=404, seconds=0.1)
    assert interval(state, RULES) == 900, "an error is no sign of relief"
    good = 0
    while interval(state, RULES) > RULES.interval:
        before = interval(state, RULES)
        state = answered(state, RULES, NOW, status=200, seconds=0.1)
        assert interval(state, RULES) < before
        good += 1
    assert 10 < good < 40


def test_503_waits_only_when_told():
    assert earliest(answered(HostState(), RULES, NOW, status=503, seconds=0.1), RULES, NOW) < NOW + 3
    told = answered(HostState(), RULES, NOW, status=503, seconds=0.1, retry_after=300)
    assert earliest(told, RULES, NOW) == NOW + 300


def test_failing_hosts_are_spared_longer_each_time_until_they_answer():
    state, pauses = HostState(), []
    for _ in range(5):
        state = failed(state, NOW)
        pauses.append(failing_for(state, RULES, NOW))
    assert pauses == [60, 240, 960, 3600, 3600]
    assert failing_for(state, RULES, NOW + 3601) == 0
    state = answered(state, RULES, NOW, status=500, seconds=1)
    assert (state.failures, failing_for(state, RULES, NOW)) == (0, 0)


@given(st.integers(1, 400), st.floats(0.0, 50.0), st.floats(0, 5000))
def test_every_promise_is_a_moment_of_its_own(count, crawl_delay, blocked):
    state = HostState(crawl_delay=crawl_delay, blocked_until=NOW + blocked)
    gap = interval(state, RULES)
    promised, moments = 0.0, []
    for _ in range(count):
        after, promised = promise(state, RULES, NOW, promised)
        assert after >= earliest(state, RULES, NOW) - NOW
        assert after <= max(LONGEST_PROMISE, blocked) + 1e-3
        moments.append(after)
    spread = [later - sooner for sooner, later in pairwise(moments) if later < LONGEST_PROMISE]
    assert all(step >= gap - 1e-3 for step in spread) or blocked > LONGEST_PROMISE


def test_each_manner_can_be_switched_off():
    settings = FetchSettings(manners_off={"mine.example": "pace,robots", "all.example": "all"})
    assert rules_for("other.example", settings).off == frozenset()
    assert rules_for("notmine.example", settings).off == frozenset()
    assert rules_for("www.mine.example", settings).off == {"pace", "robots"}
    assert rules_for("all.example", settings).off == {"pace", "robots", "retry-after", "failing"}
    assert rules_for("x.example", FetchSettings(obey_robots=False)).off == {"robots"}
    state = failed(HostState(next_start=NOW + 99, blocked_until=NOW + 50, crawl_delay=30), NOW)
    off = HostRules(off=frozenset({"pace"}))
    assert (interval(state, off), earliest(state, off, NOW)) == (0, NOW + 50)
    assert earliest(state, HostRules(off=frozenset({"pace", "retry-after"})), NOW) == NOW
    assert interval(state, HostRules(off=frozenset({"robots"}))) == 2.0
    assert interval(state, RULES) == 30
    assert failing_for(state, HostRules(off=frozenset({"failing"})), NOW) == 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("99999999999999", LONGEST_BLOCK),
        ("Tue, 14 Nov 2023 22:15:20 GMT", 120.0),
        ("Tue, 14 Nov 2023 22:15:20 -0000", 120.0),
        ("Tue, 14 Nov 2000 22:15:20 GMT", 0.0),
        ("Tue, 14 Nov 2033 22:15:20 GMT", LONGEST_BLOCK),
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("١٢", None),
    ],
)
def test_retry_after(value, expected):
    assert retry_after_seconds(value, NOW) == expected


@given(st.text())
def test_any_retry_after_is_bounded(text):
    assert 0 <= (retry_after_seconds(text, NOW) or 0) <= LONGEST_BLOCK
