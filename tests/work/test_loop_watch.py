"""How long a loop was blocked is known to it, and told when it was long."""

from __future__ import annotations

import asyncio
import logging
import selectors
import time

import pytest

from tearsheet.work.confine import Limits
from tearsheet.work.loop_watch import LoopWatch, WatchedLoop, _WatchingSelector, process_watch, watch_of
from tearsheet.work.outcomes import Quarantine
from tearsheet.work.pool import ProcessPool
from tests.support.prober import BUILDER


def test_a_long_turn_is_a_block_and_waiting_is_none(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("tearsheet.work.loop_watch.perf_counter", lambda: now[0])
    monkeypatch.setattr(selectors.DefaultSelector, "select", lambda _, wait: now.__setitem__(0, now[0] + wait) or [])

    async def main() -> None:
        for seconds in (0.05, 0.3, 0.09, 0.2):
            now[0] += seconds
            await asyncio.sleep(0)

    loop = WatchedLoop()
    loop.run_until_complete(main())
    loop.close()
    assert loop.watch.blocks == 2
    assert [loop.watch.blocked_seconds, loop.watch.longest] == pytest.approx([0.5, 0.3])
    assert loop.watch.late_seconds == 0


@pytest.mark.parametrize("timeout", [None, 0, 0.05, 3600])
def test_a_loop_that_is_not_let_run_is_late(monkeypatch, timeout):
    now, waits = [1000.0], iter([0.0, 0.05, 0.5, 0.09, 0.3])
    monkeypatch.setattr("tearsheet.work.loop_watch.perf_counter", lambda: now[0])
    monkeypatch.setattr(
        selectors.DefaultSelector, "select", lambda _, wait: now.__setitem__(0, now[0] + wait + next(waits)) or []
    )
    watch = LoopWatch()
    selector = _WatchingSelector(watch)
    for _ in range(5):
        selector.select(timeout)
    selector.close()
    assert (watch.late_seconds, watch.latest) == pytest.approx((0.8, 0.5))
    assert watch.blocks == 0


def test_the_figures_of_a_process_are_those_of_all_its_loops():
    before = process_watch()
    first, second = WatchedLoop(), WatchedLoop()
    first.watch.blocked(0.5)
    first.watch.ended_processes["memory"] += 1
    second.watch.late(0.25)
    first.close()
    first.close()
    whole = process_watch()
    assert whole.blocks == before.blocks + 1 and whole.longest >= 0.5
    assert whole.blocked_seconds == pytest.approx(before.blocked_seconds + 0.5)
    assert whole.late_seconds == pytest.approx(before.late_seconds + 0.25)
    assert whole.ended_processes["memory"] == before.ended_processes["memory"] + 1
    second.close()


def test_a_thread_that_holds_the_interpreter_is_seen():
    """`sum` of a range gives no other thread its turn until it is done."""

    async def main() -> None:
        await asyncio.to_thread(sum, range(30_000_000))

    loop = WatchedLoop()
    started = time.perf_counter()
    loop.run_until_complete(main())
    took = time.perf_counter() - started
    loop.close()
    # Either it waited for its sockets meanwhile, or it was at the end of a turn.
    assert took < 0.4 or loop.watch.late_seconds + loop.watch.blocked_seconds > 0.1


def test_short_blocks_are_counted_and_long_ones_told_once_a_minute(monkeypatch, caplog):
    now = [1000.0]
    monkeypatch.setattr("tearsheet.work.loop_watch.perf_counter", lambda: now[0])
    watch = LoopWatch()
    for passed, seconds in [(0, 0.2), (1, 1.5), (1, 9.0), (57, 2.0), (3, 4.0)]:
        now[0] += passed
        watch.blocked(seconds)
    assert [watch.blocks, watch.blocked_seconds, watch.longest] == pytest.approx([5, 16.7, 9.0])
    assert [(record.levelno, record.seconds, record.blocks) for record in caplog.records] == [
        (logging.WARNING, 1.5, 2),
        (logging.WARNING, 4.0, 5),
    ]


def test_processes_that_were_replaced_are_counted():
    async def main() -> dict[str, int]:
        pool = ProcessPool(BUILDER, (), 1, 20.0, Limits(memory=300 << 20, answer=1000))
        for order in ("crash", "answer 1001", "echo fine", "crash"):
            try:
                await pool.run(order.encode())
            except Quarantine:
                continue
        await pool.close()
        watch = watch_of(asyncio.get_running_loop())
        assert watch is not None
        return dict(watch.ended_processes)

    with asyncio.Runner(loop_factory=WatchedLoop) as runner:
        assert runner.run(main()) == {"crash": 2, "answer": 1}


def test_other_loops_have_no_watch():
    async def main() -> LoopWatch | None:
        return watch_of(asyncio.get_running_loop())

    assert asyncio.run(main()) is None
