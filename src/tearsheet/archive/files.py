"""Files that are whole or not there: written aside under a lock, synced, renamed, and the folder synced after that."""

from __future__ import annotations

import fcntl
import itertools
import os
from pathlib import Path
from typing import BinaryIO

from tearsheet.archive.names import TEMPORARY
from tearsheet.files import make_folder, sync_folder

_ASIDE = itertools.count(1)


def open_aside(final: Path) -> BinaryIO | None:
    """Open `FINAL.tmp` for writing, and hold a lock on it for as long as it is open; None when the name is taken.

    Whoever holds the temporary name owns the final one too, so that two writers never finish one name.
    """
    aside = final.with_name(final.name + TEMPORARY)
    make_folder(final.parent)
    try:
        stream = aside.open("xb")
    except FileExistsError:
        return None
    fcntl.flock(stream, fcntl.LOCK_EX)
    # Between the two calls somebody who clears up may have taken the file for a leftover.
    if not _is_at(stream, aside) or final.exists():
        if _is_at(stream, aside):
            aside.unlink()
        stream.close()
        return None
    return stream


def _is_at(stream: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except FileNotFoundError:
        return False


def finish(stream: BinaryIO, final: Path) -> None:
    """Sync the file, give it its final name, sync its folder. When this returns, the file survives a power cut."""
    stream.flush()
    os.fsync(stream.fileno())
    final.with_name(final.name + TEMPORARY).rename(final)
    stream.close()
    sync_folder(final.parent)


def discard(stream: BinaryIO, final: Path) -> None:
    """Throw away what was written aside."""
    final.with_name(final.name + TEMPORARY).unlink(missing_ok=True)
    stream.close()


def write_whole(path: Path, data: bytes, *, name_too: bool = True) -> None:
    """Replace a small file in one step. Two writers may do so at once; one of them is last.

    `name_too=False` leaves the syncing of its folder to a later call, where several files are written into one.
    """
    aside = path.with_name(f"{path.name}.{os.getpid()}-{next(_ASIDE)}{TEMPORARY}")
    with aside.open("xb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
        aside.rename(path)
    if name_too:
        sync_folder(path.parent)


def remove_leftovers(folder: Path) -> list[Path]:
    """Remove files that were being written when their process died. Those of a living process are locked, and stay."""
    removed = []
    for path in sorted(folder.rglob(f"*{TEMPORARY}")):
        try:
            with path.open("rb") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_at(stream, path):
                    path.unlink()
                    removed.append(path)
        except (BlockingIOError, FileNotFoundError):
            continue
    return removed
