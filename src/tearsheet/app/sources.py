"""Where the stories of a pipeline come from: feeds polled here, an rss-fetcher elsewhere, or files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Protocol

from tearsheet.app.captures import moved_inputs
from tearsheet.app.disk import disk_floor
from tearsheet.app.places import TRACKERS
from tearsheet.app.running import run_to_its_end
from tearsheet.app.services import Services
from tearsheet.clock import utc_now
from tearsheet.engines import is_embedded, repeated
from tearsheet.engines.broker import Broker
from tearsheet.errors import UsageError
from tearsheet.feeds.polling import Housekeeper, Poller, Subscriber, UnderWay, free_all_leases
from tearsheet.files import make_folder
from tearsheet.pipeline import Pipeline
from tearsheet.pipeline.queuers import (
    FILE_KINDS,
    Choice,
    Cursor,
    FeedQueuer,
    InputStores,
    Queuer,
    RemoteQueuer,
    Tally,
    Tracker,
    expand,
    note_rows,
    rss_fetcher,
    server_name,
)
from tearsheet.settings import PipelineSettings
from tearsheet.work import DiskFloor, Service, WaterMarks


class Source(Protocol):
    """Where a pipeline's stories come from."""

    floor: DiskFloor
    """What says whether its queuer pauses for want of disk space; of no meaning before it is opened."""

    @property
    def polling(self) -> UnderWay | None:
        """How far it has got with polling feeds; None when it polls none."""
        ...

    def open(self, broker: Broker, stack: AsyncExitStack, *, once: bool) -> Service:
        """The service that brings the stories; with `once` it ends by itself. What it opens is closed with `stack`."""
        ...


def source_of(services: Services, pipeline: Pipeline, *, alone: bool) -> Source:
    """The source of a pipeline without input files. `alone` says that nothing else polls feeds. Raises UsageError."""
    if pipeline.queuer != "feeds":
        raise UsageError(
            f"the pipeline {pipeline.name} reads files: queue them with "
            f"`tearsheet pipeline run {pipeline.name} --queue-only FILE…`"
        )
    if services.settings.feeds.remote:
        return RemoteSource(services, pipeline)
    return FeedSource(services, pipeline, alone=alone)


class FeedSource:
    """Polls the feeds and queues their new entries."""

    def __init__(self, services: Services, pipeline: Pipeline, *, alone: bool) -> None:
        self._services = services
        self._pipeline = pipeline
        self._alone = alone
        self._poller: Poller | None = None
        self.floor = DiskFloor()

    @property
    def polling(self) -> UnderWay | None:
        """How far it has got with the feeds that are due."""
        return self._poller.under_way if self._poller else None

    def open(self, broker: Broker, stack: AsyncExitStack, *, once: bool) -> Service:
        """Poll each feed when it is due; with `once`, until no feed is due."""
        settings, database = self._services.settings, self._services.database
        floor = self.floor = disk_floor(self._services, once=once)
        if self._alone and is_embedded(settings.engines.database):
            # This run holds the data folder: any earlier poller is dead, and its leases need not be waited for.
            free_all_leases(database, utc_now())
        client, reader = self._services.open_polite(stack), self._services.open_reader(stack)
        poller = self._poller = Poller(database, client, reader, settings.feeds, has_room=floor.may_poll)
        queues, marks = self._pipeline.first_queues, _queuer_marks(settings.pipeline)
        queuer = FeedQueuer(database, broker, queues, marks, settings.feeds.server_name, floor=floor)
        subscriber = Subscriber(database, client, settings.feeds)
        house = Housekeeper(database, settings.feeds, self._services.data / "rss")

        async def bring_stories(stop: asyncio.Event) -> None:
            async with asyncio.TaskGroup() as group:
                polling = group.create_task(poller.run(stop, once=once))
                group.create_task(queuer.run(stop, no_more=polling.done))
                group.create_task(asyncio.to_thread(repeated, house.once) if once else house.run(stop))
                group.create_task(subscriber.once() if once else subscriber.run(stop))

        return bring_stories


class RemoteSource:
    """Takes stories from the rss-fetcher of the setting `feeds.remote`."""

    polling = None

    def __init__(self, services: Services, pipeline: Pipeline) -> None:
        self._services = services
        self._pipeline = pipeline
        self.floor = DiskFloor()

    def open(self, broker: Broker, stack: AsyncExitStack, *, once: bool) -> Service:
        """Take the stories after the cursor; with `once`, until there are no more."""
        services, settings = self._services, self._services.settings
        server = server_name(settings.feeds.remote)
        self.floor = disk_floor(services, once=once)
        queuer = RemoteQueuer(
            rss_fetcher(settings.feeds.remote),
            server,
            Cursor(services.data / "rss-fetcher" / f"{server}.json"),
            broker,
            self._pipeline.first_queues,
            _queuer_marks(settings.pipeline),
            partial(note_rows, services.ledger, server),
            settings.engines.patience_seconds,
            self.floor,
        )
        return partial(queuer.run, once=once)


class FileSource:
    """Reads files and queues their stories."""

    polling = None

    def __init__(
        self, services: Services, pipeline: Pipeline, inputs: Sequence[str], choice: Choice | None = None
    ) -> None:
        if pipeline.queuer not in FILE_KINDS:
            raise UsageError(f"the pipeline {pipeline.name} does not read files: its stories come from the feeds")
        self.tally = Tally()
        self.floor = DiskFloor()
        self._services = services
        self._pipeline = pipeline
        self._inputs = list(inputs)
        self._choice = choice or Choice()

    def open(self, broker: Broker, stack: AsyncExitStack, *, once: bool) -> Service:
        """Read every file that is not finished; always ends by itself."""
        self.floor = disk_floor(self._services, once=True)
        return self._queuer(broker, stack).run

    def count(self) -> None:
        """Read the files and count their stories; nothing is queued."""

        async def read() -> None:
            async with AsyncExitStack() as stack:
                await self._queuer(None, stack).run(asyncio.Event())

        run_to_its_end(read())

    def _queuer(self, broker: Broker | None, stack: AsyncExitStack) -> Queuer:
        services, settings = self._services, self._services.settings
        kind = FILE_KINDS[self._pipeline.queuer]
        folder = services.data / TRACKERS
        make_folder(folder)
        tracker = Tracker(folder / f"{self._pipeline.name}.sqlite3")
        stack.callback(tracker.close)
        marks = _queuer_marks(settings.pipeline)
        stores = InputStores(settings.engines.blobs, services.open_blobs, partial(moved_inputs, services.captures))
        find = partial(expand, self._inputs, stores, kind.suffixes)
        queues = self._pipeline.first_queues
        queuer = Queuer(kind, find, tracker, queues, marks, broker, services.ledger, self._choice, self.floor)
        self.tally = queuer.tally
        return queuer


def _queuer_marks(settings: PipelineSettings) -> WaterMarks:
    """A queuer starts below the low mark, whatever others have queued, and stops at the high one."""
    return WaterMarks(settings.low_water, settings.high_water, stopped=True)
