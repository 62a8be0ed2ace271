"""Collecting: poll, queue, fetch, parse, index, archive and serve, in one process tree. What `tearsheet run` does."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from tearsheet.clock import utc_now
from tearsheet.compose import Services
from tearsheet.engines.location import scheme_of
from tearsheet.engines.ports import Broker, Depth
from tearsheet.feeds.catalog import count_feeds
from tearsheet.feeds.poller import Poller
from tearsheet.feeds.store import count_entries, free_all_leases
from tearsheet.fetch import Client, Manners, Robots
from tearsheet.fetch.store import HostStore
from tearsheet.pipeline.announce import Announcer
from tearsheet.pipeline.cpu_pool import CpuPool
from tearsheet.pipeline.entry import DROPPED, QUARANTINED
from tearsheet.pipeline.feed_queuer import FeedQueuer
from tearsheet.pipeline.fetcher import Fetcher
from tearsheet.pipeline.flavours import Kind, Pipeline, Step, pipeline_named
from tearsheet.pipeline.importer import Importer
from tearsheet.pipeline.journey import RetryRule
from tearsheet.pipeline.supervisor import Service, Supervisor
from tearsheet.pipeline.water import WaterMarks
from tearsheet.pipeline.worker import AsyncWorker, BatchWorker, CpuWorker, Worker, WorkerConfig
from tearsheet.query import parse_query

CPU_STAGES = {"parser": "tearsheet.pipeline.parser:Parser"}
"""Stages that run in processes of their own, by the name under which a process finds them."""


@dataclass(slots=True)
class Summary:
    """What a data folder holds, and what was left out and why."""

    feeds: int = 0
    entries: int = 0
    indexed: int = 0
    archived: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    """By `stage/reason`."""
    quarantined: dict[str, int] = field(default_factory=dict)
    queued: int = 0
    archive_files: int = 0
    archive_bytes: int = 0


class WorkerFactory:
    """Builds the workers of a pipeline from the services."""

    def __init__(self, services: Services, broker: Broker, fetcher: Fetcher) -> None:
        self._services = services
        self._broker = broker
        self._fetcher = fetcher
        self._settings = services.settings.pipeline

    def build(self, step: Step) -> Worker:
        """The worker for one step."""
        services, broker = self._services, self._broker
        config = self._config(step)
        if step.kind is Kind.CPU:
            size = self._settings.parser_processes or os.cpu_count() or 1
            config.prefetch = 2 * size
            pool = CpuPool(CPU_STAGES[step.stage], step.stage, size, self._settings.page_seconds)
            return CpuWorker(pool, config, broker, services.ledger)
        if step.kind is Kind.ASYNC:
            config.prefetch = services.settings.fetch.concurrency
            return AsyncWorker(self._fetcher, config, broker, services.ledger)
        if step.stage == "importer":
            services.index.refresh()  # a run that was killed may have left stories that no search sees yet
            batch, seconds = self._settings.import_batch, self._settings.import_seconds
            return BatchWorker(Importer(services.index), config, broker, services.ledger, batch=batch, seconds=seconds)
        archive = services.settings.archive
        return BatchWorker(
            services.archiver, config, broker, services.ledger, batch=archive.max_stories, seconds=archive.max_seconds
        )

    def _config(self, step: Step) -> WorkerConfig:
        s = self._settings
        rule = RetryRule(s.max_retries, s.retry_seconds, s.max_retry_seconds)
        return WorkerConfig(step.stage, step.outputs, rule, WaterMarks(s.low_water, s.high_water))


QUEUER = "queuer"
"""The stage before all others: it polls the feeds and queues what is new."""


class Collector:
    """The pipeline `queue-fetcher`, whole or some stages of it (`stages`, as a worker on one of several machines runs)."""

    def __init__(self, services: Services, stages: Sequence[str] | None = None) -> None:
        self.services = services
        self.pipeline: Pipeline = pipeline_named("queue-fetcher")
        self.workers: list[Worker] = []
        self.interrupted = False
        self._stages = [QUEUER, *(step.stage for step in self.pipeline.steps)] if stages is None else list(stages)
        self._steps = [self.pipeline.step(stage) for stage in self._stages if stage != QUEUER]
        self._alone = stages is None
        self._broker: Broker | None = None

    async def run(self, *, once: bool = False, services: Sequence[Service] = ()) -> None:
        """Work until stopped; with `once`, until the feeds are polled and the queues are empty."""
        settings = self.services.settings
        async with AsyncExitStack() as stack:
            broker = self._broker = self.services.open_broker()
            stack.push_async_callback(broker.close)
            client = Client(settings.fetch)
            stack.push_async_callback(client.close)
            factory = WorkerFactory(self.services, broker, await self._fetcher(client, stack))
            self.workers = [factory.build(step) for step in self._steps]
            sources = [self._source(client, broker, once)] if QUEUER in self._stages else []
            supervisor = Supervisor(self.workers, broker)
            announcer = Announcer(self.services.database, self.workers)
            try:
                await supervisor.run(sources, [announcer.run, *services], once=once)
            finally:
                self.interrupted = supervisor.interrupted

    async def depths(self) -> dict[str, Depth]:
        """The depth of each queue, for whoever shows progress."""
        return await self._broker.depths() if self._broker else {}

    async def _fetcher(self, client: Client, stack: AsyncExitStack) -> Fetcher:
        settings = self.services.settings.fetch
        store = HostStore(self.services.database)
        manners = Manners(settings, store)
        stack.push_async_callback(manners.close)
        return Fetcher(client, manners, settings, Robots(client, manners, settings, store))

    def _source(self, client: Client, broker: Broker, once: bool) -> Service:
        settings, database = self.services.settings, self.services.database
        if self._alone and scheme_of(settings.engines.database) == "sqlite":
            # This run holds the data folder: whoever leased feeds before is dead, and their leases need not be waited for.
            free_all_leases(database, utc_now())
        poller = Poller(database, client, settings.feeds)
        marks = WaterMarks(settings.pipeline.low_water, settings.pipeline.high_water)
        queuer = FeedQueuer(database, broker, [self.pipeline.steps[0].stage], marks, settings.feeds.server_name)

        async def bring_stories(stop: asyncio.Event) -> None:
            polling = asyncio.create_task(poller.run(stop, once=once))
            await queuer.run(stop, no_more=polling.done)
            await polling

        return bring_stories


def summarise(services: Services, depths: dict[str, Depth]) -> Summary:
    """Count what the data folder holds."""
    totals = services.archive.totals()
    counts = services.ledger.counts()
    return Summary(
        feeds=count_feeds(services.database),
        entries=count_entries(services.database),
        indexed=services.index.count(parse_query("*")),
        archived=totals.stories,
        dropped={f"{c.stage}/{c.reason}": c.stories for c in counts if c.status == DROPPED},
        quarantined={f"{c.stage}/{c.reason}": c.stories for c in counts if c.status == QUARANTINED},
        queued=sum(depth.total for name, depth in depths.items() if not name.endswith("-quar")),
        archive_files=totals.files,
        archive_bytes=totals.size,
    )
