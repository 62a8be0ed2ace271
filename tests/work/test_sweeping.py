"""Stories are taken out of queues; what else waits there stays, in its order."""

from __future__ import annotations

import asyncio

import pytest

from tearsheet.engines.broker.port import Broker, Message, Output
from tearsheet.story import Story
from tearsheet.work import sweeping
from tearsheet.work.packing import new_message
from tearsheet.work.sweeping import sweep_queues
from tests.support.archive_stories import plain_story
from tests.support.brokers import BROKERS, BrokerHarness


@pytest.fixture(params=BROKERS, ids=lambda harness: harness.name)
def harness(request, tmp_path) -> BrokerHarness:
    kind: BrokerHarness = request.param
    return kind.prepared(request, tmp_path)


def unwanted(story: Story) -> bool:
    return story.id == plain_story(2).id


async def fill(broker: Broker) -> None:
    messages = [new_message(plain_story(number)) for number in (1, 2, 3)]
    await broker.publish([Output("a-in", message) for message in messages])
    await broker.publish([Output("a-quar", message) for message in messages])
    await broker.publish([Output("a-in", message, 999.0) for message in messages])
    await broker.publish([Output("b-in", messages[0], 999.0), Output("b-in", Message(b"no story"))])


@pytest.mark.parametrize("peeked", [5_000, 1])
def test_only_unwanted_stories_leave_and_other_queues_are_not_touched(harness, peeked, monkeypatch):
    monkeypatch.setattr(sweeping, "_PEEKED", peeked)

    async def scenario() -> None:
        broker = await harness.open()
        await fill(broker)
        if peeked > 1:
            assert await sweep_queues(broker, unwanted, dry_run=True) == 3
            before = await harness.settled_depth(broker, "b-in")
        assert await sweep_queues(broker, unwanted) == 3
        if peeked > 1:
            assert await harness.settled_depth(broker, "b-in") == before
        assert await sweep_queues(broker, unwanted) == 0
        depths = {name: (await harness.settled_depth(broker, name)).total for name in ("a-in", "a-quar", "b-in")}
        assert depths == {"a-in": 4, "a-quar": 2, "b-in": 2}
        await broker.close()

    asyncio.run(scenario())
