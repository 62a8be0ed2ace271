"""The record of hosts, in memory and shared, with a store that can fail."""

import asyncio
import threading
from dataclasses import replace

import pytest

from tearsheet.errors import EngineError
from tearsheet.fetch.hosts import FORGET_EVERY, FORGET_SECONDS, MemoryRecord, SharedRecord
from tearsheet.fetch.manners import HostState
from tests.support.patience import PATIENCE
from tests.support.virtual_loop import clock, run_virtually


class Memory:
    """A store that is a dictionary; it can be slow, and away."""

    def __init__(self) -> None:
        self.states: dict[str, HostState] = {}
        self.batches: list[int] = []
        self.forgotten: list[float] = []
        self.away = False
        self.may_go = threading.Event()
        self.may_go.set()

    def change(self, names, change):
        self.may_go.wait(PATIENCE)
        if self.away:
            raise EngineError("the database is away")
        states = {name: self.states.get(name, HostState()) for name in names}
        change(states)
        self.batches.append(len(names))
        self.states |= states

    def forget(self, before):
        self.forgotten.append(before)


def count(state, now):
    after = replace(state, failures=state.failures + 1)
    return after, after.failures


def note(state, now):
    return count(state, now)[0], None


@pytest.mark.parametrize("make", [lambda: MemoryRecord(clock), lambda: SharedRecord(Memory(), clock)])
def test_rules_are_applied_one_after_the_other(make):
    async def test():
        record = make()
        assert await asyncio.gather(*(record.ask("a.example", count) for _ in range(5))) == [1, 2, 3, 4, 5]
        record.note("a.example", note)
        assert await record.ask("a.example", count) == 7
        assert await record.ask("b.example", count) == 1
        await record.close()

    run_virtually(test())


def test_what_gathers_while_the_store_writes_is_written_at_once():
    store = Memory()

    async def test():
        record = SharedRecord(store, lambda: 0.0)
        store.may_go.clear()
        first = asyncio.create_task(record.ask("first.example", count))
        await asyncio.sleep(0)
        others = [asyncio.create_task(record.ask(f"{number}.example", count)) for number in range(50)]
        left = asyncio.create_task(record.ask("left.example", count))
        await asyncio.sleep(0.05)
        left.cancel()
        store.may_go.set()
        assert await asyncio.gather(first, *others) == [1] * 51
        assert store.batches == [1, 50], "who left is not written"
        await record.close()

    asyncio.run(asyncio.wait_for(test(), 20))


def test_what_is_noted_last_is_written_before_the_end():
    store = Memory()

    async def test():
        record = SharedRecord(store, lambda: 0.0)
        record.note("a.example", note)
        await record.close()

    asyncio.run(asyncio.wait_for(test(), 20))
    assert store.states["a.example"].failures == 1


def test_a_store_that_is_away_is_told_to_those_who_wait_and_forgets_nothing():
    store = Memory()

    async def test():
        record = SharedRecord(store, lambda: 0.0)
        store.away = True
        record.note("a.example", note)
        for _ in range(2):
            with pytest.raises(EngineError):
                await record.ask("a.example", count)
        store.away = False
        assert await record.ask("a.example", count) == 2
        store.away = True
        record.note("a.example", note)
        with pytest.raises(EngineError):
            await record.close()

    asyncio.run(asyncio.wait_for(test(), 20))


def test_hosts_that_nobody_asks_for_are_forgotten():
    async def test():
        store = Memory()
        shared, alone = SharedRecord(store, clock), MemoryRecord(clock)
        alone.note("old.example", lambda state, now: (replace(state, updated=now), None))
        alone.note("told.example", lambda state, now: (replace(state, blocked_until=now + 2 * FORGET_SECONDS), None))
        await asyncio.sleep(FORGET_SECONDS + FORGET_EVERY)
        for record in (shared, alone):
            await record.ask("new.example", lambda state, now: (replace(state, updated=now), None))
        await shared.close()
        assert set(alone._states) == {"told.example", "new.example"}
        assert store.forgotten == [pytest.approx(clock() - FORGET_SECONDS)]

    run_virtually(test())


def test_those_who_wait_are_answered_though_old_hosts_cannot_be_forgotten():
    class Locked(Memory):
        def forget(self, before):
            raise EngineError("database is locked")

    async def test():
        record = SharedRecord(Locked(), clock)
        await asyncio.sleep(FORGET_EVERY)
        answers = await asyncio.gather(*(record.ask("a.example", count) for _ in range(3)))
        later = asyncio.create_task(record.ask("a.example", count))
        assert [*answers, await asyncio.wait_for(later, PATIENCE)] == [1, 2, 3, 4]
        await record.close()

    run_virtually(test())
