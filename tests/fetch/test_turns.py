"""Turns between hosts, in imaginary time."""

import asyncio
import heapq
from collections import Counter
from itertools import count, pairwise

import pytest

from tearsheet.errors import ConfigError
from tearsheet.fetch.hosts import FORGET_SECONDS, MemoryRecord
from tearsheet.fetch.turns import HostBusy, HostFailing, HostPaused, HostTurns
from tearsheet.settings import FetchSettings
from tests.support.virtual_loop import clock, run_virtually


def turns(record=None, in_flight=None, **settings) -> HostTurns:
    return HostTurns(FetchSettings(**settings), record or MemoryRecord(clock), in_flight=in_flight, clock=clock)


async def visit(turns, host, starts, seconds=0.1, status=200, retry_after=None):
    turn = await turns.take(host)
    try:
        starts.append(clock())
        await asyncio.sleep(seconds)
        turn.answered(status, seconds, retry_after)
    finally:
        turn.end()


def test_turns_of_one_host_keep_the_interval():
    async def test():
        polite = turns()
        starts: list[float] = []
        await asyncio.gather(*(visit(polite, "a.example", starts) for _ in range(6)))
        assert [round(b - a, 3) for a, b in pairwise(starts)] == [2.0] * 5

    run_virtually(test())


class SlowToTell(MemoryRecord):
    """A record whose answer to one request comes late: a process that has lost the processor."""

    def __init__(self, late: float) -> None:
        super().__init__(clock)
        self._late = late

    async def ask(self, host, rule):
        late, self._late = self._late, 0.0
        answer = await super().ask(host, rule)
        await asyncio.sleep(late)
        return answer


@pytest.mark.parametrize("late", [0.6, 1.9, 2.0, 2.3, 5.0])
def test_a_turn_that_was_heard_of_too_late_is_not_used(late):
    async def test():
        record = SlowToTell(late)
        delayed, other = turns(record), turns(record)  # two processes with one record
        starts: list[float] = []
        await asyncio.gather(*(visit(process, "a.example", starts) for process in (delayed, other, other)))
        assert min(b - a for a, b in pairwise(sorted(starts))) >= 2.0 - 0.001

    run_virtually(test())


def test_a_turn_that_was_heard_of_a_little_late_is_used():
    async def test():
        asked = clock()
        starts: list[float] = []
        await visit(turns(SlowToTell(0.4)), "a.example", starts)
        assert [start - asked for start in starts] == [pytest.approx(0.4)]

    run_virtually(test())


def test_no_more_than_the_set_number_at_one_host():
    async def test():
        polite = turns(interval_seconds=0, per_host=3)
        active = most = 0

        async def one():
            nonlocal active, most
            turn = await polite.take("a.example")
            active += 1
            most = max(most, active)
            await asyncio.sleep(1)
            active -= 1
            turn.end()

        await asyncio.gather(*(one() for _ in range(30)))
        assert most == 3

    run_virtually(test())


def test_a_turn_far_off_is_not_waited_for():
    async def test():
        polite = turns()
        starts: list[float] = []
        results = await asyncio.gather(
            *(visit(polite, "a.example", starts) for _ in range(100)), return_exceptions=True
        )
        busy = [result.after for result in results if isinstance(result, HostBusy)]
        assert len(starts) == 8 and len(busy) == 92, "what starts within 15 seconds is held"
        assert len(set(busy)) == 92 and min(busy) > 15

    run_virtually(test())


def test_those_who_wait_leave_half_of_the_slots_to_those_who_can_go():
    async def test():
        polite = turns(concurrency=20)
        starts: list[float] = []
        hosts = [f"{number % 30}.example" for number in range(90)]
        results = await asyncio.gather(*(visit(polite, host, starts) for host in hosts), return_exceptions=True)
        assert len(starts) == 30 + 10, "one of each host goes at once, ten wait"
        assert sum(isinstance(result, HostBusy) for result in results) == 50

    run_virtually(test())


def test_a_slow_host_that_fills_its_slots_sends_others_away():
    async def test():
        polite = turns(per_host=1, interval_seconds=0)
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
        polite = turns()
        starts: list[float] = []
        waiting = [asyncio.create_task(visit(polite, "a.example", starts)) for _ in range(3)]
        await asyncio.sleep(0.5)
        polite.note_answer("a.example", 429, 0.1, retry_after=500)
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(result) for result in results] == [type(None), HostPaused, HostPaused]
        assert all(result.after > 400 for result in results if isinstance(result, HostBusy))
        with pytest.raises(HostPaused):
            await visit(polite, "a.example", starts)
        polite.note_failure("b.example")
        with pytest.raises(HostFailing) as failing:
            await visit(polite, "b.example", starts)
        assert failing.value.after == 60

    run_virtually(test())


def test_one_large_host_never_starves_the_rest():
    """3,000 stories of one host stand before 300 stories of 150 others, in a queue that a worker takes from in order."""

    async def test():
        polite = turns()
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


def test_no_more_than_the_set_number_at_all_hosts():
    async def test():
        polite = turns(concurrency=5)
        active = most = 0

        async def one(number):
            nonlocal active, most
            turn = await polite.take(f"{number}.example")
            active += 1
            most = max(most, active)
            await asyncio.sleep(3)
            active -= 1
            turn.end()

        await asyncio.gather(*(one(number) for number in range(40)))
        assert most == 5

    run_virtually(test())


def test_a_turn_that_came_while_all_slots_were_taken_keeps_its_distance():
    """The first waits so long for a place that the turn of the second has come: the second waits once more."""

    async def test():
        polite = turns(concurrency=1, in_flight=20)
        starts: list[float] = []
        other = await polite.take("other.example")
        waiting = [asyncio.create_task(visit(polite, "a.example", starts)) for _ in range(3)]
        await asyncio.sleep(3.5)
        other.end()
        await asyncio.gather(*waiting)
        assert [round(b - a, 2) for a, b in pairwise(starts)] == [2.0, 2.0]

    run_virtually(test())


def test_who_leaves_while_waiting_leaves_the_slots_too():
    async def test():
        polite = turns(concurrency=1, per_host=1, interval_seconds=0, in_flight=20)
        first = await polite.take("a.example")
        leavers = [asyncio.create_task(polite.take(host)) for host in ("a.example", "b.example")]
        await asyncio.sleep(1)
        for leaver in leavers:
            leaver.cancel()
        await asyncio.gather(*leavers, return_exceptions=True)
        first.end()
        first.end()
        for host in ("a.example", "b.example"):
            (await polite.take(host)).end()

    run_virtually(test())


def test_hosts_that_nobody_asks_for_are_forgotten():
    async def test():
        polite = turns()
        held = await polite.take("held.example")
        await visit(polite, "old.example", [])
        await asyncio.sleep(FORGET_SECONDS + 600)
        await visit(polite, "new.example", [])
        assert set(polite._hosts) == {"new.example", "held.example"}
        held.end()

    run_virtually(test())


def test_a_manner_that_does_not_exist_is_an_error_that_names_the_setting():
    with pytest.raises(ConfigError, match=r"fetch\.manners_off.*'speed'"):
        turns(MemoryRecord(lambda: 0.0), manners_off={"a.example": "pace speed"})


def test_those_who_wait_are_sent_away_and_told_when_to_come_back():
    async def test():
        polite = turns(per_host=2, interval_seconds=4.0)
        starts: list[float] = []
        under_way = asyncio.create_task(visit(polite, "a.example", starts, seconds=3.0))
        waiting = [asyncio.create_task(visit(polite, "a.example", starts)) for _ in range(3)]
        await asyncio.sleep(1.0)
        left = clock()
        polite.send_away()
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        assert clock() == left, "nobody waited any longer"
        assert [type(end) for end in ends] == [HostBusy] * 3
        assert min(end.after for end in ends if isinstance(end, HostBusy)) == pytest.approx(3.0)
        await under_way
        with pytest.raises(HostBusy):
            await polite.take("a.example")
        assert len(starts) == 1

    run_virtually(test())


def test_those_who_wait_for_a_slot_are_sent_away_too():
    async def test():
        polite = turns(per_host=1, interval_seconds=0.0)
        starts: list[float] = []
        under_way = asyncio.create_task(visit(polite, "a.example", starts, seconds=10.0))
        await asyncio.sleep(0.0)
        waiting = asyncio.create_task(visit(polite, "a.example", starts))
        await asyncio.sleep(1.0)
        left = clock()
        polite.send_away()
        with pytest.raises(HostBusy):
            await waiting
        assert clock() == left
        await under_way

    run_virtually(test())
