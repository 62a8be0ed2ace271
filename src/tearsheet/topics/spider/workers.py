"""The workers for all topic jobs, and `run_topic`, which runs a topic with them until it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from tearsheet.engines.broker import Broker
from tearsheet.errors import WorkerError
from tearsheet.topics import model, store
from tearsheet.topics.model import Progress, Topic
from tearsheet.topics.spider import routing
from tearsheet.topics.spider.driving import keep_driven
from tearsheet.topics.spider.facebook_fetch_story_stats import FetchStoryStats
from tearsheet.topics.spider.job_workers import Driver, DriverWorker, ItemHandler, ItemWorker
from tearsheet.topics.spider.stores import jobs
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.topic_add_story import AddStory
from tearsheet.topics.spider.topic_fetch_link import FetchLink
from tearsheet.topics.spider.topic_mine_story import MineStory
from tearsheet.topics.spider.topic_run import TopicRun, start_run
from tearsheet.topics.spider.topic_snapshot import TopicSnapshot
from tearsheet.work import Ledger, RetryRule, Supervisor, WaterMarks, Worker, WorkerConfig

Report = Callable[[Topic, Progress], None]


def make_workers(tools: Tools, broker: Broker, ledger: Ledger, concurrency: int) -> list[Worker]:
    """One worker for each kind of job."""
    drivers: dict[str, Driver] = {routing.TOPIC_RUN: TopicRun(tools), routing.TOPIC_SNAPSHOT: TopicSnapshot(tools)}
    handlers: dict[str, tuple[ItemHandler, int]] = {
        routing.TOPIC_FETCH_LINK: (FetchLink(tools), concurrency),
        routing.TOPIC_ADD_STORY: (AddStory(tools), 8),
        routing.TOPIC_MINE_STORY: (MineStory(tools), 8),
        routing.FACEBOOK_FETCH_STORY_STATS: (FetchStoryStats(tools), 8),
    }
    settings = tools.settings
    rule = RetryRule(settings.max_retries, settings.retry_seconds, 3_600.0)
    marks = WaterMarks(1, 2)  # never used: jobs have no outputs that could be full

    def config(name: str, prefetch: int) -> WorkerConfig:
        return WorkerConfig(name, (), rule, marks, prefetch=prefetch)

    return [
        *(DriverWorker(driver, tools, config(name, 1), broker, ledger) for name, driver in drivers.items()),
        *(
            ItemWorker(handler, tools, config(name, prefetch), broker, ledger)
            for name, (handler, prefetch) in handlers.items()
        ),
    ]


async def run_topic(
    tools: Tools,
    broker: Broker,
    ledger: Ledger,
    topic: Topic,
    *,
    concurrency: int = 32,
    join: bool = False,
    report: Report | None = None,
    stop: asyncio.Event | None = None,
) -> Topic:
    """Run a topic to its end, or resume an interrupted run. With `join`, help with a run that another process drives.

    When `stop` is set, work stops there, and the run can be resumed.
    """
    if not join:
        await broker.publish([(await asyncio.to_thread(start_run, tools, topic)).output()])
    supervisor = Supervisor(make_workers(tools, broker, ledger, concurrency), broker, stop)

    async def watch(stop: asyncio.Event) -> None:
        while not stop.is_set():
            now = await asyncio.to_thread(store.find_topic, tools.database, topic.id)
            if report is not None:
                report(now, await asyncio.to_thread(store.progress_of, tools.database, now))
            if now.state not in model.AT_WORK and not (join and now.state == model.CREATED):
                supervisor.stop.set()
                return
            await _pause(stop, tools.settings.poll_seconds)

    async def hold(stop: asyncio.Event) -> None:
        while not stop.is_set():
            await asyncio.to_thread(jobs.renew, tools.database, tools.holder, tools.clock() + tools.hold_seconds)
            await _pause(stop, tools.hold_seconds / 4)

    async def drive(stop: asyncio.Event) -> None:
        if not join:
            await keep_driven(tools, broker, topic.id, stop)

    try:
        await supervisor.run(services=[watch, hold, drive])
    finally:
        with suppress(WorkerError):  # if the database is away, others wait until the hold runs out
            await asyncio.to_thread(jobs.release_all, tools.database, tools.holder)
    if not join:  # or the workers of another topic would go on with it
        await asyncio.to_thread(store.note_stopped, tools.database, topic.id)
    return await asyncio.to_thread(store.find_topic, tools.database, topic.id)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
