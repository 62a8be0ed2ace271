"""Files that are there and whole after a kill or a power cut: write a draft, fsync, rename, fsync the folder."""

from __future__ import annotations

import fcntl
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tearsheet.errors import StorageError

TEMPORARY = ".tmp"
"""Ends the names of files that are still being written."""


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
    """Create a folder and its missing parents; each new name is on disk when this returns."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        sync_folder(path.parent)


@contextmanager
def written_aside(target: Path, aside: Path | None = None, *, sync_name: bool = True) -> Iterator[IO[bytes]]:
    """A file to write to, which replaces `target` when the block ends, and is deleted when the block raises.

    The draft is in the folder `aside`, or else beside `target`; its name ends in `.tmp`, and it is locked while it is being
    written: a draft without a lock was left behind by a process that died. `sync_name=False` leaves syncing the target's
    folder to a later call, when several files are written into one folder.
    """
    draft = (aside or target.parent) / f".{os.getpid()}-{uuid.uuid4().hex}{TEMPORARY}"
    try:
        with draft.open("xb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
            put_in_place(file, draft, target, sync_name=sync_name)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def put_in_place(file: IO[bytes], draft: Path, target: Path, *, sync_name: bool = True) -> None:
    """Sync a finished draft, give it its name, sync its folder. When this returns, the file survives a power cut."""
    file.flush()
    os.fsync(file.fileno())
    draft.replace(target)
    if sync_name:
        sync_folder(target.parent)


def write_whole(path: Path, data: bytes, *, sync_name: bool = True) -> None:
    """Replace a small file in one step. Two writers may do so at once; the last one wins."""
    with written_aside(path, sync_name=sync_name) as file:
        file.write(data)


@contextmanager
def output_file(path: Path) -> Iterator[IO[bytes]]:
    """The file that a user named for a result: it appears once it is whole. A device or a pipe gets the bytes as they come."""
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    # A symbolic link stays, and the file that it points to is replaced.
    with written_aside(path.resolve()) as file:
        yield file


def copy_into(source: Path, target: IO[bytes]) -> None:
    """Copy a local file's bytes."""
    with source.open("rb") as file:
        shutil.copyfileobj(file, target, 1 << 20)
