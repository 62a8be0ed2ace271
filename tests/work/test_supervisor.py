from __future__ import annotations

import pytest

from tearsheet.engines.broker.port import Depth, Message, Output
from tearsheet.work.batches import BatchWorker
from tearsheet.work.journey import RetryRule
from tearsheet.work.queues import LaterTries, later_tries
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
