from __future__ import annotations

import asyncio

import pytest

from tearsheet.engines import BrokenOff
from tearsheet.engines.broker.port import Depth, Message, Output
from tearsheet.work.batches import BatchWorker
from tearsheet.work.journey import RetryRule
from tearsheet.work.queues import LaterTries, later_tries
from tearsheet.work.supervisor import Supervisor
from tearsheet.work.workers import AsyncWorker
from tests.support.stages import Collector, Flaky
from tests.support.work_bench import Bench, run_on_bench, story


def test_a_run_that_is_to_end_does_not_wait_for_later_tries(tmp_path):
    async def scenario(bench: Bench) -> None:
        config = bench.config("fetcher", "importer")
        config.rule = RetryRule(3, 3600.0, 3600.0)
        fetcher = AsyncWorker(Flaky(), config, bench.broker, bench.ledger)
        importer = BatchWorker(
            Collector(), bench.config("importer"), bench.broker, bench.ledger, batch=10, seconds=3600
        )
        await bench.put("fetcher-in", [story("fine"), story("flaky 1"), story("fine", 2)])
        await bench.broker.publish([Output("fetcher-in", Message(b"", {}), delay=7200)])  # put off by an earlier run
        await bench.drain(fetcher, importer)
        depths = await bench.broker.depths()
        assert depths["fetcher-in"] == Depth(delayed=2)
        assert (fetcher.settled, importer.settled) == (3, 2), "the batch did not wait for them either"

    run_on_bench(tmp_path, scenario)


@pytest.mark.parametrize(
    ("depths", "expected"),
    [
        ({}, LaterTries()),
        ({"a-in": Depth(delayed=2, next_due=5000.0), "b-in": Depth(delayed=1, next_due=4000.0)}, LaterTries(3, 4000.0)),
        ({"a-in": Depth(ready=1, delayed=2, next_due=5000.0)}, LaterTries()),
        ({"a-in": Depth(delayed=2, next_due=1010.0)}, LaterTries()),
    ],
)
def test_later_tries_of_queues(depths, expected):
    assert later_tries(depths, 1000.0) == expected


class Breaking:
    """A service whose first beginnings are broken off."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.begun = 0

    async def run(self, stop: asyncio.Event) -> None:
        self.begun += 1
        if self.begun <= self.times:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._break())
        stop.set()

    async def _break(self) -> None:
        raise BrokenOff("the database restarted")


def test_a_part_whose_transaction_is_broken_off_begins_anew(tmp_path):
    async def scenario(bench: Bench) -> None:
        service = Breaking(5)
        await Supervisor([], bench.broker).run(services=[service.run])
        assert service.begun == 6

    run_on_bench(tmp_path, scenario)


def test_a_part_whose_transactions_are_always_broken_off_ends_the_run(tmp_path):
    async def scenario(bench: Bench) -> None:
        service = Breaking(1000)
        with pytest.raises(BrokenOff, match="restarted"):
            await Supervisor([], bench.broker).run(services=[service.run])
        assert service.begun == 6

    run_on_bench(tmp_path, scenario)
