"""Blobs as files in one folder: the embedded blob store. A key is the file's path in it.

Reading never makes the folder. In the data folder, one that is missing is an empty store, and the first blob makes it. Elsewhere
its disk may not be mounted: that is an error, and only `make` makes a new place.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tearsheet.engines.blobs.keys import ASIDE, check_key, split_pattern
from tearsheet.engines.blobs.port import BlobInfo
from tearsheet.engines.location import local_path
from tearsheet.errors import EngineError, NotFoundError, UsageError
from tearsheet.files import copy_into, make_folder, storage_errors, sync_folder, written_aside

_PIECE = 1 << 18
_ABANDONED_SECONDS = 86_400


def open_folder_blobs(url: str, data: Path, *, setting: str = "engines.blobs") -> FolderBlobs:
    """The blob store of `FOLDER` (inside the data folder), `/FOLDER` or `file:///FOLDER` (outside it). Makes nothing."""
    folder = local_path(url, data, setting).resolve()
    return FolderBlobs(folder, setting, at_home=folder.is_relative_to(data.resolve()))


class FolderBlobs:
    """A folder of files, safe for many processes at once: a reader sees all of the old blob or all of the new one."""

    def __init__(self, folder: Path, setting: str = "engines.blobs", *, at_home: bool = True) -> None:
        """`at_home` means that it is in the data folder; `setting` is the setting that names it, for error messages."""
        self.folder = folder.resolve()  # of a link that leads to another disk, what counts is where it leads
        self._setting = setting
        self._at_home = at_home
        self._aside = self.folder / ASIDE
        self._swept = False

    def make(self) -> None:
        """Make the folder. Outside the data folder, the one that it is in must be there: it may be a disk's."""
        if not self._at_home and not self.folder.parent.is_dir():
            raise self._absent()
        with storage_errors(f"{self._setting}: cannot make the folder {self.folder}"):
            make_folder(self.folder)

    def put(self, key: str, data: bytes | Path, *, content_type: str | None = None) -> BlobInfo:
        """Store bytes or a local file under a key; a folder does not record content types."""
        target = self._path(key)
        if isinstance(data, Path) and not data.is_file():
            raise NotFoundError(f"there is no file {data} to store as {key!r}")
        if self._at_home:
            self.make()
        self._check_is_there()
        try:
            with storage_errors(f"cannot store blob {key!r} in {self.folder}"):
                make_folder(self._aside)
                self._sweep()
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
        if path.is_file():
            return _info(key, path.stat())
        self._check_is_there()
        return None

    def list(self, pattern: str = "*") -> Iterator[BlobInfo]:
        """Blobs in byte order of their keys, as every store lists them."""
        prefix, wildcard = split_pattern(pattern)
        if wildcard:
            self._check_is_there()
            yield from self._walk(self.folder, "", prefix) if self.folder.is_dir() else ()
        elif found := self.head(prefix):
            yield found

    def versions(self, key: str) -> Sequence[BlobInfo]:
        """The only version that a folder keeps."""
        found = self.head(key)
        return [found] if found else []

    def delete(self, key: str, *, version: str | None = None) -> None:
        """Remove a blob. A folder keeps no versions, and so has none to remove."""
        path = self._path(key)
        self._check_is_there()
        if path.is_file() and version is None:
            with storage_errors(f"cannot delete blob {key!r}"):
                path.unlink(missing_ok=True)
                sync_folder(path.parent)

    def file_of(self, key: str) -> Path | None:
        """The file that a blob is."""
        return self._path(key)

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
            self._check_is_there()
            raise NotFoundError(f"there is no blob {key!r}")
        if version is not None:
            raise NotFoundError(f"blob {key!r} has no version {version!r}: a folder keeps no versions")
        return path

    def _check_is_there(self) -> None:
        if not self._at_home and not self.folder.is_dir():
            raise self._absent()

    def _absent(self) -> EngineError:
        missing = self.folder
        while not missing.parent.is_dir():
            missing = missing.parent
        return EngineError(
            f"{self._setting}: there is no folder {missing}: mount its disk; if it is to be new, make it: mkdir -p {self.folder}"
        )

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
        """Remove old drafts that a killed process left behind, once."""
        if self._swept:
            return
        self._swept = True
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
