"""A run whose driving message was purged is driven again, and one that is driven is left alone."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from tearsheet.engines.broker import Broker, Depth, Message, Output
from tearsheet.topics import model, store
from tearsheet.topics.spider.driving import keep_driven
from tearsheet.topics.spider.job import read_values
from tearsheet.topics.spider.topic_run import start_run
from tests.support.patience import PATIENCE

QUEUE = "topic_run-in"


class Queues:
    """What a broker says of its queues. After so many looks at them, `stop` is set."""

    def __init__(self, messages: list[Message], leased: int = 0, looks: int = 8) -> None:
        self.messages, self.leased, self._looks = messages, leased, looks
        self.published: list[Output] = []
        self.stop = asyncio.Event()

    async def depths(self) -> dict[str, Depth]:
        self._looks -= 1
        if not self._looks:
            self.stop.set()
        return {QUEUE: Depth(len(self.messages), self.leased)}

    async def peek(self, queue: str, limit: int) -> list[Message]:
        return self.messages[:limit]

    async def publish(self, outputs: list[Output]) -> None:
        self.published += outputs
        self.messages += [output.message for output in outputs]


def watch(tools: Any, topic: Any, *messages: Message, leased: int = 0, looks: int = 8) -> list[Output]:
    quick = replace(tools, settings=replace(tools.settings, poll_seconds=0.0001))

    async def go() -> list[Output]:
        queues = Queues(list(messages), leased, looks)
        await asyncio.wait_for(keep_driven(quick, cast(Broker, queues), topic.id, queues.stop), PATIENCE)
        return queues.published

    return asyncio.run(go())


def test_a_run_without_its_message_is_driven_again_once(tools, topic):
    before = start_run(tools, topic)
    [again] = watch(tools, topic)
    values = read_values(again.message)
    now = store.find_topic(tools.database, "T")
    assert again.queue == QUEUE and values["topic"] == topic.id
    assert values["run"] == now.run != before.values["run"]


def test_two_looks_are_not_enough(tools, topic):
    start_run(tools, topic)
    assert watch(tools, topic, looks=2) == []


@pytest.mark.parametrize("leased", [0, 1])
def test_a_run_whose_message_waits_or_may_be_in_hand_is_left_alone(tools, topic, leased):
    job = start_run(tools, topic)
    messages = [] if leased else [Message(b"torn"), job.output().message]
    assert watch(tools, topic, *messages, leased=leased) == []


def test_messages_of_others_drive_nothing(tools, topic):
    other = start_run(tools, topic).output().message
    start_run(tools, topic)  # under another name, by which the first message is void
    assert len(watch(tools, topic, other)) == 1


def test_a_topic_that_is_not_at_work_needs_no_message(tools, topic):
    start_run(tools, topic)
    store.set_state(tools.database, topic.id, model.COMPLETED)

    async def go() -> list[Output]:
        queues, stop = Queues([]), asyncio.Event()
        asyncio.get_running_loop().call_later(0.05, stop.set)
        quick = replace(tools, settings=replace(tools.settings, poll_seconds=0.0001))
        await asyncio.wait_for(keep_driven(quick, cast(Broker, queues), topic.id, stop), PATIENCE)
        return queues.published

    assert asyncio.run(go()) == []
