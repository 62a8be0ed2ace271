"""A run that is stopped stays stopped, whatever else is run."""

import asyncio

from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.topics import model, store
from tearsheet.topics.model import NewTopic, Seed
from tearsheet.topics.spider.stores.seeds import add_seeds
from tearsheet.topics.spider.workers import run_topic
from tearsheet.work import Ledger


def test_the_run_of_another_topic_does_not_go_on_with_one_that_was_stopped(tools, topic, tmp_path):
    other = store.create_topic(tools.database, NewTopic("Other", "flood"), 0.0)
    add_seeds(
        tools.database, other.id, [Seed("http://www.facebook.com/sharer.php?u=x")]
    )  # ignored, so nothing is fetched
    tools.settings.poll_seconds = 0.05

    async def run(which, *, stopped: bool):
        broker, stop = SqliteBroker(tmp_path / "queues.db"), asyncio.Event()
        if stopped:
            stop.set()
        try:
            return await run_topic(tools, broker, Ledger(tools.database), which, stop=stop)
        finally:
            await broker.close()

    stopped = asyncio.run(run(topic, stopped=True))
    assert (stopped.state, stopped.message) == (model.STOPPED, "stopped; `tearsheet topic run` goes on")
    done = asyncio.run(run(other, stopped=False))
    assert done.state == model.COMPLETED
    assert store.find_topic(tools.database, topic.id) == stopped
    assert store.progress_of(tools.database, stopped).to_fetch == 0  # not even its seeds were routed
