"""The ingest of documents: what it needs, and how a command, a worker or the web API runs it.

Separate from the other services because it is slow to import and seldom needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cached_property, partial

from tearsheet.app.disk import disk_floor, require_space
from tearsheet.app.engines import Engines
from tearsheet.app.newsroom import require_newsroom
from tearsheet.app.running import Run, run_to_its_end, run_until_stopped
from tearsheet.app.telling import told_all_along
from tearsheet.chunks import chunks
from tearsheet.engines.blobs import Blobs
from tearsheet.errors import StorageError
from tearsheet.ingest import (
    REQUEST_BATCH,
    CaptureFile,
    DocumentReplay,
    Ingester,
    IngestLimits,
    IngestRequest,
    IngestService,
    IngestStore,
    IngestWebResult,
    Names,
    Visitor,
    bucket_url,
    ingest_round,
    persist_results,
    persist_texts,
    work,
)
from tearsheet.work import DiskFloor, Reader

AT_ONCE = 4
"""How many documents are ingested for users of the web API at the same time; others wait."""
Round = Callable[[float], Awaitable[int]]


class IngestServices:
    """What the ingest needs, built on demand from the engines of a data folder."""

    def __init__(self, engines: Engines) -> None:
        self.engines = engines
        self._settings = engines.settings

    @cached_property
    def names(self) -> Names:
        """The names of the ingest's topics in the event log."""
        return Names(self._settings.ingest.environment)

    @cached_property
    def store(self) -> IngestStore:
        """What was ingested."""
        return IngestStore(self.engines.database)

    @cached_property
    def replay(self) -> DocumentReplay:
        """Ingested documents as they looked."""
        return DocumentReplay(self.store, self.engines.captures)

    @cached_property
    def blobs(self) -> Blobs:
        """Where the texts of ingested documents are kept."""
        bucket = self._settings.ingest.bucket
        url = bucket_url(self._settings.engines.blobs, bucket)
        return self.engines.open_blobs(url, "engines.blobs and ingest.bucket" if bucket else "engines.blobs")

    @asynccontextmanager
    async def open_service(self) -> AsyncIterator[IngestService]:
        """A service that ingests requests, and reads pages in separate processes with the parser's time limit.

        It belongs to the running event loop.
        """
        async with AsyncExitStack() as stack:
            yield self.service(Visitor(self.engines.open_polite(stack)), self.engines.open_reader(stack))

    def service(self, visitor: Visitor, reader: Reader) -> IngestService:
        """A service that ingests requests with this visitor and this reader."""
        wanted = self._settings.ingest
        limits = IngestLimits(
            seconds=wanted.deadline_seconds,
            max_bytes=wanted.max_bytes,
            max_resources=wanted.max_resources,
            resource_seconds=wanted.resource_seconds,
        )
        folder, stores = self.engines.archive_folder, tuple(self.engines.archive_stores)
        return IngestService(
            Ingester(visitor, reader, limits, self.store.known, self.engines.erased.covers),
            partial(CaptureFile, self.engines.archive, folder, stores=stores),
            self.store,
            self.blobs,
            self.engines.events,
            self.names,
        )

    def queue(self, requests: Iterable[IngestRequest]) -> None:
        """Put requests into their topic, for `tearsheet worker ingest`."""
        self.engines.events.publish(self.names.requests, [(one.base_url, one.raw) for one in requests])

    def hide(self, keys: Iterable[str], *, hide: bool) -> int:
        """Keep captures of documents, named by address or SHA-1, out of all lookups, or let them back in; returns how many."""
        return sum(self.store.hide(key, hide=hide) for key in keys)

    def ingest(
        self,
        requests: Iterable[IngestRequest],
        show: Callable[[IngestWebResult], None],
        telling: Callable[[int], None] = lambda done: None,
    ) -> int:
        """Ingest documents, a few at a time, and show each result once it is safe; returns how many are not hits.

        `telling` is told again and again how many are done.
        """
        wanted = list(requests)
        require_newsroom(self.engines, [one.base_url for one in wanted])
        return run_to_its_end(self._ingest(wanted, show, telling))

    async def _ingest(
        self,
        requests: Iterable[IngestRequest],
        show: Callable[[IngestWebResult], None],
        telling: Callable[[int], None],
    ) -> int:
        missed = done = 0
        async with told_all_along(lambda: telling(done)), self.open_service() as service:
            for batch in chunks(requests, REQUEST_BATCH):
                await asyncio.to_thread(require_space, self.engines)
                for result in await service.handle(batch):
                    missed += not result.hit
                    done += 1
                    show(result)
        return missed

    def run_workers(self, stages: Sequence[str], *, once: bool = False) -> None:
        """Run the stages ingest, persist-result or persist-html-text until stopped; with `once`, until nothing is left to do."""

        async def go(run: Run) -> None:
            async with self.open_service() as service, asyncio.TaskGroup() as group:
                rounds: dict[str, Round] = {
                    "ingest": partial(self._ingest_round, service, disk_floor(self.engines, once=once)),
                    "persist-result": self._persist_results,
                    "persist-html-text": self._persist_texts,
                }
                for stage in stages:
                    group.create_task(work([rounds[stage]], run.stop, once=once))

        run_until_stopped(go)

    async def _ingest_round(self, service: IngestService, floor: DiskFloor, wait: float) -> int:
        """Take some requests when there is room for their documents."""
        if not await asyncio.to_thread(floor.may_go):
            if wait == 0.0:  # a round that is not waited for belongs to work that is to end
                raise StorageError(floor.told)
            await asyncio.sleep(wait)
            return 0
        return await ingest_round(service, wait)

    async def _persist_results(self, wait: float) -> int:
        return await asyncio.to_thread(persist_results, self.engines.events, self.names, self.store, wait)

    async def _persist_texts(self, wait: float) -> int:
        return await asyncio.to_thread(persist_texts, self.engines.events, self.names, self.blobs, wait)


class IngestForVisitors:
    """Ingests for all users of the web API with one visitor: however many ask, each host sees one polite client.

    Belongs to the event loop of the server.
    """

    def __init__(self, ingest: IngestServices) -> None:
        self._ingest = ingest
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._opening = asyncio.Lock()
        self._open = AsyncExitStack()
        self._service: IngestService | None = None

    async def ingest(self, request: IngestRequest) -> IngestWebResult:
        """Ingest one document and keep everything that belongs to it."""
        async with self._opening:
            if self._service is None:
                self._service = await self._open.enter_async_context(self._ingest.open_service())
        async with self._slots:
            await asyncio.to_thread(require_space, self._ingest.engines)
            [result] = await self._service.handle([request])
        return result

    async def close(self) -> None:
        """Close the visitor, and end the processes that read pages."""
        await self._open.aclose()
