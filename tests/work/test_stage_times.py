from __future__ import annotations

import pytest

from tearsheet.engines.database import open_database
from tearsheet.work.announce import Announcer
from tearsheet.work.batches import BatchWorker
from tearsheet.work.stage_times import LABELS, StageTimes, Times, add_times, read_times
from tearsheet.work.workers import AsyncWorker
from tests.support.stages import Collector, Flaky
from tests.support.work_bench import Bench, run_on_bench, story


def test_a_duration_counts_in_the_class_that_it_is_not_above():
    times = StageTimes()
    for seconds in (0.001, 0.005, 0.0051, 60.0, 61.0):
        times.add(seconds)
    found = times.take()
    assert {label: found[label].stories for label in found} == {"0.005": 2, "0.01": 1, "60.0": 1, "+Inf": 1}
    assert times.take() == {}, "what was taken is not counted again"


def test_the_stories_of_a_batch_took_an_equal_part_each():
    times = StageTimes()
    times.add(2.0, 100)
    times.add(9.0, 0)
    assert times.take() == {"0.025": Times(100, 2.0)}


def test_sums_of_all_processes_add_up(tmp_path):
    database = open_database("t.db", tmp_path)
    database.migrate()
    for _ in range(2):
        add_times(database, "parser", {"0.1": Times(3, 0.25), "+Inf": Times(1, 99.0)})
    add_times(database, "parser", {})
    (classes,) = read_times(database).values()
    assert len(classes) == len(LABELS)
    assert sum(one.stories for one in classes) == 8
    assert sum(one.seconds for one in classes) == pytest.approx(198.5)
    database.close()


def test_every_worker_hands_over_its_times_at_the_end(tmp_path):
    async def scenario(bench: Bench) -> None:
        workers = [
            AsyncWorker(Flaky(), bench.config("fetcher", "archiver"), bench.broker, bench.ledger),
            BatchWorker(Collector(), bench.config("archiver"), bench.broker, bench.ledger, batch=10, seconds=3600),
        ]
        await bench.put("fetcher-in", [story("fine", n) for n in range(4)] + [story("flaky 9")])
        await bench.drain(*workers)
        announcer = Announcer(bench.database, workers)
        announcer._beat()
        announcer._withdraw()
        counted = {stage: sum(one.stories for one in classes) for stage, classes in read_times(bench.database).items()}
        assert counted == {"fetcher": 7, "archiver": 4}, "three tries of one story are three"

    run_on_bench(tmp_path, scenario)
