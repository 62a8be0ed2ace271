"""Copy finished archive files to blob stores, prove each copy, and only then remove what may be removed."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from tearsheet.archive.copies import OpenBlobs
from tearsheet.archive.outbox import Outbox, Upload
from tearsheet.archive.store import StoredFile
from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines.blobs import BlobInfo, Blobs
from tearsheet.errors import TearsheetError, UserError
from tearsheet.files import sync_folder

log = logging.getLogger(__name__)
CONTENT_TYPE = "application/warc"


class UploadFailed(UserError):
    """A copy was not made, or differs from the file."""


@dataclass(slots=True)
class UploadReport:
    """What one round did."""

    proved: int = 0
    removed: int = 0
    failures: list[str] = field(default_factory=list)


@dataclass(slots=True, frozen=True)
class Digests:
    """Size and digests of a local file, taken in one pass."""

    size: int
    sha256: str
    md5: str


class Uploader:
    """Works through the outbox. `stores` are the configured blob stores by name.

    With `remove_local`, a file that has a proved copy in every store is removed from this machine once it is older than
    `local_days`; its CDXJ stays.
    """

    def __init__(
        self,
        outbox: Outbox,
        folder: Path,
        stores: Mapping[str, OpenBlobs],
        *,
        remove_local: bool = False,
        local_days: float = 0.0,
        clock: Clock = wall_clock,
    ) -> None:
        self._outbox = outbox
        self._folder = folder
        self._stores = dict(stores)
        self._remove_local = remove_local
        self._local_days = local_days
        self._clock = clock

    def run(
        self,
        *,
        all_now: bool = False,
        stop: Callable[[], bool] = lambda: False,
        progress: Callable[[], None] = lambda: None,
    ) -> UploadReport:
        """One round: each copy that is due is tried once. `all_now` ignores the pauses after failures.

        What was proved is done for good; anything that fails or is interrupted stays in the outbox.
        """
        report = UploadReport()
        names = list(self._stores)
        self._outbox.add_missing(names, utc_now(self._clock))
        opened: dict[str, Blobs] = {}
        with ExitStack() as closers:
            for upload in self._outbox.due(names, None if all_now else utc_now(self._clock)):
                if stop():
                    break
                self._try(upload, opened, closers, report)
                progress()
        if self._remove_local:
            self._remove(report)
        return report

    def _try(self, upload: Upload, opened: dict[str, Blobs], closers: ExitStack, report: UploadReport) -> None:
        try:
            if upload.store not in opened:
                opened[upload.store] = self._stores[upload.store]()
                closers.callback(opened[upload.store].close)
            self._copy(upload.file, opened[upload.store])
        except (TearsheetError, OSError) as error:
            self._outbox.failed(upload, str(error), utc_now(self._clock))
            report.failures.append(f"{upload.file.name} to {upload.store}: {error}")
            log.warning("upload failed", extra={"file": upload.file.name, "store": upload.store, "error": str(error)})
            return
        self._outbox.proved(upload, utc_now(self._clock))
        report.proved += 1
        log.info("upload proved", extra={"file": upload.file.name, "store": upload.store, "bytes": upload.file.size})

    def _copy(self, file: StoredFile, blobs: Blobs) -> None:
        path = file.local_path(self._folder)
        if not path.is_file():
            raise UploadFailed(f"{path} is not there any more")
        local = digests(path)
        if (local.size, local.sha256) != (file.size, file.sha256):
            raise UploadFailed(f"{path} has changed since it was registered; `tearsheet archive verify` says how")
        there = blobs.head(file.key)
        if there is None or there.size != local.size or not _is_copy(there, local, file.key, blobs):
            blobs.put(file.key, path, content_type=CONTENT_TYPE)
            prove(file.key, local, blobs)

    def _remove(self, report: UploadReport) -> None:
        before = utc_now(self._clock) - timedelta(days=self._local_days)
        for file in self._outbox.removable(list(self._stores), before):
            path = file.local_path(self._folder)
            path.unlink(missing_ok=True)
            if path.parent.is_dir():
                sync_folder(path.parent)
            self._outbox.removed(file)
            report.removed += 1


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
