"""Stages that are given many stories at once."""

from __future__ import annotations

from functools import partial

import pytest

from tearsheet.engines.broker.port import Depth
from tearsheet.errors import ItemRefused, StorageError, UsageError
from tearsheet.work.batches import BatchWorker
from tests.support.stages import Collector
from tests.support.work_bench import Bench, run_on_bench, story


@pytest.fixture
def on_bench(tmp_path):
    return partial(run_on_bench, tmp_path)


def test_a_batch_is_closed_by_count_and_at_the_end(on_bench):
    async def scenario(bench: Bench) -> None:
        stage = Collector()
        config = bench.config("archiver")
        worker = BatchWorker(stage, config, bench.broker, bench.ledger, batch=4, seconds=3600)
        await bench.put("archiver-in", [story(str(n)) for n in range(9)] + [story("drop")])
        await bench.drain(worker)
        assert [len(batch) for batch in stage.batches] == [4, 4, 2]
        assert bench.outcomes() == {("archiver", "done", "", 9), ("archiver", "dropped", "unwanted", 1)}

    on_bench(scenario)


def test_a_stage_that_needs_no_pages_gets_none_and_they_go_on_all_the_same(on_bench):
    class Pageless:
        def process_batch(self, stories):
            assert [story.raw_html.html for story in stories] == [None, None]
            return stories

    async def scenario(bench: Bench) -> None:
        config = bench.config("importer", "next")
        worker = BatchWorker(Pageless(), config, bench.broker, bench.ledger, batch=2, seconds=3600, pages=False)
        stories = {title: story(title) for title in ("a", "b")}
        await bench.put("importer-in", list(stories.values()))
        await bench.drain(worker)
        assert {s.rss_entry.title: s for s in await bench.arrived("next-in")} == stories

    on_bench(scenario)


def test_one_poisoned_story_does_not_spoil_its_batch(on_bench):
    async def scenario(bench: Bench) -> None:
        worker = BatchWorker(
            Collector(), bench.config("importer", "next"), bench.broker, bench.ledger, batch=10, seconds=3600
        )
        await bench.put("importer-in", [story("a"), story("poison"), story("b")])
        await bench.drain(worker)
        assert {s.rss_entry.title for s in await bench.arrived("next-in")} == {"a", "b"}
        assert bench.outcomes() == {("importer", "quarantined", "error", 1)}

    on_bench(scenario)


def test_a_full_disk_stops_the_run_and_keeps_the_stories(on_bench):
    class FullDisk:
        def process_batch(self, stories):
            raise StorageError("the disk is full")

    async def scenario(bench: Bench) -> None:
        worker = BatchWorker(FullDisk(), bench.config("archiver"), bench.broker, bench.ledger, batch=2, seconds=1)
        await bench.put("archiver-in", [story("a"), story("b")])
        with pytest.raises(StorageError):
            await bench.drain(worker)
        await bench.broker.close()
        bench.reopen_broker()
        assert (await bench.broker.depths())["archiver-in"] == Depth(ready=2)

    on_bench(scenario)


@pytest.mark.parametrize("error", [ItemRefused, UsageError])
def test_one_refused_story_of_a_batch_ends_alone(on_bench, error):
    class OneDocumentRefused:
        def process_batch(self, stories):
            if "odd" in [story.rss_entry.title for story in stories]:
                raise error("story 7 was refused: mapper_parsing_exception")
            return stories

    async def scenario(bench: Bench) -> None:
        config = bench.config("importer", "next")
        worker = BatchWorker(OneDocumentRefused(), config, bench.broker, bench.ledger, batch=10, seconds=3600)
        await bench.put("importer-in", [story("a"), story("odd"), story("b")])
        await bench.drain(worker)
        assert {s.rss_entry.title for s in await bench.arrived("next-in")} == {"a", "b"}
        assert bench.outcomes() == {("importer", "quarantined", "error", 1)}

    on_bench(scenario)
