"""The workers of all topic jobs, and running a topic with them until it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from tearsheet.engines.broker import Broker
from tearsheet.topics import model, store
from tearsheet.topics.model import Progress, Topic
from tearsheet.topics.spider import routing
from tearsheet.topics.spider.jobs import Handler, JobWorker
from tearsheet.topics.spider.run import TopicRun, TopicSnapshot, start_run
from tearsheet.topics.spider.spider import AddStory, FacebookStats, FetchLink, MineStory, Tools
from tearsheet.work import Ledger, RetryRule, Supervisor, WaterMarks, WorkerConfig

Report = Callable[[Topic, Progress], None]


def make_workers(tools: Tools, broker: Broker, ledger: Ledger, concurrency: int) -> list[JobWorker]:
    """One worker for each kind of job."""
    handlers: dict[str, tuple[Handler, int]] = {
        routing.TOPIC_RUN: (TopicRun(tools), 1),
        routing.TOPIC_FETCH_LINK: (FetchLink(tools), concurrency),
        routing.TOPIC_ADD_STORY: (AddStory(tools), 8),
        routing.TOPIC_MINE_STORY: (MineStory(tools), 8),
        routing.FACEBOOK_FETCH_STORY_STATS: (FacebookStats(tools), 8),
        routing.TOPIC_SNAPSHOT: (TopicSnapshot(tools), 1),
    }
    settings = tools.settings
    rule = RetryRule(settings.max_retries, settings.retry_seconds, 3_600.0)
    marks = WaterMarks(1, 2)  # never used: jobs come back to queues that would block one another
    return [
        JobWorker(handler, WorkerConfig(name, (), rule, marks, prefetch=prefetch), broker, ledger)
        for name, (handler, prefetch) in handlers.items()
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
    """Run a topic to its end, or go on with one that was interrupted. With `join`, help a run that another process drives.

    When `stop` is set, the run ends where it is.
    """
    if not join:
        _, jobs = await asyncio.to_thread(start_run, tools, topic)
        await broker.publish([job.output() for job in jobs])
    supervisor = Supervisor(make_workers(tools, broker, ledger, concurrency), broker, stop)

    async def watch(stop: asyncio.Event) -> None:
        while not stop.is_set():
            now = await asyncio.to_thread(store.find_topic, tools.database, topic.id)
            if report is not None:
                report(now, await asyncio.to_thread(store.progress_of, tools.database, now))
            if now.state not in model.AT_WORK and not (join and now.state == model.CREATED):
                supervisor.stop.set()
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), tools.settings.poll_seconds)

    await supervisor.run(services=[watch])
    return await asyncio.to_thread(store.find_topic, tools.database, topic.id)
