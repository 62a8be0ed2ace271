"""Composition of the ingest of documents, apart from the rest because it is heavy to import and seldom needed."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from tearsheet.engines.blobs import Blobs
from tearsheet.fetch import HostStore
from tearsheet.ingest import (
    CaptureFile,
    DocumentReplay,
    Ingester,
    IngestLimits,
    IngestService,
    IngestStore,
    Looker,
    Names,
    ProcessLooker,
    Visitor,
    bucket_url,
    look_in_thread,
)

if TYPE_CHECKING:
    from tearsheet.app.services import Services


class IngestServices:
    """What the ingest needs, built on demand from the services of all."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._settings = services.settings

    @cached_property
    def names(self) -> Names:
        """What the topics of the ingest are called."""
        return Names(self._settings.ingest.environment)

    @cached_property
    def store(self) -> IngestStore:
        """What was ingested."""
        return IngestStore(self._services.database)

    @cached_property
    def replay(self) -> DocumentReplay:
        """Ingested documents as they looked."""
        return DocumentReplay(self.store, self._services.captures)

    @cached_property
    def blobs(self) -> Blobs:
        """Where the texts of ingested documents are kept."""
        return self._services.open_blobs(bucket_url(self._settings.engines.blobs, self._settings.ingest.bucket))

    def open_visitor(self) -> Visitor:
        """Who fetches for the ingest; belongs to an event loop, so use it in an `async with` block."""
        return Visitor(self._settings.fetch, HostStore(self._services.database))

    @asynccontextmanager
    async def open_service(self) -> AsyncIterator[IngestService]:
        """Ingests requests, and looks at pages in processes of their own, with the time limit that the parser has.

        Belongs to an event loop.
        """
        pipeline = self._settings.pipeline
        size = pipeline.parser_processes or os.cpu_count() or 1
        async with self.open_visitor() as visitor, ProcessLooker(size, pipeline.page_seconds) as looker:
            yield self.service(visitor, looker)

    def service(self, visitor: Visitor, looker: Looker = look_in_thread) -> IngestService:
        """Ingests requests with this visitor."""
        wanted, archive = self._settings.ingest, self._settings.archive
        limits = IngestLimits(
            seconds=wanted.deadline_seconds,
            max_bytes=wanted.max_bytes,
            max_resources=wanted.max_resources,
            resource_seconds=wanted.resource_seconds,
        )
        folder, stores = self._settings.path(archive.folder), tuple(self._services.archive_stores)
        return IngestService(
            Ingester(visitor, limits, self.store.known, looker),
            lambda: CaptureFile(self._services.archive, folder, stores=stores),
            self._services.events,
            self.names,
        )
