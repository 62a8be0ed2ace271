"""Messages are only nudges: whether an item is done, and how often, stands in the tables."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.topics import store
from tearsheet.topics.spider.due import due_jobs
from tearsheet.topics.spider.job import Job
from tearsheet.topics.spider.job_workers import DriverWorker, ItemWorker, TurnLater, turn_after
from tearsheet.topics.spider.seeds import route_new_seeds
from tearsheet.topics.spider.stores import jobs
from tearsheet.topics.spider.topic_run import start_run
from tearsheet.work import Drop, Ledger, Requeue, Retry, RetryRule, WaterMarks, Worker, WorkerConfig

NAME = "topic_fetch_link"


class Handler:
    """Does what the test says, and remembers."""

    def __init__(self, *outcomes: Exception | None) -> None:
        self.outcomes = list(outcomes)
        self.handled: list[tuple[str, int, float]] = []
        self.given_up: list[tuple[str, bool]] = []
        self.free = asyncio.Event()
        self.free.set()

    async def handle(self, topic, taken):
        self.handled.append((taken.item, taken.tries, taken.turn))
        await self.free.wait()
        outcome = self.outcomes.pop(0) if self.outcomes else None
        if outcome is not None:
            raise outcome

    def give_up(self, taken, reason, *, defect):
        self.given_up.append((reason, defect))


class Bench:
    """A run with a worker on a real queue."""

    def __init__(self, tools, topic, folder, handler: Handler) -> None:
        self.tools, self.handler = tools, handler
        self.broker = SqliteBroker(folder / "queues.db")
        start_run(tools, topic)
        self.topic = store.find_topic(tools.database, topic.id)
        route_new_seeds(tools, self.topic)

    def worker(self) -> ItemWorker:
        config = WorkerConfig(NAME, (), RetryRule(2, 2.0, 100.0), WaterMarks(1, 2))
        return ItemWorker(self.handler, self.tools, config, self.broker, Ledger(self.tools.database))

    async def nudge(self, jobs: Sequence[Job]) -> None:
        """Send jobs out, and let a worker settle them."""
        await self.settle(self.worker(), jobs)

    async def settle(self, worker: Worker, jobs: Sequence[Job]) -> None:
        await self.broker.publish([job.output() for job in jobs])
        stop = asyncio.Event()
        running = asyncio.create_task(worker.run(stop))
        async with asyncio.timeout(60):
            while worker.settled < len(jobs):
                await asyncio.sleep(0.005)
            stop.set()
            await running

    def due(self) -> list[Job]:
        return [job for job in due_jobs(self.tools, self.topic) if job.name == NAME]


@pytest.fixture
def bench(tools, topic, tmp_path):
    def make(*outcomes: Exception | None) -> Bench:
        return Bench(tools, topic, tmp_path, Handler(*outcomes))

    return make


def go(coroutine, made: Bench):
    async def closing():
        try:
            return await coroutine
        finally:
            await made.broker.close()

    return asyncio.run(closing())


def test_a_message_that_comes_twice_is_done_once(bench):
    made = bench()
    jobs = made.due()
    go(made.nudge([*jobs, *jobs]), made)
    assert sorted(made.handler.handled) == sorted((job.values["item"], 0, 0.0) for job in jobs)


def test_a_message_of_another_run_is_void(bench):
    made = bench()
    jobs = made.due()
    start_run(made.tools, made.topic)
    go(made.nudge(jobs), made)
    assert made.handler.handled == []


def test_a_message_of_a_version_that_named_no_run_is_void(bench):
    made = bench()
    go(made.nudge([Job(NAME, {"topic": made.topic.id, "key": "x"})]), made)
    assert made.handler.handled == []


def test_a_try_that_failed_is_due_again_later_and_is_given_up_in_the_end(bench, clock):
    made = bench(*(Retry("http-503", "busy") for _ in range(3)))

    async def try_one() -> None:
        [job, *_] = made.due() or [None]
        if job is not None:
            await made.nudge([job])

    async def all_tries() -> None:
        await try_one()
        assert made.due() == []
        clock.now += 12
        await try_one()
        assert made.due() == []
        clock.now += 24
        await try_one()

    go(all_tries(), made)
    assert [tries for _, tries, _ in made.handler.handled] == [0, 1, 2]
    assert len({item for item, _, _ in made.handler.handled}) == 1
    assert made.handler.given_up == [("http-503: busy", False)]


def test_a_try_that_is_far_off_is_put_off_until_it_is_taken_up_again(bench, clock):
    made = bench(Retry("http-429", "later", after=3_600.0))

    async def two_tries() -> None:
        first, *_ = made.due()
        await made.nudge([first])
        clock.now += 4_000
        assert made.due() == []
        assert store.progress_of(made.tools.database, made.topic).put_off == 1
        assert not jobs.take_up_again(made.tools.database, made.topic.id, clock.now - 500)
        assert jobs.take_up_again(made.tools.database, made.topic.id, clock.now)
        assert store.progress_of(made.tools.database, made.topic).put_off == 0
        await made.nudge(made.due())

    go(two_tries(), made)
    [first, again] = made.handler.handled
    assert (first[0], again[1]) == (again[0], 1)


def test_what_is_dropped_is_given_up_at_once(bench):
    made = bench(Drop("http-404", "gone"))
    go(made.nudge(made.due()[:1]), made)
    assert made.handler.given_up == [("http-404: gone", False)]


def test_an_error_of_our_own_is_tried_again_then_kept_aside(bench, clock):
    made = bench(*(KeyError("x") for _ in range(3)))

    async def all_tries():
        for _ in range(3):
            await made.nudge(made.due()[:1])
            clock.now += 100
        return await made.broker.peek(f"{NAME}-quar", 10)

    assert len(go(all_tries(), made)) == 1
    assert made.handler.given_up == [("error: KeyError: 'x'", True)]


def test_a_busy_host_does_not_count_as_a_try(bench, clock):
    made = bench(Requeue("busy", 5.0), TurnLater(turn=1017.0, after=12.0))

    async def three():
        for seconds in (5, 12, 0):
            await made.nudge(made.due()[:1])
            clock.now += seconds

    go(three(), made)
    assert [(tries, turn) for _, tries, turn in made.handler.handled] == [(0, 0.0), (0, 0.0), (0, 1017.0)]


def test_what_a_worker_has_in_hand_is_not_done_by_another_although_the_run_begins_again(bench, clock):
    made = bench()

    async def two_workers():
        made.handler.free.clear()
        first = asyncio.create_task(made.nudge(made.due()[:1]))
        async with asyncio.timeout(60):
            while not made.handler.handled:
                await asyncio.sleep(0.005)
        start_run(made.tools, made.topic)
        made.topic = store.find_topic(made.tools.database, made.topic.id)
        again = made.due()
        made.handler.free.set()
        await first
        return [job.values["item"] for job in again]

    others = go(two_workers(), made)
    [(item, _, _)] = made.handler.handled
    assert len(others) == 2
    assert item not in others


def test_a_message_that_says_nothing_is_kept_aside(bench):
    made = bench()

    async def send():
        await made.nudge([Job(NAME, [1])])  # type: ignore[arg-type]
        return await made.broker.peek(f"{NAME}-quar", 10)

    assert len(go(send(), made)) == 1


class Drives:
    """A driver that fails for good as the test says."""

    def __init__(self, outcome: Exception | None = None) -> None:
        self.outcome = outcome
        self.given_up: list[str] = []

    async def handle(self, values, *, redelivered):
        if self.outcome:
            raise self.outcome
        return [Job("topic_snapshot", values)]

    async def give_up(self, values, reason):
        self.given_up.append(reason)


def drive(made: Bench, driver: Drives, job: Job) -> Any:
    """How many messages are in which queue after a driver got one."""

    async def send():
        config = WorkerConfig("topic_run", (), RetryRule(2, 10.0, 100.0), WaterMarks(1, 2))
        worker = DriverWorker(driver, made.tools, config, made.broker, Ledger(made.tools.database))
        await made.settle(worker, [job])
        return {name: depth.total for name, depth in (await made.broker.depths()).items() if depth.total}

    return go(send(), made)


def test_a_driver_sends_on_what_follows(bench):
    assert drive(bench(), Drives(), Job("topic_run", {"topic": 1})) == {"topic_snapshot-in": 1}


def test_a_driver_that_failed_for_good_gives_up_its_run(bench):
    driver = Drives(Drop("no-way", "there"))
    assert drive(bench(), driver, Job("topic_run", {"topic": 1})) == {}
    assert driver.given_up == ["no-way: there"]


def test_a_driver_is_not_asked_about_a_message_that_says_nothing(bench):
    driver = Drives(AssertionError("never called"))
    assert drive(bench(), driver, Job("topic_run", [1])) == {"topic_run-quar": 1}  # type: ignore[arg-type]
    assert driver.given_up == []


def test_a_turn_is_kept_while_it_is_waited_for():
    assert turn_after(TurnLater(turn=7.0, after=1.0), 0.0) == 7.0
    assert turn_after(Requeue("busy", 1.0), 7.0) == 7.0
    assert turn_after(Retry("http-503"), 7.0) == 0.0
