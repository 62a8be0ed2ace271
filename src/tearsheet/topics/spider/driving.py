"""Notices that a run has lost the message which drives it, as when its queue was purged, and sends another.

The tables say what is due, so nothing else is lost with it. Only the process that started a run looks after it.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from tearsheet.engines.broker import Broker
from tearsheet.topics import model, store
from tearsheet.topics.model import Topic
from tearsheet.topics.spider import routing
from tearsheet.topics.spider.job import read_values
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.topic_run import start_run
from tearsheet.work import input_queue

log = logging.getLogger(__name__)
_POLLS = 5
"""So many checks of the progress are one look here."""
_LOOKS = 3
"""So many looks in a row must find no message: between two steps there is none for a moment, and some brokers tell late."""


async def keep_driven(tools: Tools, broker: Broker, topic_id: int, stop: asyncio.Event) -> None:
    """Look now and then, until `stop` is set, whether the topic's run is still driven; if not, drive it again."""
    without = 0
    while not stop.is_set():
        topic = await asyncio.to_thread(store.find_topic, tools.database, topic_id)
        driven = topic.state not in model.AT_WORK or await _is_driven(broker, topic)
        without = 0 if driven else without + 1
        if without == _LOOKS:
            log.warning("the message that drives a topic is gone, another is sent", extra={"topic": topic.name})
            await broker.publish([(await asyncio.to_thread(start_run, tools, topic)).output()])
            without = 0
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _POLLS * tools.settings.poll_seconds)


async def _is_driven(broker: Broker, topic: Topic) -> bool:
    """Whether a message that drives this run waits, or a worker holds one that might be it."""
    depths = await broker.depths()
    for queue in map(input_queue, (routing.TOPIC_RUN, routing.TOPIC_SNAPSHOT)):
        depth = depths.get(queue)
        if depth is None or not depth.total:
            continue
        if depth.leased:
            return True
        for message in await broker.peek(queue, depth.total):
            with suppress(ValueError):
                if read_values(message).get("run") == topic.run:
                    return True
    return False
