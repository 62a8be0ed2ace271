"""The engines and stores of a data folder, opened from the settings when they are first used.

Nothing else reads settings to open a connection. What was opened is closed at the end of the `with` block. Packages are imported
through their fronts and named in full below, so that each is loaded only with the engine or store that needs it: a search loads
no database library.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

import tearsheet.archive
import tearsheet.backup
import tearsheet.engines
import tearsheet.engines.blobs
import tearsheet.engines.broker
import tearsheet.engines.database
import tearsheet.engines.events
import tearsheet.engines.index
import tearsheet.pagestore
import tearsheet.pipeline
import tearsheet.work
from tearsheet.app.data_folder import beside_demo
from tearsheet.app.places import check_apart
from tearsheet.errors import BusyError, NotFoundError, StorageError
from tearsheet.locks import try_lock
from tearsheet.system import read_at, require_unix, write_at

if TYPE_CHECKING:
    from tearsheet.app.sharing import SharedByLoop
    from tearsheet.archive import ArchiveStore, Captures, Erased, Uploader
    from tearsheet.engines.blobs import Blobs
    from tearsheet.engines.broker import Broker
    from tearsheet.engines.database import Database
    from tearsheet.engines.events import Events
    from tearsheet.engines.index import Index
    from tearsheet.fetch import PoliteClient
    from tearsheet.pagestore import PageStore
    from tearsheet.pipeline import Pipeline
    from tearsheet.settings import Settings
    from tearsheet.work import Ledger, Reader, ReadingPool

T = TypeVar("T")


class Engines:
    """The engines and stores of a data folder. Use it in a `with` block.

    Unless it `begins` a data folder where there is none, opening anything in one that is absent is an error: the user may mean
    another, or have lost it and want it restored, and a new folder in its place would only be in the way. `tell` is told of a
    folder that was made, or in which there was only the demo.
    """

    def __init__(
        self, settings: Settings, *, begins: bool = True, tell: Callable[[Path], object] = lambda folder: None
    ) -> None:
        self.settings = settings
        self._begins = begins
        self._tell = tell
        self._closers = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closers.close()

    def _closing(self, thing: T, close: Callable[[], object]) -> T:
        self._closers.callback(close)
        return thing

    @cached_property
    def data(self) -> Path:
        """The data folder. Raises NotFoundError if there is none, and none may be begun."""
        folder = self.settings.data
        new = not os.path.lexists(folder)
        if new and not self._begins:
            if self._needs_no_folder():
                return folder
            raise NotFoundError(
                f"there is no data folder {folder}: name yours with --data FOLDER before the command, bring it back from "
                "a backup with `tearsheet restore`, begin one with `tearsheet run FEED…`, or try `tearsheet demo`"
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"cannot create the data folder {folder}: {error.strerror}; choose another with --data"
            ) from error
        if new or (self._begins and beside_demo(folder)):
            self._tell(folder)
        if not os.access(folder, os.W_OK):
            raise StorageError(
                f"the data folder {folder} cannot be written: check its rights, or choose another with --data"
            )
        if (folder / tearsheet.backup.RESTORING).exists():
            raise StorageError(
                f"a restore into {folder} has not ended: wait for it, or run it again, or empty the folder"
            )
        return folder

    @property
    def begun(self) -> bool:
        """Whether there is a data folder, or servers in its place."""
        return os.path.lexists(self.settings.data) or self._needs_no_folder()

    def _needs_no_folder(self) -> bool:
        """Whether everything is on servers, so that a machine may have no data folder of its own."""
        engines = self.settings.engines
        return not any(map(tearsheet.engines.is_embedded, (engines.database, engines.broker, engines.index)))

    @cached_property
    def database(self) -> Database:
        """The database, brought to this version's schema."""
        engines = self.settings.engines
        database = tearsheet.engines.database.open_database(
            engines.database, self.data, patience=engines.patience_seconds
        )
        self._closing(database, database.close)
        database.migrate()
        return database

    @cached_property
    def ledger(self) -> Ledger:
        """What became of each story."""
        return tearsheet.work.Ledger(self.database)

    @cached_property
    def index(self) -> Index:
        """The stories that were collected, as they can be searched."""
        engines = self.settings.engines
        index = tearsheet.engines.index.open_index(
            engines.index,
            self.data,
            patience=engines.patience_seconds,
            query_seconds=engines.query_seconds,
            life=tearsheet.engines.index.LifeCycle(
                engines.index_rollover_stories,
                engines.index_rollover_bytes,
                engines.index_rollover_days,
                engines.index_keep_days,
            ),
        )
        return self._closing(index, index.close)

    @cached_property
    def topic_index(self) -> Index:
        """The stories of topics, as they can be searched: those that were collected, and those that only spiders fetched."""
        index = self.open_topic_index()
        return self._closing(index, index.close)

    def open_topic_index(self) -> Index:
        """The index of topics, for one who writes to it and closes it soon: only one can write at a time."""
        engines = self.settings.engines
        return tearsheet.engines.index.open_index(
            self.topic_index_url, self.data, patience=engines.patience_seconds, query_seconds=engines.query_seconds
        )

    @property
    def topic_index_url(self) -> str:
        """Where the index of topics is."""
        return tearsheet.engines.index.url_for_topics(self.settings.engines.index)

    @cached_property
    def events(self) -> Events:
        """The event log."""
        engines = self.settings.engines
        self._check_apart("engines.events", engines.events)
        events = tearsheet.engines.events.open_events(engines.events, self.data, patience=engines.patience_seconds)
        return self._closing(events, events.close)

    def open_blobs(self, url: str = "", setting: str = "engines.blobs") -> Blobs:
        """The blob store at a URL, or that of `engines.blobs` when none is given. Closed at the end.

        `setting` is what the URL came from, for error messages.
        """
        engines = self.settings.engines
        if not url:
            self._check_apart("engines.blobs", engines.blobs)
        store = tearsheet.engines.blobs.open_blobs(
            url or engines.blobs, self.data, patience=engines.patience_seconds, setting=setting
        )
        return self._closing(store, store.close)

    def open_downloads(self) -> Blobs:
        """The blob store of the `historical` pipeline's pages."""
        url = self.settings.pipeline.downloads
        return self.open_blobs(url, "pipeline.downloads" if url else "engines.blobs")

    def open_broker(self) -> Broker:
        """A connection to the broker; it belongs to the event loop, so the caller closes it."""
        engines = self.settings.engines
        partitioned = tearsheet.pipeline.fetch_queues(self.pipelines)
        return tearsheet.engines.broker.open_broker(
            engines.broker, self.data, partitioned=partitioned, patience=engines.patience_seconds
        )

    @cached_property
    def pipelines(self) -> dict[str, Pipeline]:
        """Every pipeline by name, including those from the settings."""
        return tearsheet.pipeline.all_pipelines(self.settings.pipelines)

    @cached_property
    def archive(self) -> ArchiveStore:
        """Which capture is in which file."""
        return tearsheet.archive.ArchiveStore(self.database)

    @cached_property
    def erased(self) -> Erased:
        """The addresses that were erased and must not come back."""
        return tearsheet.archive.Erased(self.database)

    @cached_property
    def archive_stores(self) -> dict[str, Callable[[], Blobs]]:
        """How to open each of the blob stores that archive files are copied to, by name."""
        urls = self.settings.archive.stores
        for url in urls:
            self._check_apart("archive.stores", url)
        return tearsheet.archive.stores_by_name(urls, self.data, self.settings.engines.patience_seconds)

    @cached_property
    def archive_folder(self) -> Path:
        """The folder of finished WARC files."""
        self._check_apart("archive.folder", self.settings.archive.folder)
        return tearsheet.engines.local_path(self.settings.archive.folder, self.data, "archive.folder")

    @cached_property
    def captures(self) -> Captures:
        """Reads captures back, from this machine or from a store that has copies."""
        former = self.archive.all_proved_stores()
        stores = tearsheet.archive.with_former(self.archive_stores, former, self.data)
        return tearsheet.archive.Captures(self.archive, self.archive_folder, stores)

    @cached_property
    def uploader(self) -> Uploader:
        """Copies finished archive files to the archive's stores; `run()` is one round."""
        archive = self.settings.archive
        return tearsheet.archive.Uploader(
            tearsheet.archive.Outbox(self.database),
            self.captures.copies,
            self.archive_stores,
            remove_local=archive.remove_local,
            local_days=archive.local_days,
        )

    @cached_property
    def page_store(self) -> PageStore:
        """The dated page store."""
        self._check_apart("pages.folder", self.settings.pages.folder)
        folder = tearsheet.engines.local_path(self.settings.pages.folder, self.data, "pages.folder")
        return tearsheet.pagestore.PageStore(folder)

    @cached_property
    def _polite(self) -> SharedByLoop[PoliteClient]:
        from tearsheet.app.polite import polite_clients  # few commands go to the web, and its library is slow to load

        return polite_clients(self.settings.fetch, lambda: self.database)

    def open_polite(self, stack: AsyncExitStack) -> PoliteClient:
        """The polite client shared by everything in this event loop; closed when the `stack` of its last user is."""
        require_unix("fetching pages")
        return self._polite.open(stack)

    @cached_property
    def _reading(self) -> SharedByLoop[ReadingPool]:
        from tearsheet.app.sharing import SharedByLoop  # few commands read anything from the web

        pipeline = self.settings.pipeline
        size = pipeline.parser_processes or os.cpu_count() or 1
        return SharedByLoop(lambda: tearsheet.work.ReadingPool(size, pipeline.page_seconds))

    def open_reader(self, stack: AsyncExitStack) -> Reader:
        """The processes that read what came from the web for all in this event loop; they end with their last user's `stack`."""
        return self._reading.open(stack)

    def _check_apart(self, setting: str, url: str) -> None:
        if tearsheet.engines.is_embedded(url):
            check_apart(self.settings, setting, tearsheet.engines.local_path(url, self.data, setting))

    @contextmanager
    def exclusive(self, purpose: str) -> Iterator[None]:
        """Hold the data folder for `purpose`. Raises a BusyError that names the process that already does."""
        path = self.data / f"{purpose}.lock"
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
        except OSError as error:
            raise StorageError(f"cannot write to {path}: {error.strerror}; check the data folder's rights") from error
        if not try_lock(descriptor):
            holder = read_at(descriptor, 32, 0).decode().strip()
            os.close(descriptor)
            raise BusyError(
                f"`tearsheet {purpose}` is already at work on {self.data} (process {holder}): stop it first"
            )
        os.ftruncate(descriptor, 0)
        write_at(descriptor, str(os.getpid()).encode(), 0)
        try:
            yield
        finally:
            os.close(descriptor)
