"""Running a pipeline: its source, its stages and the services beside them, in one process tree.

This is what `tearsheet run`, `tearsheet pipeline run` and `tearsheet worker` do.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from tearsheet.app.newsroom import require_newsroom
from tearsheet.app.polite import STORIES_PER_SLOT
from tearsheet.app.queues import read_depths
from tearsheet.app.running import Run, run_until_stopped
from tearsheet.app.services import Services
from tearsheet.app.sources import FileSource, Source, source_of
from tearsheet.app.summary import Summary, ThisRun, summarise
from tearsheet.app.telemetry import tell_depths
from tearsheet.archive import Outbox
from tearsheet.clock import utc_now, wall_clock
from tearsheet.counts import how_many
from tearsheet.engines import is_embedded
from tearsheet.engines.broker import Broker, Depth
from tearsheet.errors import NotFoundError
from tearsheet.feeds.catalogue import FailingFeed, failing_feeds, polls_since
from tearsheet.near_names import did_you_mean
from tearsheet.pipeline import (
    DEFAULT,
    Archiver,
    Fetcher,
    HistFetcher,
    Importer,
    PageStorer,
    Pipeline,
    Step,
    Unerased,
    UnerasedBatch,
    UnerasedKeeping,
    Uploading,
    with_page_store,
)
from tearsheet.work import (
    DONE,
    DROPPED,
    QUARANTINED,
    Announcer,
    AsyncWorker,
    BatchWorker,
    CpuPool,
    CpuWorker,
    KeepingWorker,
    LaterTries,
    LedgerKeeper,
    RetryRule,
    Service,
    Supervisor,
    WaterMarks,
    Worker,
    WorkerConfig,
    input_queue,
    later_tries,
    quarantines,
    share_heaps,
)

QUEUER = "queuer"
"""The stage before all others: it polls the feeds, or reads files, and queues what is new."""
PARSER = "tearsheet.pipeline.parser:Parser"
"""What the processes run that read pages."""
ARCHIVED_AT_ONCE = 64
"""Stories that the archiver has in memory with their pages; how many share a file is another matter (`archive.max_stories`)."""


@dataclass(slots=True, frozen=True)
class Plan:
    """What a worker is built from. Anything the worker opens is closed with `stack`."""

    services: Services
    pipeline: Pipeline
    broker: Broker
    stack: AsyncExitStack

    def config(self, step: Step) -> WorkerConfig:
        """Where a step's stories come from and go to, and how often each is tried."""
        settings, pipeline = self.services.settings.pipeline, self.pipeline
        retries = settings.max_retries if pipeline.max_retries is None else pipeline.max_retries
        rule = RetryRule(retries, settings.retry_seconds, settings.max_retry_seconds)
        outputs = tuple(pipeline.queue_name(stage) for stage in step.outputs)
        marks = WaterMarks(settings.low_water, settings.high_water)
        return WorkerConfig(step.stage, outputs, rule, marks, queue_name=pipeline.queue_name(step.stage))


def _fetcher(plan: Plan, config: WorkerConfig) -> Worker:
    config.prefetch = STORIES_PER_SLOT * plan.services.settings.fetch.concurrency
    client = plan.services.open_polite(plan.stack)
    stage = Unerased(Fetcher(client), plan.services.erased)
    return AsyncWorker(stage, config, plan.broker, plan.services.ledger, on_stop=client.send_away)


def _hist_fetcher(plan: Plan, config: WorkerConfig) -> Worker:
    settings = plan.services.settings
    config.prefetch = STORIES_PER_SLOT * settings.fetch.concurrency
    stage = HistFetcher(plan.services.open_downloads(), max_bytes=settings.fetch.max_bytes)
    return AsyncWorker(Unerased(stage, plan.services.erased), config, plan.broker, plan.services.ledger)


def _parser(plan: Plan, config: WorkerConfig) -> Worker:
    settings = plan.services.settings.pipeline
    size = settings.parser_processes or os.cpu_count() or 1
    config.prefetch = 2 * size
    pool = CpuPool(PARSER, config.stage, size, settings.page_seconds)
    return CpuWorker(pool, config, plan.broker, plan.services.ledger)


def _importer(plan: Plan, config: WorkerConfig) -> Worker:
    services, settings = plan.services, plan.services.settings.pipeline
    services.index.refresh()  # a run that was killed may have left stories that no search sees yet
    batch, seconds = settings.import_batch, settings.import_seconds
    stage, ledger = UnerasedBatch(Importer(services.index), services.erased), services.ledger
    return BatchWorker(stage, config, plan.broker, ledger, batch=batch, seconds=seconds, pages=False)


def _archiver(plan: Plan, config: WorkerConfig) -> Worker:
    services, settings = plan.services, plan.services.settings.archive
    stage = UnerasedKeeping(archiver(services, plan.pipeline.prefix or settings.prefix), services.erased)
    batch, seconds = min(ARCHIVED_AT_ONCE, settings.max_stories), min(1.0, settings.max_seconds)
    return KeepingWorker(stage, config, plan.broker, services.ledger, batch=batch, seconds=seconds)


def _page_storer(plan: Plan, config: WorkerConfig) -> Worker:
    services, settings = plan.services, plan.services.settings.pipeline
    stage = UnerasedBatch(PageStorer(services.page_store), services.erased)
    batch, seconds = settings.import_batch, settings.import_seconds
    return BatchWorker(stage, config, plan.broker, services.ledger, batch=batch, seconds=seconds)


BUILDERS: dict[str, Callable[[Plan, WorkerConfig], Worker]] = {
    "fetcher": _fetcher,
    "hist-fetcher": _hist_fetcher,
    "parser": _parser,
    "importer": _importer,
    "archiver": _archiver,
    "page-storer": _page_storer,
}
"""How the worker of each stage is built."""


def build_worker(plan: Plan, step: Step) -> Worker:
    """The worker of one step. Raises NotFoundError when there is no such stage."""
    try:
        build = BUILDERS[step.stage]
    except KeyError:
        hint = did_you_mean(step.stage, BUILDERS, f"there are: {', '.join(BUILDERS)}")
        raise NotFoundError(f"there is no stage {step.stage!r}; {hint}") from None
    return build(plan, plan.config(step))


def archiver(services: Services, prefix: str) -> Archiver:
    """The stage that writes captures, configured by the settings; each pipeline has its own file name prefix."""
    settings = services.settings.archive
    return Archiver(
        services.archive,
        services.archive_folder,
        prefix=prefix,
        profile=settings.profile,
        max_stories=settings.max_stories,
        max_bytes=settings.max_bytes,
        max_seconds=settings.max_seconds,
        stores=tuple(services.archive_stores),
    )


class Collector:
    """A pipeline, or only some of its `stages`, as run by a worker on one of several machines.

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
        self._source = source
        if source is None and QUEUER in chosen:
            self._source = source_of(services, self.pipeline, alone=stages is None)
        self._broker: Broker | None = None

    def run(self, *, once: bool = False, along: Sequence[Service] = ()) -> None:
        """Work until stopped; with `once`, until the source has ended and the queues are empty.

        `interrupted` says afterwards whether a signal came before that.
        """
        run_until_stopped(partial(self._run, once=once, along=along))

    async def _run(self, run: Run, *, once: bool, along: Sequence[Service]) -> None:
        share_heaps()
        gc.freeze()  # imported modules stay: the garbage collector need not examine them again and again
        async with AsyncExitStack() as stack:
            broker = self._broker = self.services.open_broker()
            stack.push_async_callback(broker.close)
            plan = Plan(self.services, self.pipeline, broker, stack)
            self.workers = [build_worker(plan, step) for step in self._steps]
            sources = [self._source.open(broker, stack, once=once)] if self._source else []
            try:
                supervisor = Supervisor(self.workers, broker, run.stop)
                await supervisor.run(sources, [*self._helpers(run), *along], once=once)
            finally:
                self.interrupted = run.interrupted

    def _helpers(self, run: Run) -> list[Service]:
        """The services that every run needs beside its workers."""
        services = self.services
        helpers: list[Service] = [
            Announcer(services.database, self.workers).run,
            LedgerKeeper(services.ledger, services.settings.storage.ledger_days).run,
            partial(tell_depths, self.depths),
        ]
        if self.services.archive_stores and any(step.stage == "archiver" for step in self._steps):
            helpers.append(Uploading(self.services.uploader, lambda: run.interrupted).run)
        return helpers

    @property
    def paused(self) -> str:
        """Why the queuer pauses for want of disk space; empty when it does not."""
        return self._source.floor.told if self._source else ""

    @property
    def polling(self) -> str:
        """How far it has got with the feeds that are due, in words; empty when every poll is over."""
        return str((self._source and self._source.polling) or "")

    @property
    def short_of_disk(self) -> str:
        """Why a run that was to end left stories unqueued; empty when it did not."""
        return self._source.floor.told if self._source and self._source.floor.gave_up else ""

    async def depths(self) -> dict[str, Depth]:
        """The depth of each queue, for progress reports."""
        return await self._broker.depths() if self._broker else {}


@dataclass(slots=True)
class Ran:
    """What became of the stories that a run of a pipeline worked on."""

    indexed: int = 0
    archived: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    """By `stage/reason`."""
    quarantined: dict[str, int] = field(default_factory=dict)
    in_quarantine: dict[str, int] = field(default_factory=dict)
    """How many the pipeline's stages now have in quarantine, from this run or an earlier one, by the prefix of their queues."""
    interrupted: bool = False
    """Whether a signal came before all was done."""


def _ran(collector: Collector) -> Ran:
    def ended(status: str) -> dict[str, int]:
        return {
            f"{worker.name}/{reason}": stories
            for worker in collector.workers
            for (found, reason), stories in worker.outcomes.most_common()
            if found == status
        }

    done = {worker.name: worker.outcomes[DONE, ""] for worker in collector.workers}
    indexed, archived = done.get("importer", 0), done.get("archiver", 0)
    return Ran(
        indexed,
        archived,
        ended(DROPPED),
        ended(QUARANTINED),
        _in_quarantine(collector.services, collector.pipeline),
        collector.interrupted,
    )


def _in_quarantine(services: Services, pipeline: Pipeline) -> dict[str, int]:
    own = {pipeline.queue_name(step.stage) for step in pipeline.steps}
    return {stage: stories for stage, stories in quarantines(read_depths(services)).items() if stage in own}


def waiting_stories(services: Services, pipeline: Pipeline) -> int:
    """How many stories a pipeline's queues hold, for now or for later; those in quarantine do not count."""
    queues = {input_queue(pipeline.queue_name(step.stage)) for step in pipeline.steps}
    return sum(depth.total for name, depth in read_depths(services).items() if name in queues)


def waiting_tries(services: Services, pipeline: Pipeline) -> LaterTries:
    """What a pipeline's queues hold for later."""
    queues = {input_queue(pipeline.queue_name(step.stage)) for step in pipeline.steps}
    return later_tries({name: depth for name, depth in read_depths(services).items() if name in queues}, wall_clock())


def waiting_copies(services: Services) -> str:
    """How many archive files still wait for a copy, and why; empty when none does."""
    states = [state for state in Outbox(services.database).states() if state.store in services.archive_stores]
    waiting = sum(state.waiting for state in states)
    why = next((state.error for state in states if state.error), "")
    return (
        f"{how_many(waiting, 'copy')} of archive files could not be made{f' ({why})' if why else ''}" if waiting else ""
    )


Along = Callable[[Collector], Sequence[Service]]
"""Builds the services that run beside a collector: its progress, the web pages."""


def collect(services: Services, along: Along, *, once: bool, pipeline: Pipeline | None = None) -> tuple[Summary, bool]:
    """Collect from the feeds until stopped, or `once`. Returns what the data folder then holds, and whether a signal came."""
    require_newsroom(services)
    collector = Collector(services, pipeline=pipeline)
    with services.exclusive("run"):
        started = utc_now()
        collector.run(once=once, along=along(collector))
        summary = summarise(services)
        summary.failed_feeds = failing_feeds(services.database, since=started)
        summary.this_run = _this_run(collector, started, summary.failed_feeds)
        summary.short_of_disk = collector.short_of_disk
        summary.uncopied = waiting_copies(services) if once else ""
        return summary, collector.interrupted


def _this_run(collector: Collector, started: datetime, failed: Sequence[FailingFeed]) -> ThisRun:
    database, ran = collector.services.database, _ran(collector)
    earlier = [feed for feed in failing_feeds(database) if feed not in failed]
    return ThisRun(polls_since(database, started), ran.indexed, ran.archived, earlier)


def run_files(
    services: Services, pipeline: Pipeline, source: FileSource, along: Along, *, queue_only: bool = False
) -> Ran:
    """Queue the stories of files and work on them until all is done or a signal comes."""
    collector = Collector(services, [QUEUER] if queue_only else None, pipeline=pipeline, source=source)
    with ExitStack() as held:
        if not queue_only and is_embedded(services.settings.engines.index):
            held.enter_context(services.exclusive("run"))  # this index has one writer
        collector.run(once=True, along=along(collector))
    return _ran(collector)
