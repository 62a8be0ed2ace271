from __future__ import annotations

import asyncio
from functools import partial

import pytest

from tearsheet.engines.broker.port import Depth, Message, Output
from tearsheet.engines.server import BrokenOff
from tearsheet.errors import EngineError, ItemRefused, NotFoundError, UsageError, WorkerError
from tearsheet.story import Story, make_story_id
from tearsheet.work.batches import BatchWorker
from tearsheet.work.ledger import Ledger
from tearsheet.work.outcomes import Requeue
from tearsheet.work.pool import CpuPool
from tearsheet.work.queues import message_summary, requeue
from tearsheet.work.water_marks import WaterMarks
from tearsheet.work.workers import AsyncWorker, CpuWorker
from tests.support.stages import Collector, Flaky
from tests.support.work_bench import Bench, run_on_bench, story


@pytest.fixture
def on_bench(tmp_path):
    return partial(run_on_bench, tmp_path)


def test_a_cpu_stage_passes_stories_on_with_their_page(on_bench):
    async def scenario(bench: Bench) -> None:
        await bench.put("parser-in", [story("hello", n) for n in range(10)] + [story("print")])
        await bench.drain(bench.cpu())
        stories = await bench.arrived("next-in")
        assert sorted(s.content_metadata.article_title or "" for s in stories) == ["HELLO"] * 10 + ["PRINT"]
        assert {s.raw_html.html for s in stories} == {b"<p>page</p>" * 20}
        assert bench.outcomes() == set()

    on_bench(scenario)


def test_a_page_that_hangs_or_crashes_its_worker_is_quarantined_and_the_rest_goes_on(on_bench):
    async def scenario(bench: Bench) -> None:
        orders = ["hang", "crash", "memory", "defect", "drop", "quarantine"]
        await bench.put("parser-in", [story(order) for order in orders] + [story("fine", n) for n in range(8)])
        await bench.drain(bench.cpu(seconds=1.0))
        assert len(await bench.arrived("next-in")) == 8
        assert bench.outcomes() == {
            ("parser", "quarantined", "timeout", 1),
            ("parser", "quarantined", "crash", 1),
            ("parser", "quarantined", "memory", 1),
            ("parser", "quarantined", "error", 1),
            ("parser", "dropped", "unwanted", 1),
            ("parser", "quarantined", "odd", 1),
        }
        quarantined = {s.rss_entry.title for s in await bench.arrived("parser-quar")}
        assert quarantined == {"hang", "crash", "memory", "defect", "quarantine"}

    on_bench(scenario)


def test_a_process_that_cannot_start_stops_the_worker_and_keeps_the_stories(on_bench):
    async def scenario(bench: Bench) -> None:
        await bench.put("parser-in", [story("fine", n) for n in range(3)])
        pool = CpuPool("tests.support.no_such_module:Stage", "parser", 2, 20.0)
        worker = CpuWorker(pool, bench.config("parser", "next"), bench.broker, bench.ledger)
        with pytest.raises(WorkerError, match="no_such_module"):
            await bench.drain(worker)
        assert (await bench.broker.depths())["parser-in"].total == 3
        assert bench.outcomes() == set()

    on_bench(scenario)


def test_quarantined_stories_can_be_replayed(on_bench):
    async def scenario(bench: Bench) -> None:
        await bench.put("parser-in", [story("quarantine")])
        await bench.drain(bench.cpu())
        (message,) = await bench.broker.peek("parser-quar", 5)
        summary = message_summary(message)
        assert (summary["url"], summary["what"]) == ("http://a.example/quarantine/0", "odd")
        assert await requeue(bench.broker, "parser", 10) == 1
        assert (await bench.broker.depths())["parser-in"] == Depth(ready=1)
        mended = AsyncWorker(Flaky(), bench.config("parser", "next"), bench.broker, bench.ledger)
        await bench.drain(mended)
        assert bench.outcomes() == {("parser", "recovered", "try 1", 1)}, "it is in quarantine no longer"
        assert [one.status for one in bench.ledger.explain("http://a.example/quarantine/0")] == [
            "quarantined",
            "recovered",
        ]

    on_bench(scenario)


def test_retries_and_requeues_end_well_or_are_dropped_with_their_reason(on_bench):
    async def scenario(bench: Bench) -> None:
        stage = Flaky()
        worker = AsyncWorker(stage, bench.config("fetcher", "next"), bench.broker, bench.ledger)
        titles = ["fine", "flaky 1", "flaky 2", "flaky 3", "busy 9"]
        await bench.put("fetcher-in", [story(title) for title in titles])
        await bench.drain(worker)
        assert {s.rss_entry.title for s in await bench.arrived("next-in")} == {"fine", "flaky 1", "flaky 2", "busy 9"}
        assert bench.outcomes() == {
            ("fetcher", "recovered", "try 2", 1),
            ("fetcher", "recovered", "try 3", 1),
            ("fetcher", "dropped", "flaky", 1),
        }
        assert stage.seen[make_story_id("busy 9", 0)] == 10
        given_up = bench.ledger.explain("http://a.example/flaky-3/0")
        assert [(one.tries, one.status) for one in given_up] == [(1, "retrying"), (2, "retrying"), (3, "dropped")]

    on_bench(scenario)


def test_results_go_to_every_output(on_bench):
    async def scenario(bench: Bench) -> None:
        worker = AsyncWorker(Flaky(), bench.config("fetcher", "one", "two"), bench.broker, bench.ledger)
        await bench.put("fetcher-in", [story("fine")])
        await bench.drain(worker)
        assert len(await bench.arrived("one-in")) == len(await bench.arrived("two-in")) == 1

    on_bench(scenario)


def async_worker(bench: Bench):
    return AsyncWorker(Flaky(), bench.config("parser", "next"), bench.broker, bench.ledger)


def batch_worker(bench: Bench):
    return BatchWorker(Collector(), bench.config("parser", "next"), bench.broker, bench.ledger, batch=5, seconds=1)


@pytest.mark.parametrize("worker", [async_worker, batch_worker, Bench.cpu])
def test_messages_that_are_no_stories_are_set_aside_and_each_is_noted(on_bench, worker):
    async def scenario(bench: Bench) -> None:
        junk = [Message(b"junk"), Message(b"more junk"), Message(b"junk")]
        await bench.broker.publish([Output("parser-in", message) for message in junk])
        await bench.drain(worker(bench))
        assert (await bench.broker.depths())["parser-quar"].ready == 3
        (count,) = bench.ledger.counts()
        assert (count.stage, count.status, count.stories) == ("parser", "quarantined", 2), (
            "the same bytes are the same message"
        )

    on_bench(scenario)


def test_a_story_that_a_stage_makes_nothing_of_is_noted(on_bench):
    class Nothing:
        async def process(self, story):
            return []

    async def scenario(bench: Bench) -> None:
        await bench.put("fetcher-in", [story("a")])
        await bench.drain(AsyncWorker(Nothing(), bench.config("fetcher", "next"), bench.broker, bench.ledger))
        assert bench.outcomes() == {("fetcher", "done", "", 1)}

    on_bench(scenario)


def test_a_redirected_story_is_found_by_the_link_that_was_queued(on_bench):
    async def scenario(bench: Bench) -> None:
        moved = story("drop")
        moved.http_metadata.final_url = "https://paper.example/moved"
        await bench.put("parser-in", [moved])
        await bench.drain(bench.cpu())
        for address in ("http://a.example/drop/0", "https://paper.example/moved"):
            assert [one.reason for one in bench.ledger.explain(address)] == ["unwanted"]

    on_bench(scenario)


def test_a_transaction_of_the_ledger_that_is_broken_off_is_done_again(on_bench, monkeypatch):
    async def scenario(bench: Bench) -> None:
        record, troubles = bench.ledger.record, iter([BrokenOff("deadlock"), BrokenOff("the connection was lost")])

        def troubled(entries):
            record(entries)  # it came through, and nobody was told
            if trouble := next(troubles, None):
                raise trouble

        monkeypatch.setattr(bench.ledger, "record", troubled)
        worker = BatchWorker(Collector(), bench.config("archiver"), bench.broker, bench.ledger, batch=2, seconds=1)
        await bench.put("archiver-in", [story("a"), story("b")])
        await bench.drain(worker)
        assert sum(count.stories for count in bench.ledger.counts()) == 2, "each once"
        assert (await bench.broker.depths())["archiver-in"] == Depth()

    on_bench(scenario)


@pytest.mark.parametrize("error", [ItemRefused, UsageError, NotFoundError, ZeroDivisionError])
def test_whatever_a_stage_meets_in_one_story_ends_that_story_and_no_worker(on_bench, error):
    class OneKeyRefused:
        async def process(self, story):
            if story.rss_entry.title == "frozen":
                raise error("the store answers InvalidObjectState to 'downloads/7'")
            return story

    async def scenario(bench: Bench) -> None:
        worker = AsyncWorker(OneKeyRefused(), bench.config("fetcher", "next"), bench.broker, bench.ledger)
        await bench.put("fetcher-in", [story("frozen"), story("fine", 1), story("fine", 2)])
        await bench.drain(worker)
        assert len(await bench.arrived("next-in")) == 2
        assert [s.rss_entry.title for s in await bench.arrived("fetcher-quar")] == ["frozen"]
        [row] = bench.ledger.find({})
        assert (row.status, row.reason, row.url) == ("quarantined", "error", "http://a.example/frozen/0")
        assert "InvalidObjectState" in row.detail

    on_bench(scenario)


def unsendable(one: Story) -> Story:
    """A story that no message can carry: half a character is no text."""
    if one.rss_entry.title == "odd":
        one.content_metadata.article_title = "\udcff"
    return one


def test_a_result_that_no_message_can_carry_ends_its_own_story(on_bench):
    class Asynchronous:
        async def process(self, story):
            return unsendable(story)

    class Batch:
        def process_batch(self, stories):
            return [unsendable(story) for story in stories]

    async def scenario(bench: Bench) -> None:
        config = bench.config("importer", "next")
        await bench.put("fetcher-in", [story("odd"), story("a")])
        await bench.put("importer-in", [story("odd"), story("b")])
        await bench.drain(
            AsyncWorker(Asynchronous(), bench.config("fetcher", "next"), bench.broker, bench.ledger),
            BatchWorker(Batch(), config, bench.broker, bench.ledger, batch=2, seconds=3600),
        )
        assert {s.rss_entry.title for s in await bench.arrived("next-in")} == {"a", "b"}
        assert bench.outcomes() == {("fetcher", "quarantined", "error", 1), ("importer", "quarantined", "error", 1)}

    on_bench(scenario)


def test_an_engine_that_is_away_stops_the_worker_and_no_story_is_counted(on_bench):
    class Away:
        async def process(self, story):
            raise EngineError("the store does not answer")

    async def scenario(bench: Bench) -> None:
        worker = AsyncWorker(Away(), bench.config("fetcher", "next"), bench.broker, bench.ledger)
        await bench.put("fetcher-in", [story("a"), story("b")])
        with pytest.raises(EngineError, match="does not answer"):
            await bench.drain(worker)
        assert bench.outcomes() == set()
        assert (await bench.broker.depths())["fetcher-in"] == Depth(ready=2)

    on_bench(scenario)


def test_a_ledger_that_is_away_stops_the_worker_whatever_the_stage_said(on_bench):
    class LedgerAway(Ledger):
        def record(self, entries):
            raise EngineError("the database does not answer")

    async def scenario(bench: Bench) -> None:
        worker = AsyncWorker(Flaky(), bench.config("fetcher"), bench.broker, LedgerAway(bench.database))
        await bench.put("fetcher-in", [story("fine")])
        with pytest.raises(EngineError, match="the database"):
            await bench.drain(worker)

    on_bench(scenario)


def test_a_stage_waits_while_the_next_queue_is_full(on_bench):
    async def scenario(bench: Bench) -> None:
        config = bench.config("fetcher", "next")
        config.marks = WaterMarks(low=1, high=3)
        worker = AsyncWorker(Flaky(), config, bench.broker, bench.ledger)
        await bench.put("next-in", [story("x", n) for n in range(3)])
        await bench.put("fetcher-in", [story("fine", n) for n in range(20)])
        stop = asyncio.Event()
        running = asyncio.create_task(worker.run(stop))
        await asyncio.sleep(0.5)
        assert (await bench.broker.depths())["fetcher-in"].ready == 20
        await bench.broker.purge("next-in")
        while (await bench.broker.depths())["next-in"].ready < 20:
            await asyncio.sleep(0.05)
        stop.set()
        await running

    on_bench(scenario)


def test_a_clean_stop_gives_back_what_was_not_done(on_bench):
    class Slow:
        async def process(self, story):
            await asyncio.sleep(3600)

    async def scenario(bench: Bench) -> None:
        worker = AsyncWorker(Slow(), bench.config("fetcher", "next"), bench.broker, bench.ledger)
        worker.grace_seconds = 0.05
        await bench.put("fetcher-in", [story("a"), story("b")])
        stop = asyncio.Event()
        running = asyncio.create_task(worker.run(stop))
        while (await bench.broker.depths())["fetcher-in"].leased < 2:
            await asyncio.sleep(0.01)
        stop.set()
        await running
        assert (await bench.broker.depths())["fetcher-in"] == Depth(ready=2)

    on_bench(scenario)


def test_a_stage_is_told_of_a_stop_before_stories_in_flight_are_waited_for(on_bench):
    class Patient:
        def __init__(self):
            self.leave = asyncio.Event()

        async def process(self, story):
            await self.leave.wait()
            raise Requeue("busy", 0.0)

    async def scenario(bench: Bench) -> None:
        stage = Patient()
        config = bench.config("fetcher", "next")
        worker = AsyncWorker(stage, config, bench.broker, bench.ledger, on_stop=stage.leave.set)
        await bench.put("fetcher-in", [story("a"), story("b")])
        stop = asyncio.Event()
        running = asyncio.create_task(worker.run(stop))
        while (await bench.broker.depths())["fetcher-in"].leased < 2:
            await asyncio.sleep(0.01)
        stop.set()
        await running
        assert worker.settled == 2, "both were put off by their stage, not given back after the grace"

    on_bench(scenario)


def test_a_stage_that_is_cancelled_from_within_ends_one_story(on_bench):
    class Cancelled:
        async def process(self, story):
            raise asyncio.CancelledError

    async def scenario(bench: Bench) -> None:
        worker = AsyncWorker(Cancelled(), bench.config("fetcher", "next"), bench.broker, bench.ledger)
        await bench.put("fetcher-in", [story("a")])
        await bench.drain(worker)
        assert (await bench.broker.depths())["fetcher-quar"] == Depth(ready=1)

    on_bench(scenario)
