"""Blobs as files in one folder: the embedded blob store. A key is the file's path in it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tearsheet.engines.blobs.keys import ASIDE, check_key, split_pattern
from tearsheet.engines.blobs.port import BlobInfo
from tearsheet.engines.location import local_path, scheme_of
from tearsheet.errors import ConfigError, NotFoundError, UsageError
from tearsheet.files import copy_into, make_folder, storage_errors, sync_folder, written_aside

_PIECE = 1 << 18
_ABANDONED_SECONDS = 86_400


def open_folder_blobs(url: str, data: Path) -> FolderBlobs:
    """The blob store of `file:///FOLDER` (inside the data folder) or `file:////FOLDER` (absolute); created if missing."""
    if scheme_of(url) != "file":
        raise ConfigError(f"engines.blobs: {url!r} is not a folder; write file:///FOLDER")
    return FolderBlobs(local_path(url, data))


class FolderBlobs:
    """A folder of files, safe for many processes at once: a reader sees all of the old blob or all of the new one."""

    def __init__(self, folder: Path) -> None:
        with storage_errors(f"cannot create the blob folder {folder}"):
            make_folder(folder / ASIDE)
            self.folder = folder.resolve()
            self._aside = self.folder / ASIDE
            self._sweep()

    def put(self, key: str, data: bytes | Path, *, content_type: str | None = None) -> BlobInfo:
        """Store bytes or a local file under a key; a folder does not record content types."""
        target = self._path(key)
        if isinstance(data, Path) and not data.is_file():
            raise NotFoundError(f"there is no file {data} to store as {key!r}")
        try:
            with storage_errors(f"cannot store blob {key!r}"):
                make_folder(target.parent)
                with written_aside(target, self._aside) as file:
                    if isinstance(data, Path):
                        copy_into(data, file)
                    else:
                        file.write(data)
                return _info(key, target.stat())
        except Exception as error:
            if isinstance(error.__cause__, (IsADirectoryError, NotADirectoryError, FileExistsError)):
                raise UsageError(f"{key!r} cannot be a blob here: a name is a blob or a folder of blobs") from error
            raise

    def get(self, key: str, *, version: str | None = None) -> bytes:
        """The bytes of a blob."""
        path = self._existing(key, version)
        with storage_errors(f"cannot read blob {key!r}"):
            return path.read_bytes()

    def open(self, key: str, *, version: str | None = None) -> Iterator[bytes]:
        """The bytes of a blob, piece by piece; if the blob is replaced meanwhile, the old one is read to its end."""
        return _pieces(self._existing(key, version))

    def read(self, key: str, start: int, length: int) -> bytes:
        """A range of a blob's bytes."""
        path = self._existing(key, None)
        with storage_errors(f"cannot read blob {key!r}"), path.open("rb") as file:
            file.seek(start)
            return file.read(length)

    def head(self, key: str) -> BlobInfo | None:
        """What is known about a blob, or None."""
        path = self._path(key)
        return _info(key, path.stat()) if path.is_file() else None

    def list(self, pattern: str = "*") -> Iterator[BlobInfo]:
        """Blobs in byte order of their keys, as every store lists them."""
        prefix, wildcard = split_pattern(pattern)
        if wildcard:
            yield from self._walk(self.folder, "", prefix)
        elif found := self.head(prefix):
            yield found

    def versions(self, key: str) -> Sequence[BlobInfo]:
        """The only version that a folder keeps."""
        found = self.head(key)
        return [found] if found else []

    def delete(self, key: str) -> None:
        """Remove a blob."""
        path = self._path(key)
        if path.is_file():
            with storage_errors(f"cannot delete blob {key!r}"):
                path.unlink(missing_ok=True)
                sync_folder(path.parent)

    def close(self) -> None:
        """Nothing to release."""

    def _path(self, key: str) -> Path:
        path = self.folder / check_key(key)
        # A symbolic link inside the store could point out of it.
        if not path.resolve().is_relative_to(self.folder) or path.is_symlink():
            raise UsageError(f"{key!r} leads out of the blob folder {self.folder}")
        return path

    def _existing(self, key: str, version: str | None) -> Path:
        path = self._path(key)
        if not path.is_file():
            raise NotFoundError(f"there is no blob {key!r}")
        if version is not None:
            raise NotFoundError(f"blob {key!r} has no version {version!r}: a folder keeps no versions")
        return path

    def _walk(self, folder: Path, base: str, prefix: str) -> Iterator[BlobInfo]:
        with os.scandir(folder) as found:
            named = [(item.name + "/" if item.is_dir(follow_symlinks=False) else item.name, item) for item in found]
        for name, item in sorted(named, key=lambda pair: os.fsencode(pair[0])):
            key = base + name
            if key == ASIDE + "/":
                continue
            if name.endswith("/"):
                if key.startswith(prefix) or prefix.startswith(key):
                    yield from self._walk(folder / item.name, key, prefix)
            elif key.startswith(prefix) and item.is_file(follow_symlinks=False):
                try:
                    yield _info(key, item.stat(follow_symlinks=False))
                except FileNotFoundError:
                    continue  # deleted since the folder was read

    def _sweep(self) -> None:
        """Remove old drafts that a killed process left behind."""
        for draft in self._aside.iterdir():
            try:
                if time.time() - draft.stat().st_mtime > _ABANDONED_SECONDS:
                    draft.unlink()
            except FileNotFoundError:
                continue  # finished or swept by another process


def _info(key: str, stat: os.stat_result) -> BlobInfo:
    return BlobInfo(key, stat.st_size, datetime.fromtimestamp(stat.st_mtime, UTC))


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece
