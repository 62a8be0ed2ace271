"""Copy finished archive files to blob stores, prove each copy, and only then remove what may be removed."""

from __future__ import annotations

import hashlib
import io
import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO, Self

from tearsheet.archive.copies import BlobStream, Copies, OpenBlobs
from tearsheet.archive.identity import check_identity, check_not_the_archive
from tearsheet.archive.outbox import Outbox, Upload
from tearsheet.archive.reader import StoryArchiveReader
from tearsheet.archive.store import StoredFile
from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.counts import how_many
from tearsheet.engines.blobs import BlobInfo, Blobs
from tearsheet.errors import NotFoundError, TearsheetError, UserError
from tearsheet.files import sync_folder

log = logging.getLogger(__name__)
CONTENT_TYPE = "application/warc"
_PIECE = 1 << 20


class UploadFailed(UserError):
    """A copy was not made, or differs from the file."""


@dataclass(slots=True)
class UploadReport:
    """What one round did."""

    proved: int = 0
    removed: int = 0
    failures: list[str] = field(default_factory=list)
    away: list[str] = field(default_factory=list)
    """What is wrong with stores that have copies, though nothing was to be copied there."""


@dataclass(slots=True, frozen=True)
class Digests:
    """Size and digests of a local file, taken in one pass."""

    size: int
    sha256: str
    md5: str


class Uploader:
    """Works through the outbox. `stores` are the configured blob stores by name.

    With `remove_local`, a file of which every store has a copy is removed from this machine once it is older than `local_days`;
    its CDXJ stays. Just before, each of the copies is read back once more, in the place that the settings mean.
    """

    def __init__(
        self,
        outbox: Outbox,
        copies: Copies,
        stores: Mapping[str, OpenBlobs],
        *,
        remove_local: bool = False,
        local_days: float = 0.0,
        clock: Clock = wall_clock,
    ) -> None:
        self._outbox = outbox
        self._copies = copies
        self._stores = dict(stores)
        self._remove_local = remove_local
        self._local_days = local_days
        self._clock = clock

    def run(
        self,
        *,
        all_now: bool = False,
        stop: Callable[[], bool] = lambda: False,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> UploadReport:
        """One round: each copy that is due is tried once. `all_now` ignores the pauses after failures, and looks at every store.

        `progress` is told how many were tried, and of how many. What was proved is done for good; anything that fails or is
        interrupted stays in the outbox.
        """
        report = UploadReport()
        names = list(self._stores)
        self._outbox.add_missing(names, utc_now(self._clock))
        with _OpenStores(self._stores, self._outbox, self._copies.folder) as stores:
            due = list(self._outbox.due(names, None if all_now else utc_now(self._clock)))
            for number, upload in enumerate(due, 1):
                if stop():
                    break
                self._try(upload, stores, report)
                progress(number, len(due))
            if self._remove_local:
                self._remove(stores, report, stop)
            if all_now:
                report.away += [str(error) for name in names if (error := self._wrong_with(name, stores))]
        return report

    def _wrong_with(self, name: str, stores: _OpenStores) -> TearsheetError | None:
        """Why a store that has copies cannot be used, if nobody had to open it yet: its disk may not be mounted."""
        if name in stores or not self._outbox.newest_copies(name, 1):
            return None
        try:
            stores[name]
        except TearsheetError as error:
            return error
        return None

    def _try(self, upload: Upload, stores: _OpenStores, report: UploadReport) -> None:
        try:
            self._copy(upload.file, stores[upload.store])
        except (TearsheetError, OSError) as error:
            self._outbox.failed(upload, str(error), utc_now(self._clock))
            report.failures.append(f"{upload.file.name} to {upload.store}: {error}")
            log.warning("upload failed", extra={"file": upload.file.name, "store": upload.store, "error": str(error)})
            return
        self._outbox.proved(upload, utc_now(self._clock))
        report.proved += 1
        log.info("upload proved", extra={"file": upload.file.name, "store": upload.store, "bytes": upload.file.size})

    def _copy(self, file: StoredFile, blobs: Blobs) -> None:
        """Make and prove a copy, of the file here or of the copy that another store has."""
        here = self._copies.is_here(file)
        if not here and not shortcoming(blobs, file):
            with io.BufferedReader(BlobStream(blobs, file.key, file.size), _PIECE) as stream:
                self._refuse_erased(file, stream)
            return
        with self._copies.whole(file) as path:
            if not here:
                self._refuse_erased(file, path)
            if is_itself(blobs, file.key, path):
                raise UploadFailed(f"{path} is the file itself and no copy of it: name another place in archive.stores")
            local = digests(path)
            if (local.size, local.sha256) != (file.size, file.sha256):
                raise UploadFailed(f"{path} has changed since it was registered; `tearsheet archive verify` says how")
            there = blobs.head(file.key)
            if there is None or there.size != local.size or not _is_copy(there, local, file.key, blobs):
                blobs.put(file.key, path, content_type=CONTENT_TYPE)
                prove(file.key, local, blobs)

    def _refuse_erased(self, file: StoredFile, copy: Path | BinaryIO) -> None:
        """Raise UploadFailed when a copy holds what was erased: while its store was away, nobody could take it out."""
        tombstones = self._outbox.tombstones
        if any(one.id == file.id for one in tombstones.with_unregistered()):
            erased = sum(len(ids) for _, ids in tombstones.burials(stories_in(copy)))
            if erased:
                raise UploadFailed(
                    f"its copy holds {how_many(erased, 'erased capture')}: `tearsheet erase --resume` takes this out of it"
                )

    def _remove(self, stores: _OpenStores, report: UploadReport, stop: Callable[[], bool]) -> None:
        before = utc_now(self._clock) - timedelta(days=self._local_days)
        for file in self._outbox.removable(list(self._stores), before):
            if stop():
                return
            try:
                doubtful = {name: wrong for name in self._stores if (wrong := self._doubt(stores[name], file))}
            except (TearsheetError, OSError) as error:  # a store is away: nothing is removed without its word
                report.failures.append(f"{file.name} stays here: {error}")
                log.warning("local file kept", extra={"file": file.name, "error": str(error)})
                return
            for name, wrong in doubtful.items():
                self._outbox.doubt(name, utc_now(self._clock), wrong, file)
                report.failures.append(f"{file.name} stays here: {name}: {wrong}")
                log.warning("copy lost", extra={"file": file.name, "store": name, "error": wrong})
            if not doubtful:
                self._remove_one(file)
                report.removed += 1

    def _doubt(self, blobs: Blobs, file: StoredFile) -> str:
        if is_itself(blobs, file.key, file.local_path(self._copies.folder)):
            return "its copy is the file itself"
        return shortcoming(blobs, file)

    def _remove_one(self, file: StoredFile) -> None:
        path = file.local_path(self._copies.folder)
        path.unlink(missing_ok=True)
        if path.parent.is_dir():
            sync_folder(path.parent)
        self._outbox.removed(file)


class _OpenStores:
    """The stores of one round, each opened and recognised when it is first needed. One that failed is not tried again."""

    def __init__(self, stores: Mapping[str, OpenBlobs], outbox: Outbox, archive_folder: Path) -> None:
        self._stores = stores
        self._outbox = outbox
        self._archive_folder = archive_folder
        self._opened: dict[str, Blobs | TearsheetError] = {}
        self._closers = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closers.close()

    def __getitem__(self, name: str) -> Blobs:
        if name not in self._opened:
            self._opened[name] = self._open(name)
        found = self._opened[name]
        if isinstance(found, TearsheetError):
            raise found
        return found

    def __contains__(self, name: str) -> bool:
        """Whether it was opened, or tried in vain."""
        return name in self._opened

    def _open(self, name: str) -> Blobs | TearsheetError:
        try:
            blobs = self._stores[name]()
            self._closers.callback(blobs.close)
            check_identity(name, blobs, self._outbox)
            check_not_the_archive(name, blobs, self._archive_folder, self._outbox)
        except TearsheetError as error:
            return error
        return blobs


def stories_in(copy: Path | BinaryIO) -> set[str]:
    """The ids of the stories in an archive file."""
    with StoryArchiveReader(copy) as reader:
        return {archived.story.id for archived in reader.archived()}


def is_itself(blobs: Blobs, key: str, path: Path) -> bool:
    """Whether a blob is this very file, by whichever way it is reached: then there is one file and no copy."""
    blob = blobs.file_of(key)
    return blob is not None and blob.exists() and path.exists() and blob.samefile(path)


def shortcoming(blobs: Blobs, file: StoredFile) -> str:
    """What is wrong with a store's copy of a file, found by reading all of it; empty when it is as it was registered."""
    digest, size = hashlib.sha256(), 0
    try:
        for piece in blobs.open(file.key):
            digest.update(piece)
            size += len(piece)
    except NotFoundError:
        return "its copy is gone"
    return "" if (size, digest.hexdigest()) == (file.size, file.sha256) else "its copy has changed"


def prove(key: str, local: Digests, blobs: Blobs) -> None:
    """Raise UploadFailed unless the blob has the size and the digest of the local file."""
    there = blobs.head(key)
    if there is None:
        raise UploadFailed(f"{key} is not there after its upload")
    if there.size != local.size:
        raise UploadFailed(f"{key} has {there.size} bytes there and {local.size} here")
    if not _is_copy(there, local, key, blobs):
        raise UploadFailed(f"{key} has another digest there than here")


def _is_copy(there: BlobInfo, local: Digests, key: str, blobs: Blobs) -> bool:
    """Whether the blob equals the local file: by the store's MD5, if its ETag is one; else by reading it back."""
    if (there.etag or "").strip('"').lower() == local.md5:
        return True
    digest = hashlib.sha256()
    for piece in blobs.open(key):
        digest.update(piece)
    return digest.hexdigest() == local.sha256


def digests(path: Path) -> Digests:
    """Size, SHA-256 and MD5 of a file."""
    sha256, md5, size = hashlib.sha256(), hashlib.md5(usedforsecurity=False), 0
    with path.open("rb") as stream:
        while piece := stream.read(1 << 20):
            sha256.update(piece)
            md5.update(piece)
            size += len(piece)
    return Digests(size, sha256.hexdigest(), md5.hexdigest())
