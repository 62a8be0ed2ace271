"""Where an archive file can be read: on this machine, or in one of the archive's blob stores once the copy there is proved."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from tearsheet.archive.store import ArchiveStore, StoredFile
from tearsheet.engines import PATIENCE_SECONDS, is_embedded, local_path, written_path
from tearsheet.engines.blobs import Blobs, open_blobs
from tearsheet.errors import ConfigError, NotFoundError, TearsheetError, WorkerError
from tearsheet.files import place_of, storage_errors
from tearsheet.masking import HIDDEN, masked, without_login

OpenBlobs = Callable[[], Blobs]
_RANGE = 256 * 1024
"""Bytes requested from a store at once: usually enough for a story and what the reader needs around it."""


_SETTING = "archive.stores"
_LONGEST_NAME = 200


def store_name(url: str) -> str:
    """A store's name in the database and in messages: the path of a folder, or a URL without user, password and options.

    A path is absolute, or else in the data folder; so the name says where copies are, whatever the settings say later.
    Raises ConfigError.
    """
    if is_embedded(url):
        return written_path(url, _SETTING)
    address = url.partition("?")[0]
    if str(masked(address)).endswith(HIDDEN):
        raise ConfigError(
            f"{_SETTING}: a URL cannot be read; in a secret, write / as %2F, @ as %40, ? as %3F, # as %23"
        )
    return without_login(address)


def stores_by_name(urls: Sequence[str], data: Path, patience: float) -> dict[str, OpenBlobs]:
    """How to open each store, by name. Raises ConfigError when a store cannot be meant, or two are one."""
    for url in urls:
        check_store_url(url, urls, data)
    return {store_name(url): _opener(url, data, patience) for url in urls}


def check_store_url(url: str, urls: Sequence[str], data: Path) -> None:
    """Raise ConfigError when a store cannot be meant, or is twice among `urls`, if only by a link or a mount."""
    name, place = store_name(url), _place(url, data)
    if sum(_place(other, data) == place for other in urls) > 1:
        raise ConfigError(f"{_SETTING}: {name!r} is named twice")
    if len(name) > _LONGEST_NAME:
        raise ConfigError(f"{_SETTING}: {name!r} is too long: use a path of at most {_LONGEST_NAME} characters")


def _place(url: str, data: Path) -> object:
    return place_of(local_path(url, data, _SETTING)) if is_embedded(url) else store_name(url)


def _opener(url: str, data: Path, patience: float = PATIENCE_SECONDS) -> OpenBlobs:
    """How to open one store. Unlike a partial, it does not show its URL, which has a secret in it."""

    def open_it() -> Blobs:
        return open_blobs(url, data, patience=patience, setting=_SETTING)

    return open_it


def with_former(stores: Mapping[str, OpenBlobs], names: Iterable[str], data: Path) -> dict[str, OpenBlobs]:
    """These stores, and the folders among `names` that have copies though the settings no longer name them."""
    former = {name: _opener(name, data) for name in names if is_embedded(name)}
    return {**former, **stores}


class OutOfReach(NotFoundError):
    """No copy of a file can be read, because a store that should have one is not there now."""

    exit_code = 7


class Copies:
    """The copies of archive files. A store is opened only when a file is not on this machine."""

    def __init__(self, store: ArchiveStore, folder: Path, stores: Mapping[str, OpenBlobs]) -> None:
        self._store = store
        self._stores = stores
        self.folder = folder

    def is_here(self, file: StoredFile) -> bool:
        """Whether the file is on this machine."""
        return file.local_path(self.folder).is_file()

    def stores_of(self, file: StoredFile) -> list[str]:
        """The stores that have a proved copy and can be asked for it."""
        return [name for name in self._store.proved_stores(file.id) if name in self._stores]

    @contextmanager
    def opened(self, file: StoredFile) -> Iterator[BinaryIO]:
        """The file as a seekable stream. From a file that only a store has, no more is fetched than is read.

        When no store has it in the size that was registered, a damaged copy is better than none: who reads it checks each record.
        Raises NotFoundError when there is no copy, OutOfReach when one may be in a store that is away.
        """
        with ExitStack() as stack:
            here = self.is_here(file)
            yield stack.enter_context(_open_here(file, self.folder)) if here else self._in_store(file, stack)

    @contextmanager
    def whole(self, file: StoredFile, *, forgotten: bool = False) -> Iterator[Path]:
        """The file as a path. One that only a store has is copied here for the duration of the block.

        When no store has it as it was registered, a damaged copy is better than none. With `forgotten`, stores whose copy is not
        proved are asked as well, and believed when it is as it was registered. Raises NotFoundError.
        """
        path = file.local_path(self.folder)
        with ExitStack() as stack:
            yield path if path.is_file() else self._fetched(file, stack, forgotten=forgotten)

    def _in_store(self, file: StoredFile, stack: ExitStack) -> BinaryIO:
        problems: dict[str, str | TearsheetError] = {}
        damaged = None
        for name in self.stores_of(file):
            try:
                blobs = self._open(name, stack)
                there = blobs.head(file.key)
            except TearsheetError as error:
                problems[name] = error
                continue
            if there is None:
                problems[name] = "its copy is gone"
                continue
            stream = stack.enter_context(io.BufferedReader(BlobStream(blobs, file.key, there.size), _RANGE))
            if there.size == file.size:
                return stream
            damaged = damaged or stream
        if damaged is None:
            raise self._not_here(file, problems)
        return damaged

    def _fetched(self, file: StoredFile, stack: ExitStack, *, forgotten: bool) -> Path:
        problems: dict[str, str | TearsheetError] = {}
        damaged = None
        proved = self.stores_of(file)
        others = [name for name in self._stores if name not in proved] if forgotten else []
        for name in [*proved, *others]:
            copy = stack.enter_context(tempfile.NamedTemporaryFile(suffix=f"-{file.name}"))  # noqa: SIM115 - the stack closes it
            try:
                sha256 = _download(self._open(name, stack), file, copy)
            except TearsheetError as error:
                if name in proved:
                    problems[name] = error
                continue
            if sha256 == file.sha256:
                return Path(copy.name)
            if name in proved:
                damaged = damaged or Path(copy.name)
        if damaged is None:
            raise self._not_here(file, problems)
        return damaged

    def _not_here(self, file: StoredFile, problems: dict[str, str | TearsheetError]) -> NotFoundError:
        unnamed = [name for name in self._store.proved_stores(file.id) if name not in self._stores]
        told = [f"; {name}: {problem}" for name, problem in problems.items()]
        told += [f"; a copy is in {name}, which archive.stores no longer names" for name in unnamed]
        away = any(isinstance(problem, WorkerError) for problem in problems.values())
        return (OutOfReach if away else NotFoundError)(f"{file.name} is not on this machine{''.join(told)}")

    def _open(self, name: str, stack: ExitStack) -> Blobs:
        blobs = self._stores[name]()
        stack.callback(blobs.close)
        return blobs


class BlobStream(io.RawIOBase):
    """A blob as a seekable file: each read asks the store for just those bytes."""

    def __init__(self, blobs: Blobs, key: str, size: int) -> None:
        self._blobs = blobs
        self._key = key
        self._size = size
        self._at = 0
        self._failure: TearsheetError | None = None

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """The position of the next byte to be read."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a position; nothing is read yet."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # io passes a writable buffer
        """Fill the buffer, as far as the blob goes."""
        length = min(len(buffer), self._size - self._at)
        if length <= 0:
            return 0
        data = self._ask(length)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def _ask(self, length: int) -> bytes:
        """Ask the store for bytes. Once it has failed, it is not waited for again: each attempt would take its full patience."""
        if self._failure is not None:
            raise self._failure
        try:
            return self._blobs.read(self._key, self._at, length)
        except TearsheetError as error:
            self._failure = error
            raise


def _open_here(file: StoredFile, folder: Path) -> BinaryIO:
    try:
        return file.local_path(folder).open("rb")
    except OSError as error:
        raise NotFoundError(f"{file.name} cannot be read: {error.strerror or error}") from error


def _download(blobs: Blobs, file: StoredFile, copy: IO[bytes]) -> str:
    """Write a store's copy into a file; returns its SHA-256."""
    digest = hashlib.sha256()
    with storage_errors(f"cannot copy {file.name} to {Path(copy.name).parent}"):
        for piece in blobs.open(file.key):
            digest.update(piece)
            copy.write(piece)
        copy.flush()
    return digest.hexdigest()
