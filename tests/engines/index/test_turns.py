"""A few at a time, a few that wait, and the rest are told."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import pytest

from tearsheet.engines.index.turns import Turns
from tearsheet.errors import BusyError


def test_nobody_waits_longer_than_allowed():
    turns = Turns(1, 5, 0.01)
    with turns.turn(), pytest.raises(BusyError, match="try again"), turns.turn():
        pytest.fail("there is no second turn")
    with turns.turn():
        pass


def test_those_for_whom_there_is_no_place_are_told_at_once():
    turns = Turns(2, 3, 60)
    done: list[int] = []

    def wait(number: int) -> None:
        with turns.turn():
            done.append(number)

    with ExitStack() as held:
        held.enter_context(turns.turn())
        held.enter_context(turns.turn())
        waiting = [threading.Thread(target=wait, args=(number,)) for number in range(3)]
        for thread in waiting:
            thread.start()
        while turns._places._value:
            pass
        with pytest.raises(BusyError), turns.turn():
            pytest.fail("there is no place")
        assert done == []
    for thread in waiting:
        thread.join()
    assert sorted(done) == [0, 1, 2]


def test_a_turn_ends_with_its_error():
    turns = Turns(1, 0, 0.01)
    for _ in range(3):
        with pytest.raises(ValueError, match="mine"), turns.turn():
            raise ValueError("mine")
