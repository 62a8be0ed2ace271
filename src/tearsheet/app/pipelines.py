"""Running a pipeline: its source, its stages and what goes along, in one process tree.

What `tearsheet run`, `tearsheet pipeline run` and `tearsheet worker` do.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from tearsheet.app.captures import moved_inputs
from tearsheet.app.services import Services
from tearsheet.clock import utc_now
from tearsheet.engines import scheme_of
from tearsheet.engines.broker import Broker, Depth
from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue import count_feeds
from tearsheet.feeds.polling import Housekeeper, Poller, count_entries, free_all_leases
from tearsheet.fetch import Client, HostStore, Manners, Robots
from tearsheet.files import make_folder
from tearsheet.pipeline import (
    DEFAULT,
    Fetcher,
    HistFetcher,
    Importer,
    Kind,
    PageStorer,
    Pipeline,
    Step,
    Uploading,
    with_page_store,
)
from tearsheet.pipeline.queuers import (
    FILE_KINDS,
    Choice,
    Cursor,
    FeedQueuer,
    Places,
    Queuer,
    RemoteQueuer,
    Tally,
    Tracker,
    expand,
    note_rows,
    rss_fetcher,
    server_name,
)
from tearsheet.query import parse_query
from tearsheet.work import (
    DROPPED,
    QUARANTINED,
    Announcer,
    AsyncWorker,
    BatchWorker,
    CpuPool,
    CpuWorker,
    RetryRule,
    Service,
    Supervisor,
    WaterMarks,
    Worker,
    WorkerConfig,
)

STORIES_A_PLACE = 16
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
    """Builds the workers of a pipeline from the services. What they hold is closed with `stack`."""

    def __init__(self, services: Services, pipeline: Pipeline, broker: Broker, stack: AsyncExitStack) -> None:
        self._services = services
        self._pipeline = pipeline
        self._broker = broker
        self._stack = stack
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
            # Most stories in hand wait for the turn of their host, so there must be many more of them than are fetched at once.
            config.prefetch = STORIES_A_PLACE * services.settings.fetch.concurrency
            stage = self._fetcher(config.prefetch) if step.stage == "fetcher" else self._hist_fetcher()
            return AsyncWorker(stage, config, broker, services.ledger)
        if step.stage == "importer":
            services.index.refresh()  # a run that was killed may have left stories that no search sees yet
            batch, seconds = self._settings.import_batch, self._settings.import_seconds
            return BatchWorker(Importer(services.index), config, broker, services.ledger, batch=batch, seconds=seconds)
        if step.stage == "page-storer":
            batch, seconds = self._settings.import_batch, self._settings.import_seconds
            storer = PageStorer(services.page_store)
            return BatchWorker(storer, config, broker, services.ledger, batch=batch, seconds=seconds)
        archive = services.settings.archive
        archiver = services.archiver_with(self._pipeline.prefix or archive.prefix)
        return BatchWorker(
            archiver, config, broker, services.ledger, batch=archive.max_stories, seconds=archive.max_seconds
        )

    def _config(self, step: Step) -> WorkerConfig:
        s, pipeline = self._settings, self._pipeline
        retries = s.max_retries if pipeline.max_retries is None else pipeline.max_retries
        rule = RetryRule(retries, s.retry_seconds, s.max_retry_seconds)
        outputs = tuple(pipeline.place(stage) for stage in step.outputs)
        marks = WaterMarks(s.low_water, s.high_water)
        return WorkerConfig(step.stage, outputs, rule, marks, place=pipeline.place(step.stage))

    def _fetcher(self, places: int) -> Fetcher:
        settings = self._services.settings.fetch
        client = Client(settings)
        self._stack.push_async_callback(client.close)
        store = HostStore(self._services.database)
        manners = Manners(settings, store, places=places)
        self._stack.push_async_callback(manners.close)
        return Fetcher(client, manners, settings, Robots(client, manners, settings, store))

    def _hist_fetcher(self) -> HistFetcher:
        blobs = self._services.open_blobs(self._settings.downloads)
        return HistFetcher(blobs, max_bytes=self._services.settings.fetch.max_bytes)


QUEUER = "queuer"
"""The stage before all others: it polls the feeds, or reads files, and queues what is new."""


class Source(Protocol):
    """Where a pipeline's stories come from."""

    def open(self, broker: Broker, stack: AsyncExitStack, *, once: bool) -> Service:
        """What brings the stories; with `once` it ends by itself. What it holds is closed with `stack`."""
        ...


class Collector:
    """A pipeline, whole or some stages of it (`stages`, as a worker on one of several machines runs).

    Without a `source`, stories come from the feeds; a pipeline that reads files needs one.
    """

    def __init__(
        self,
        services: Services,
        stages: Sequence[str] | None = None,
        *,
        pipeline: Pipeline | None = None,
        source: Source | None = None,
    ) -> None:
        self.services = services
        self.pipeline = pipeline or services.pipelines[DEFAULT]
        if services.settings.pages.active:
            self.pipeline = with_page_store(self.pipeline)
        self.workers: list[Worker] = []
        self.interrupted = False
        chosen = [QUEUER, *(step.stage for step in self.pipeline.steps)] if stages is None else list(stages)
        self._steps = [self.pipeline.step(stage) for stage in chosen if stage != QUEUER]
        self._source = source or self._feeds(alone=stages is None) if QUEUER in chosen else None
        self._broker: Broker | None = None

    async def run(self, *, once: bool = False, services: Sequence[Service] = ()) -> None:
        """Work until stopped; with `once`, until the source has ended and the queues are empty."""
        gc.freeze()  # what was imported stays: the garbage collector need not look at it again and again
        async with AsyncExitStack() as stack:
            broker = self._broker = self.services.open_broker()
            stack.push_async_callback(broker.close)
            factory = WorkerFactory(self.services, self.pipeline, broker, stack)
            self.workers = [factory.build(step) for step in self._steps]
            sources = [self._source.open(broker, stack, once=once)] if self._source else []
            supervisor = Supervisor(self.workers, broker)
            along = [Announcer(self.services.database, self.workers).run, *services]
            if self.services.archive_stores and any(step.stage == "archiver" for step in self._steps):
                along.append(Uploading(self.services.uploader, lambda: supervisor.interrupted).run)
            try:
                await supervisor.run(sources, along, once=once)
            finally:
                self.interrupted = supervisor.interrupted

    async def depths(self) -> dict[str, Depth]:
        """The depth of each queue, for whoever shows progress."""
        return await self._broker.depths() if self._broker else {}

    def _feeds(self, *, alone: bool) -> Source:
        if self.pipeline.queuer != "feeds":
            raise UsageError(
                f"the pipeline {self.pipeline.name} reads files: queue them with "
                f"`tearsheet pipeline run {self.pipeline.name} --queue-only FILE…`"
            )
        if self.services.settings.feeds.remote:
            return RemoteSource(self.services, self.pipeline)
        return FeedSource(self.services, self.pipeline, alone=alone)


class FeedSource:
    """Polls the feeds and queues their new entries."""

    def __init__(self, services: Services, pipeline: Pipeline, *, alone: bool) -> None:
        self._services = services
        self._pipeline = pipeline
        self._alone = alone

    def open(self, broker: Broker, stack: AsyncExitStack, *, once: bool) -> Service:
        """Poll each feed when it is due; with `once`, until no feed is."""
        settings, database = self._services.settings, self._services.database
        if self._alone and scheme_of(settings.engines.database) == "sqlite":
            # This run holds the data folder: whoever leased feeds before is dead, and their leases need not be waited for.
            free_all_leases(database, utc_now())
        client = Client(settings.fetch)
        stack.push_async_callback(client.close)
        poller = Poller(database, client, settings.feeds)
        marks = WaterMarks(settings.pipeline.low_water, settings.pipeline.high_water)
        queuer = FeedQueuer(database, broker, self._pipeline.first_places, marks, settings.feeds.server_name)

        house = Housekeeper(database, settings.feeds, self._services.data / "rss")

        async def bring_stories(stop: asyncio.Event) -> None:
            async with asyncio.TaskGroup() as group:
                polling = group.create_task(poller.run(stop, once=once))
                group.create_task(queuer.run(stop, no_more=polling.done))
                if not once:
                    group.create_task(house.run(stop))

        return bring_stories


class RemoteSource:
    """Takes stories from the rss-fetcher of the setting `feeds.remote`."""

    def __init__(self, services: Services, pipeline: Pipeline) -> None:
        self._services = services
        self._pipeline = pipeline

    def open(self, broker: Broker, stack: AsyncExitStack, *, once: bool) -> Service:
        """Take what is behind the cursor; with `once`, until there is no more."""
        services, settings = self._services, self._services.settings
        server = server_name(settings.feeds.remote)
        marks = WaterMarks(settings.pipeline.low_water, settings.pipeline.high_water)
        queuer = RemoteQueuer(
            rss_fetcher(settings.feeds.remote),
            server,
            Cursor(services.data / "rss-fetcher" / f"{server}.json"),
            broker,
            self._pipeline.first_places,
            marks,
            partial(note_rows, services.ledger, server),
        )
        return partial(queuer.run, once=once)


class FileSource:
    """Reads files and queues their stories."""

    def __init__(
        self, services: Services, pipeline: Pipeline, inputs: Sequence[str], choice: Choice | None = None
    ) -> None:
        if pipeline.queuer not in FILE_KINDS:
            raise UsageError(f"the pipeline {pipeline.name} reads no files: its stories come from the feeds")
        self.tally = Tally()
        self._services = services
        self._pipeline = pipeline
        self._inputs = list(inputs)
        self._choice = choice or Choice()

    def open(self, broker: Broker, stack: AsyncExitStack, *, once: bool) -> Service:
        """Read every file that is not finished; ends by itself, always."""
        return self._queuer(broker, stack).run

    async def count(self) -> None:
        """Read the files and count their stories; nothing is queued."""
        async with AsyncExitStack() as stack:
            await self._queuer(None, stack).run(asyncio.Event())

    def _queuer(self, broker: Broker | None, stack: AsyncExitStack) -> Queuer:
        services, settings = self._services, self._services.settings
        kind = FILE_KINDS[self._pipeline.queuer]
        folder = services.data / "trackers"
        make_folder(folder)
        tracker = Tracker(folder / f"{self._pipeline.name}.sqlite3")
        stack.callback(tracker.close)
        marks = WaterMarks(settings.pipeline.low_water, settings.pipeline.high_water)
        where = Places(settings.engines.blobs, services.open_blobs, partial(moved_inputs, services.captures))
        find = partial(expand, self._inputs, where, kind.suffixes)
        places = self._pipeline.first_places
        queuer = Queuer(kind, find, tracker, places, marks, broker, services.ledger, self._choice)
        self.tally = queuer.tally
        return queuer


def summarise(services: Services, depths: dict[str, Depth]) -> Summary:
    """Count what the data folder holds."""
    services.index.refresh()  # what was added in the last seconds counts too
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
