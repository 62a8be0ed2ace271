"""Index WARC files that others wrote: they stay where they are, and their pages become captures that can be found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tearsheet.archive.describe import describe
from tearsheet.archive.members import Damage
from tearsheet.archive.names import cdxj_name
from tearsheet.archive.store import ArchiveStore
from tearsheet.errors import NotFoundError
from tearsheet.files import write_whole


@dataclass(slots=True, frozen=True)
class Indexed:
    """A file that was indexed."""

    file: str
    captures: int
    damages: list[Damage]


def index_file(path: Path, store: ArchiveStore, folder: Path) -> Indexed:
    """Register a WARC file and its captures, and write its CDXJ if it is in the archive folder. May be repeated.

    A file elsewhere is registered by its full path and nothing is written beside it. Raises NotFoundError.
    """
    if not path.is_file():
        raise NotFoundError(f"there is no file {path}")
    found = describe(path)
    inside = path.resolve().is_relative_to(folder.resolve()) and path.resolve() == (folder / found.file.key).resolve()
    if inside:
        write_whole(path.with_name(cdxj_name(path.name)), found.cdxj)
    name = path.name
    known = store.file(name)
    if known is not None and known.sha256 != found.file.sha256:
        name = f"{found.file.sha256[:12]}-{name}"
    store.register(found.file, foreign=not inside, name=name)
    return Indexed(name, found.file.stories, found.damages)
