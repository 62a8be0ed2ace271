"""The queues as operators and pages see them."""

from __future__ import annotations

import asyncio

import pytest

from tearsheet.app.queues import (
    QueueWatch,
    delete_queue,
    dump_queues,
    load_dumps,
    peek_queue,
    purge_queue,
    read_depths,
    read_queues,
    requeue_quarantined,
)
from tearsheet.app.services import Services
from tearsheet.engines.broker.port import Broker, Depth, Output
from tearsheet.errors import NotFoundError
from tearsheet.pipeline import Wanted
from tearsheet.story import Story
from tearsheet.work.packing import new_message
from tests.support.web_seed import open_services


@pytest.fixture
def services(tmp_path):
    with open_services(tmp_path) as services:
        yield services


async def publish(broker: Broker, queue: str, stories: int, named: bool = False) -> None:
    await broker.publish([Output(queue, new_message(Story(id=str(n) if named else ""))) for n in range(stories)])


def queue_some(services: Services, queue: str, stories: int, *, named: bool = False) -> None:
    async def go() -> None:
        broker = services.open_broker()
        try:
            await publish(broker, queue, stories, named)
        finally:
            await broker.close()

    asyncio.run(go())


@pytest.mark.parametrize(
    "ask", [lambda s: peek_queue(s, "nope", 1), lambda s: purge_queue(s, "nope"), lambda s: delete_queue(s, "nope")]
)
def test_a_queue_that_is_not_there_is_an_error_that_names_the_others(services, ask):
    queue_some(services, "parser-in", 1)
    with pytest.raises(NotFoundError, match=r"there is no queue 'nope'; there are: .*parser-in"):
        ask(services)
    assert read_depths(services)["parser-in"].ready == 1


def test_nothing_is_dumped_when_one_name_is_wrong(services, tmp_path):
    queue_some(services, "parser-in", 2)
    with pytest.raises(NotFoundError, match="nope"):
        dump_queues(services, ["parser-in", "nope"], tmp_path / "dumps", None)
    assert read_depths(services)["parser-in"].ready == 2
    assert [(dumped.queue, dumped.stories) for dumped in dump_queues(services, [], tmp_path / "dumps", None)] == [
        ("parser-in", 2)
    ]


def test_who_asks_again_and_again_opens_the_broker_once(services, monkeypatch):
    opened: list[Broker] = []
    open_broker = services.open_broker

    def counted() -> Broker:
        opened.append(open_broker())
        return opened[-1]

    monkeypatch.setattr(services, "open_broker", counted)

    async def watch() -> int:
        queues = QueueWatch(services)
        await asyncio.gather(*(queues.depths() for _ in range(3)))
        await publish(opened[0], "parser-in", 1)
        ready = (await queues.depths())["parser-in"].ready
        await queues.close()
        await queues.close()
        return ready

    assert asyncio.run(watch()) == 1
    assert len(opened) == 1


@pytest.mark.parametrize("end", [purge_queue, delete_queue])
def test_what_is_deleted_from_a_queue_is_in_the_ledger(services, end):
    queue_some(services, "csv.parser-in", 3, named=True)
    assert end(services, "csv.parser-in") == 3
    (count,) = services.ledger.counts()
    assert (count.stage, count.status, count.reason, count.stories) == ("parser", "dropped", "purged", 3)
    assert read_depths(services).get("csv.parser-in", Depth()) == Depth()


def test_the_age_of_the_oldest_message_is_listed(services):
    queue_some(services, "parser-in", 2)
    (queue,) = read_queues(services)
    assert (queue.queue, queue.ready) == ("parser-in", 2)
    assert queue.oldest_seconds is not None and 0 <= queue.oldest_seconds < 3600
    purge_queue(services, "parser-in")
    assert read_queues(services)[0].oldest_seconds is None


def test_a_name_that_no_stage_reads_is_refused(services, tmp_path):
    queue_some(services, "parser-in", 2)
    dump_queues(services, ["parser-in"], tmp_path / "dumps", None)
    with pytest.raises(NotFoundError, match=r"there is no queue 'praser-in'; did you mean parser-in"):
        load_dumps(services, [str(tmp_path / "dumps")], Wanted(queue="praser-in"))
    with pytest.raises(NotFoundError, match="there is no queue 'praser-in'"):
        requeue_quarantined(services, "praser", 10)
    assert "praser-in" not in read_depths(services)
    assert load_dumps(services, [str(tmp_path / "dumps")], Wanted(queue="importer-in")).queues == {"importer-in": 2}
    queue_some(services, "own.parser-in", 1)
    dump_queues(services, ["own.parser-in"], tmp_path / "own", None)
    delete_queue(services, "own.parser-in")
    loaded = load_dumps(services, [str(tmp_path / "own")], Wanted())
    assert (loaded.queues, len(loaded.damages)) == ({}, 1) and "own.parser-in" in loaded.damages[0]
    assert requeue_quarantined(services, "parser", 10) == 0
    assert peek_queue(services, "parser-quar", 1) == [], "a stage's quarantine is there, with nothing in it"
