"""Questions that one person waits for have the time of one question together."""

from __future__ import annotations

import time

import pytest

from tearsheet.engines.index.deadline import one_deadline, seconds_left
from tearsheet.engines.index.turns import Turns
from tearsheet.errors import BusyError


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_each_question_by_itself_has_all_of_the_time(clock):
    assert seconds_left(2) == 2
    clock[0] += 5
    assert seconds_left(2) == 2


def test_questions_together_share_it(clock):
    with one_deadline():
        assert seconds_left(2) == 2
        clock[0] += 1.5
        with one_deadline():
            assert seconds_left(2) == 0.5
        assert seconds_left(2) == 0.5
        clock[0] += 1.5
        assert 0 < seconds_left(2) < 0.01, "0 would mean any time"
    assert seconds_left(2) == 2


def test_no_deadline_stays_none(clock):
    with one_deadline():
        clock[0] += 5
        assert seconds_left(0) == 0


def test_the_wait_for_a_turn_counts_too(monkeypatch):
    turns, waits = Turns(1, 1, 60), []

    def acquire(*, timeout: float) -> bool:
        waits.append(timeout)
        return False

    monkeypatch.setattr(turns._free, "acquire", acquire)
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with one_deadline():
        now[0] += 59
        with pytest.raises(BusyError), turns.turn():
            pytest.fail("there is no turn")
    with pytest.raises(BusyError), turns.turn():
        pytest.fail("there is no turn")
    assert waits == [1, 60]
