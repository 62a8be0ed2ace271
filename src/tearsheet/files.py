"""Files that are there and whole after a kill or a power cut: write a draft, fsync, rename, fsync the folder.

And files that others cannot read: `keep_private` is called when the program starts, and holds for whatever it writes from then on,
by whichever library. What a user asked for by its path is given the rights that the user's other files have.
"""

from __future__ import annotations

import os
import shutil
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tearsheet.errors import StorageError
from tearsheet.locks import lock

TEMPORARY = ".tmp"
"""Ends the names of files that are still being written."""

_FULL_OR_FORBIDDEN = "free some disk space or check the folder's rights"


class _Umask:
    """The user's own mask of rights, once `keep_private` has replaced it."""

    users: int | None = None


def keep_private(*, group_reads: bool = False) -> None:
    """From now on, new files are 0600 and new folders 0700; with `group_reads`, 0640 and 0750. Child processes inherit this."""
    before = os.umask(0o027 if group_reads else 0o077)
    if _Umask.users is None:
        _Umask.users = before


def hand_over(path: Path, *, folder: bool = False) -> None:
    """Give a file or folder that the user asked for by its path the rights that the user's other files have."""
    if _Umask.users is not None:
        path.chmod((0o777 if folder else 0o666) & ~_Umask.users)


@contextmanager
def storage_errors(doing: str) -> Iterator[None]:
    """Turn what the operating system says about a disk into one line for the user."""
    try:
        yield
    except OSError as error:
        missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        advice = "make the folder first, or name another" if missing else _FULL_OR_FORBIDDEN
        raise StorageError(f"{doing}: {error.strerror or error}; {advice}") from error


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut. Windows, whose file system keeps a journal of names, cannot be asked to."""
    if sys.platform == "win32":
        return
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
            lock(file)
            yield file
            put_in_place(file, draft, target, sync_name=sync_name)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def put_in_place(file: IO[bytes], draft: Path, target: Path, *, sync_name: bool = True) -> None:
    """Sync a finished draft, give it its name, sync its folder. When this returns, the file survives a power cut."""
    file.flush()
    os.fsync(file.fileno())
    if sys.platform == "win32":
        file.close()  # an open file cannot be given another name there
    draft.replace(target)
    if sync_name:
        sync_folder(target.parent)


def write_whole(path: Path, data: bytes, *, sync_name: bool = True) -> None:
    """Replace a small file in one step. Two writers may do so at once; the last one wins."""
    with written_aside(path, sync_name=sync_name) as file:
        file.write(data)


def check_output(path: Path) -> None:
    """Raises StorageError when a file that a user named for a result would be in a folder that does not exist.

    It is not made: its name may be mistyped.
    """
    if not path.parent.is_dir():
        raise StorageError(f"cannot write {path}: there is no folder {path.parent}; make it first, or name another")


@contextmanager
def output_file(path: Path) -> Iterator[IO[bytes]]:
    """The file that a user named for a result: it appears once it is whole. A device or a pipe gets the bytes as they come."""
    check_output(path)
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    # A symbolic link stays, and the file that it points to is replaced.
    with written_aside(path.resolve()) as file:
        yield file
    hand_over(path)


def output_folder(folder: Path) -> None:
    """Create the folder that a user named for results, and its missing parents."""
    missing = [path for path in (folder, *folder.parents) if not path.is_dir()]
    with storage_errors(f"cannot create {folder}"):
        make_folder(folder)
        for path in missing:
            hand_over(path, folder=True)


def hand_over_all(files: Iterable[Path], folder: Path) -> None:
    """Hand over the files that were written into a user's folder, and the folders that were made for them there."""
    for file in files:
        hand_over(file)
        for parent in file.parents:
            if parent == folder or folder not in parent.parents:
                break
            hand_over(parent, folder=True)


def copy_into(source: Path, target: IO[bytes]) -> None:
    """Copy a local file's bytes."""
    with source.open("rb") as file:
        shutil.copyfileobj(file, target, 1 << 20)


def place_of(path: Path) -> tuple[object, ...]:
    """What two paths have in common if they are one place, also by a link, or because one is mounted over the other.

    It is known by device and number, as far as it is there.
    """
    path = path.resolve()
    for folder in (path, *path.parents):
        try:
            there = folder.stat()
        except OSError:
            continue
        return (there.st_dev, there.st_ino, *path.relative_to(folder).parts)
    return (path,)


def lies_in(path: Path, folder: Path) -> bool:
    """Whether a path is a folder or leads into it, by whichever way the two are reached."""
    path, place = path.resolve(), place_of(folder)
    return any(place_of(one) == place for one in (path, *path.parents))
