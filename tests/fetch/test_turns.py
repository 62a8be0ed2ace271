"""Turns between hosts, in imaginary time."""

import asyncio
import heapq
from collections import Counter
from itertools import count, pairwise

import pytest

from tearsheet.errors import ConfigError
from tearsheet.fetch.manners import HostState
from tearsheet.fetch.turns import FORGET_SECONDS, HostBusy, HostFailing, Manners
from tearsheet.settings import FetchSettings
from tests.support.virtual_loop import clock, run_virtually


class Memory:
    """A store that is a dictionary."""

    def __init__(self, states=None):
        self.states: dict[str, HostState] = states or {}
        self.forgotten: list[float] = []

    def load(self):
        return dict(self.states)

    def save(self, states):
        self.states |= states

    def forget(self, before):
        self.forgotten.append(before)


def manners(store=None, **settings) -> Manners:
    return Manners(FetchSettings(**settings), store, clock=clock)


async def visit(manners, host, starts, seconds=0.1, status=200, retry_after=None):
    async with manners.turn(host) as turn:
        starts.append(clock())
        await asyncio.sleep(seconds)
        turn.answered(status, seconds, retry_after)


def test_turns_of_one_host_keep_the_interval():
    async def test():
        polite = manners()
        starts: list[float] = []
        await asyncio.gather(*(visit(polite, "a.example", starts) for _ in range(6)))
        assert [round(b - a, 3) for a, b in pairwise(starts)] == [2.0] * 5

    run_virtually(test())


def test_no_more_than_the_set_number_at_one_host():
    async def test():
        polite = manners(interval_seconds=0, per_host=3)
        active = most = 0

        async def one():
            nonlocal active, most
            async with polite.turn("a.example"):
                active += 1
                most = max(most, active)
                await asyncio.sleep(1)
                active -= 1

        await asyncio.gather(*(one() for _ in range(30)))
        assert most == 3

    run_virtually(test())


def test_a_turn_far_off_is_not_waited_for():
    async def test():
        polite = manners()
        starts: list[float] = []
        results = await asyncio.gather(
            *(visit(polite, "a.example", starts) for _ in range(100)), return_exceptions=True
        )
        busy = [result.after for result in results if isinstance(result, HostBusy)]
        assert len(starts) == 8 and len(busy) == 92, "what starts within 15 seconds is held"
        assert len(set(busy)) == 92 and min(busy) > 15

    run_virtually(test())


def test_those_who_wait_leave_half_of_the_places_to_those_who_can_go():
    async def test():
        polite = manners(concurrency=20)
        starts: list[float] = []
        hosts = [f"{number % 30}.example" for number in range(90)]
        results = await asyncio.gather(*(visit(polite, host, starts) for host in hosts), return_exceptions=True)
        assert len(starts) == 30 + 10, "one of each host goes at once, ten wait"
        assert sum(isinstance(result, HostBusy) for result in results) == 50

    run_virtually(test())


def test_a_slow_host_that_fills_its_places_sends_others_away():
    async def test():
        polite = manners(per_host=1, interval_seconds=0)
        starts: list[float] = []
        first = asyncio.create_task(visit(polite, "a.example", starts, seconds=300))
        await asyncio.sleep(1)
        with pytest.raises(HostBusy):
            await visit(polite, "a.example", starts)
        assert clock() < 1_000_000 + 20
        await first

    run_virtually(test())


def test_what_a_host_says_holds_for_those_who_wait_already():
    async def test():
        polite = manners()
        starts: list[float] = []
        waiting = [asyncio.create_task(visit(polite, "a.example", starts)) for _ in range(3)]
        await asyncio.sleep(0.5)
        polite.note_answer("a.example", 429, 0.1, retry_after=500)
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(result) for result in results] == [type(None), HostBusy, HostBusy]
        assert all(result.after > 400 for result in results if isinstance(result, HostBusy))
        with pytest.raises(HostBusy):
            polite.visit("a.example")
        polite.note_failure("b.example")
        with pytest.raises(HostFailing) as failing:
            await visit(polite, "b.example", starts)
        assert failing.value.after == 60

    run_virtually(test())


def test_one_large_host_never_starves_the_rest():
    """3,000 stories of one host stand before 300 stories of 150 others, in a queue that a worker takes from in order."""

    async def test():
        polite = manners()
        order = count()
        queue = [(0.0, next(order), "large.example") for _ in range(3000)]
        queue += [(0.0, next(order), f"small-{number % 150}.example") for number in range(300)]
        heapq.heapify(queue)
        began = clock()
        done: Counter[str] = Counter()
        requeued: Counter[str] = Counter()
        finished: dict[str, float] = {}
        slots = asyncio.Semaphore(64)

        async def one(host):
            try:
                await visit(polite, host, [], seconds=0.2)
                done[host] += 1
                finished[host] = clock() - began
            except HostBusy as busy:
                requeued[host] += 1
                heapq.heappush(queue, (clock() - began + busy.after, next(order), host))
            finally:
                slots.release()

        tasks = set()
        while sum(done.values()) < 3300:
            while queue and queue[0][0] <= clock() - began:
                await slots.acquire()
                task = asyncio.create_task(one(heapq.heappop(queue)[2]))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            await asyncio.sleep(0.5)
        assert done["large.example"] == 3000
        assert max(time for host, time in finished.items() if host != "large.example") < 10
        assert finished["large.example"] < 1.1 * 3000 * 2, "and the large one gets all the turns it can have"
        assert requeued["large.example"] < 2 * 3000, "a story is put back about once"

    run_virtually(test())


def test_states_survive_a_restart():
    async def test():
        store = Memory()
        polite = manners(store)
        await visit(polite, "slow.example", [], seconds=8.0)
        polite.note_answer("told.example", 429, 0.1, retry_after=600)
        polite.note_failure("down.example")
        await asyncio.sleep(3)
        assert set(store.states) == {"slow.example", "told.example", "down.example"}, "saved while running"
        polite.note_failure("late.example")
        await polite.close()
        again = manners(store)
        assert again.state("slow.example").average == 8.0
        with pytest.raises(HostBusy) as busy:
            await visit(again, "told.example", [])
        assert 590 < busy.value.after < 600
        for host in ("down.example", "late.example"):
            with pytest.raises(HostFailing):
                await visit(again, host, [])

    run_virtually(test())


def test_hosts_that_nobody_asks_for_are_forgotten():
    async def test():
        store = Memory()
        polite = manners(store)
        await visit(polite, "old.example", [])
        polite.note_answer("told.example", 429, 0.1, retry_after=80_000)
        await asyncio.sleep(FORGET_SECONDS + 600)
        await visit(polite, "new.example", [])
        await polite.close()
        assert set(polite._hosts) == {"new.example", "told.example"}
        assert store.forgotten == [pytest.approx(clock() - FORGET_SECONDS, abs=10)]

    run_virtually(test())


def test_a_manner_that_does_not_exist_is_an_error_that_names_the_setting():
    with pytest.raises(ConfigError, match=r"fetch\.manners_off.*'speed'"):
        Manners(FetchSettings(manners_off={"a.example": "pace speed"}))
