"""WARC files in the making: written under a temporary name that only one writer can hold, and cleaned up after a crash."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from tearsheet.files import TEMPORARY, make_folder, put_in_place
from tearsheet.locks import lock, try_lock

_CLOSING = "closing.lock"


@contextmanager
def closing_alone(folder: Path, name: str) -> Iterator[bool]:
    """Let nobody else close an archive file of this folder during the block, in which the one of this name is.

    Gives whether somebody was ended while they did so: a file may then be there that nobody has registered.
    """
    with (folder / _CLOSING).open("a+b") as file:
        lock(file)
        file.seek(0)
        left = bool(file.read(1))
        file.truncate(0)
        file.write(name.encode())
        file.flush()
        yield left
        file.truncate(0)


def open_aside(final: Path) -> BinaryIO | None:
    """Open `FINAL.tmp` for writing, and hold a lock on it for as long as it is open; None when the name is taken.

    The writer that holds the temporary name owns the final one too, so that two writers never finish the same name.
    """
    aside = _aside(final)
    make_folder(final.parent)
    try:
        stream = aside.open("xb")
    except FileExistsError:
        return None
    lock(stream)
    # Between the two calls a cleaner (`remove_leftovers`) may have taken the file for a leftover.
    if not _is_at(stream, aside) or final.exists():
        if _is_at(stream, aside):
            aside.unlink()
        stream.close()
        return None
    return stream


def _aside(final: Path) -> Path:
    return final.with_name(final.name + TEMPORARY)


def _is_at(stream: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except FileNotFoundError:
        return False


def finish(stream: BinaryIO, final: Path) -> None:
    """Give the file its final name and close it. When this returns, the file survives a power cut."""
    put_in_place(stream, _aside(final), final)
    stream.close()


def discard(stream: BinaryIO, final: Path) -> None:
    """Throw the unfinished file away. On a full disk, closing it fails to write what is still in memory, which nobody wants."""
    with suppress(OSError):  # what stays is removed as a leftover
        _aside(final).unlink(missing_ok=True)
    with suppress(OSError):
        stream.close()


def remove_leftovers(folder: Path) -> list[Path]:
    """Remove files that were being written when their process died. Those of a living process are locked, and stay."""
    removed = []
    for path in sorted(folder.rglob(f"*{TEMPORARY}")):
        try:
            with path.open("rb") as stream:
                if try_lock(stream) and _is_at(stream, path):
                    path.unlink()
                    removed.append(path)
        except FileNotFoundError:
            continue
    return removed
