"""A disk without any room, as an archive file meets it."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from pytest import MonkeyPatch

from tearsheet.files import make_folder


def fill_disk(patch: MonkeyPatch) -> None:
    """From now on, archive files are written to a disk that is full: what leaves memory is refused, as by a real one."""
    patch.setattr("tearsheet.archive.writer.open_aside", _open)


def _open(final: Path) -> BinaryIO:
    make_folder(final.parent)
    return Path("/dev/full").open("wb")
