"""Reading jobs for threads: the same processes and limits as in an event loop."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tearsheet.work.outcomes import Quarantine
from tearsheet.work.waiting_reader import WaitingReader
from tests.support.reading_jobs import OBEY, Task, Told


def test_many_threads_wait_for_their_own_answers_and_failures():
    before = set(threading.enumerate())
    reader = WaitingReader(2, 30.0)
    try:
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(lambda size: reader.read(OBEY, Task("fill", size=size)), (10, 20, 30, 40)))
        assert answers == [[Told(str(size))] for size in (10, 20, 30, 40)]
        with pytest.raises(Quarantine):
            reader.read(OBEY, Task("crash"))
        assert reader.read(OBEY, Task("fill", size=5)) == [Told("5")]
    finally:
        reader.close()
    assert not any(thread.name == "reading jobs" for thread in set(threading.enumerate()) - before)


def test_one_that_nobody_used_has_nothing_to_close():
    WaitingReader(2, 30.0).close()
