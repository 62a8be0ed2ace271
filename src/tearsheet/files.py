"""Files that are there, whole, after a kill or a power cut: write aside, fsync, rename, fsync the folder."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tearsheet.errors import StorageError


@contextmanager
def storage_errors(doing: str) -> Iterator[None]:
    """Turn what the operating system says about a disk into one line for the user."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"{doing}: {error.strerror or error}; free some disk space or check the folder's rights"
        ) from error


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Create a folder and those above it; each new name is on disk when this returns."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        sync_folder(path.parent)


@contextmanager
def written_aside(target: Path, aside: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of `target` when the block ends, and is gone when the block raises."""
    draft = aside / f"{os.getpid()}-{uuid.uuid4().hex}"
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def copy_into(source: Path, target: IO[bytes]) -> None:
    """Copy a local file's bytes."""
    with source.open("rb") as file:
        shutil.copyfileobj(file, target, 1 << 20)
