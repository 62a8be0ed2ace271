"""An answer is kept for ten times what it cost, and made by one at a time."""

from __future__ import annotations

import threading

from tearsheet.web.remember import Remembered
from tests.support.patience import PATIENCE


def test_an_answer_is_kept_in_proportion_to_its_cost():
    now = 100.0
    made = []

    def make() -> int:
        nonlocal now
        now += 2.0
        made.append(now)
        return len(made)

    remembered: Remembered[int] = Remembered(lambda: now)
    assert [remembered.get(make) for _ in range(3)] == [1, 1, 1]
    now += 19.9
    assert remembered.get(make) == 1
    now += 0.2
    assert remembered.get(make) == 2


def test_many_who_ask_at_once_cost_no_more_than_one():
    made = []
    started, go_on = threading.Event(), threading.Event()

    def make() -> int:
        made.append(1)
        started.set()
        go_on.wait(PATIENCE)
        return len(made)

    remembered: Remembered[int] = Remembered(lambda: float(go_on.is_set()))
    threads = [threading.Thread(target=remembered.get, args=(make,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert started.wait(PATIENCE)
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(made) == 1
