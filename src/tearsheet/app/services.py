"""Composition: builds the engines and the services from the settings, and hands them to whoever needs them.

Nothing else reads settings to open a connection. Each thing is built when it is first asked for and closed at the end.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tearsheet.archive import ArchiveStore, Captures, Outbox, Uploader, stores_by_name
from tearsheet.engines.blobs import Blobs, open_blobs
from tearsheet.engines.broker import Broker, open_broker
from tearsheet.engines.database import Database, open_database
from tearsheet.engines.events import Events, open_events
from tearsheet.engines.index import Index, open_index
from tearsheet.errors import BusyError, StorageError
from tearsheet.pagestore import PageStore
from tearsheet.pipeline import Archiver, Pipeline, all_pipelines, fetch_queues
from tearsheet.settings import Settings
from tearsheet.work import Ledger

if TYPE_CHECKING:
    from tearsheet.app.ingest import IngestServices

T = TypeVar("T")


class Services:
    """Everything that a command may need, built on demand. Use it in a `with` block."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._closers = ExitStack()

    def __enter__(self) -> Services:
        return self

    def __exit__(self, *_: object) -> None:
        self._closers.close()

    def _closing(self, thing: T, close: Callable[[], object]) -> T:
        self._closers.callback(close)
        return thing

    @cached_property
    def data(self) -> Path:
        """The data folder, made if it is not there."""
        folder = self.settings.data
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"cannot create the data folder {folder}: {error.strerror}; choose another with --data"
            ) from error
        if not os.access(folder, os.W_OK):
            raise StorageError(
                f"the data folder {folder} cannot be written: check its rights, or choose another with --data"
            )
        return folder

    @cached_property
    def database(self) -> Database:
        """The database, brought to this version's schema."""
        engines = self.settings.engines
        database = open_database(engines.database, self.data, patience=engines.patience_seconds)
        self._closing(database, database.close)
        database.migrate()
        return database

    @cached_property
    def ledger(self) -> Ledger:
        """What became of each story."""
        return Ledger(self.database)

    @cached_property
    def index(self) -> Index:
        """The stories that can be searched."""
        engines = self.settings.engines
        index = open_index(engines.index, self.data, patience=engines.patience_seconds)
        return self._closing(index, index.close)

    @cached_property
    def archive(self) -> ArchiveStore:
        """Which capture lies in which file."""
        return ArchiveStore(self.database)

    @cached_property
    def archiver(self) -> Archiver:
        """The stage that writes captures, as the settings want it."""
        return self.archiver_with(self.settings.archive.prefix)

    def archiver_with(self, prefix: str) -> Archiver:
        """The same with another prefix of its file names, as each pipeline has its own."""
        archive = self.settings.archive
        return Archiver(
            self.archive,
            self.settings.path(archive.folder),
            prefix=prefix,
            profile=archive.profile,
            max_stories=archive.max_stories,
            max_bytes=archive.max_bytes,
            stores=tuple(self.archive_stores),
        )

    @cached_property
    def archive_stores(self) -> dict[str, Callable[[], Blobs]]:
        """The blob stores that archive files are copied to: by name, how to open each."""
        urls = self.settings.archive.stores
        return stores_by_name(urls, self.data, self.settings.engines.patience_seconds)

    @cached_property
    def captures(self) -> Captures:
        """Gets captures back, from this machine or from one of those stores."""
        return Captures(self.archive, self.settings.path(self.settings.archive.folder), self.archive_stores)

    @cached_property
    def uploader(self) -> Uploader:
        """Copies finished archive files to those stores; `run()` is one round."""
        archive = self.settings.archive
        return Uploader(
            Outbox(self.database),
            self.settings.path(archive.folder),
            self.archive_stores,
            remove_local=archive.remove_local,
            local_days=archive.local_days,
        )

    @cached_property
    def page_store(self) -> PageStore:
        """The dated page store."""
        return PageStore(self.settings.path(self.settings.pages.folder))

    @cached_property
    def pipelines(self) -> dict[str, Pipeline]:
        """Every pipeline by name, one's own too."""
        return all_pipelines(self.settings.pipelines)

    def open_blobs(self, url: str = "") -> Blobs:
        """A blob store by its URL: that of the settings when none is given. Closed at the end."""
        engines = self.settings.engines
        store = open_blobs(url or engines.blobs, self.data, patience=engines.patience_seconds)
        return self._closing(store, store.close)

    @cached_property
    def events(self) -> Events:
        """The event log."""
        engines = self.settings.engines
        events = open_events(engines.events, self.data, patience=engines.patience_seconds)
        return self._closing(events, events.close)

    @cached_property
    def ingest(self) -> IngestServices:
        """What the ingest of documents needs. Few commands do, and its imports take longer than all others together."""
        from tearsheet.app.ingest import IngestServices

        return IngestServices(self)

    def open_broker(self) -> Broker:
        """A connection to the broker; it belongs to the event loop, so the caller closes it."""
        engines = self.settings.engines
        divided = fetch_queues(self.pipelines)
        return open_broker(engines.broker, self.data, partitioned=divided, patience=engines.patience_seconds)

    @contextmanager
    def exclusive(self, purpose: str) -> Iterator[None]:
        """Hold the data folder for `purpose`, or say who does."""
        path = self.data / f"{purpose}.lock"
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
        except OSError as error:
            raise StorageError(f"cannot write to {path}: {error.strerror}; check the data folder's rights") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 32, 0).decode().strip()
            os.close(descriptor)
            raise BusyError(
                f"`tearsheet {purpose}` is already at work on {self.data} (process {holder}): stop it first"
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        try:
            yield
        finally:
            os.close(descriptor)
