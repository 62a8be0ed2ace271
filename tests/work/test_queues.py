"""The end of a queue: what was in it is noted, on every broker."""

from __future__ import annotations

import asyncio

import pytest

from tearsheet.engines.broker.port import Depth, Message, Output
from tearsheet.engines.database import open_database
from tearsheet.work.journey import WHAT
from tearsheet.work.ledger import Ledger
from tearsheet.work.packing import new_message
from tearsheet.work.queues import empty_queue, quarantines, stage_of
from tests.support.brokers import BROKERS
from tests.support.work_bench import story


@pytest.mark.parametrize(
    ("queue", "stage"),
    [
        ("parser-in", "parser"),
        ("csv.parser-in", "parser"),
        ("parser-quar", "parser"),
        ("hist-fetcher-in", "hist-fetcher"),
    ],
)
def test_a_queue_belongs_to_a_stage(queue, stage):
    assert stage_of(queue) == stage


def test_stages_that_have_anything_in_quarantine_are_named():
    depths = {"parser-in": Depth(ready=5), "parser-quar": Depth(ready=2, delayed=1), "csv.archiver-quar": Depth()}
    assert quarantines(depths) == {"parser": 3}


@pytest.mark.parametrize("kind", BROKERS)
def test_every_message_of_an_emptied_queue_is_noted(kind, request, tmp_path):
    harness = kind.prepared(request, tmp_path)
    database = open_database("t.db", tmp_path)
    database.migrate()
    ledger = Ledger(database)

    async def scenario() -> None:
        broker = await harness.open()
        tried = Message(b"junk", {WHAT: "noconn"})
        await broker.publish([Output("q-in", new_message(story("a", n))) for n in range(5)])
        await broker.publish([Output("q-in", new_message(story("late")), delay=3600), Output("q-in", tried, delay=60)])
        await broker.publish([Output("other-in", new_message(story("b")))])
        held = await broker.lease("q-in", 1, wait=5)
        assert await empty_queue(broker, "q-in", ledger) == 6, "all but what a worker holds"
        await broker.release(held)
        depth = await harness.settled_depth(broker, "q-in")
        assert depth == Depth(ready=1)
        assert (await harness.settled_depth(broker, "other-in")).ready == 1
        await broker.close()

    asyncio.run(scenario())
    (count,) = ledger.counts()
    assert (count.stage, count.status, count.reason, count.stories) == ("q", "dropped", "purged", 6)
    assert ledger.explain("http://a.example/late/0")[0].detail == "from q-in"
    database.close()
