"""Where each part of a data folder is on this machine, and which files of it belong into a backup."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tearsheet.files import TEMPORARY
from tearsheet.foreign_text import is_writable

FOLDER_ID = "folder-id"
"""The file with the id of a data folder, by which a place knows whose backups it has."""
RESTORING = f"restoring{TEMPORARY}"
"""The folder that a restore writes into; while it is there, the restore has not ended."""
STAGING = f"backup{TEMPORARY}"
"""The folder that a backup in progress keeps copies of databases in."""
_QUEUES, _PAGES = "queues.db", "pages/"
_OF_INDEX = ("stories.db", "topics/stories.db")
"""The stories that were collected, and those of topics; their words are made of them again."""
_OF_SQLITE = ("-wal", "-shm", "-journal")
_LOCK = ".lock"
_HOLDERS = "-holders"


@dataclass(slots=True, frozen=True)
class Layout:
    """The places of a data folder's parts. One that is None is kept by a server."""

    data: Path
    database: Path | None
    broker: Path | None
    index: Path | None
    blobs: Path | None
    events: Path | None
    archive: Path
    pages: Path

    def target(self, part: str, path: str) -> Path | None:
        """Where a file of a backup belongs; None when a server keeps that part."""
        if part == "database":
            return self.database
        if part == "index":
            return self.index / path if self.index and path in _OF_INDEX else None
        if part == "broker":
            pages = path.removeprefix(_PAGES)
            return None if self.broker is None else self.broker if path == _QUEUES else self.page_folder / pages
        roots = {
            "offsets": self.events, "events": self.events, "blobs": self.blobs, "archive": self.archive, "pages": self.pages,
        }  # fmt: skip
        root = roots.get(part, self.data)
        return root / path if root else None

    @property
    def page_folder(self) -> Path:
        """The folder of the pages of queued stories."""
        assert self.broker is not None
        return self.broker.with_name(self.broker.name + "-pages")

    @property
    def roots(self) -> list[Path]:
        """The files and folders that the parts consist of, apart from the data folder itself."""
        found = [self.database, self.broker, self.index, self.blobs, self.events, self.archive, self.pages]
        return [path for path in found if path is not None] + ([self.page_folder] if self.broker else [])

    @property
    def databases(self) -> dict[tuple[str, str], Path]:
        """The SQLite files of the engines that exist, by part and path in a backup."""
        found = {("database", "tearsheet.db"): self.database, ("broker", _QUEUES): self.broker}
        found |= {("index", path): self.index / path for path in _OF_INDEX if self.index}
        return {name: path for name, path in found.items() if path is not None and path.is_file()}


@dataclass(slots=True)
class Walk:
    """A walk through the folder of one part, in the order of a listing."""

    root: Path
    leave_out: Sequence[Path] = ()
    """Places of other parts."""
    wanted: Callable[[list[str]], bool] = lambda names: True
    """Whether a file or folder belongs into a backup, by the names on its way."""
    links: list[str] = field(default_factory=list)
    """Symbolic links, which are not followed."""
    unreadable: list[str] = field(default_factory=list)

    def files(self) -> Iterator[tuple[str, Path]]:
        """Every file that belongs into a backup, by its path in the folder."""
        if self.root.is_dir():
            yield from self._below(self.root, [])

    def _below(self, folder: Path, names: list[str]) -> Iterator[tuple[str, Path]]:
        try:
            found = sorted(os.scandir(folder), key=lambda item: item.name)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                self.unreadable.append(f"{folder}: {error.strerror}")
            return
        for item in found:
            path, here = folder / item.name, [*names, item.name]
            if path in self.leave_out or not self.wanted(here):
                continue
            if item.is_symlink():
                self.links.append(str(path))
            elif item.is_dir(follow_symlinks=False):
                yield from self._below(path, here)
            elif item.is_file(follow_symlinks=False):
                if is_writable(item.name):
                    yield "/".join(here), path
                else:
                    self.unreadable.append(f"{os.fsencode(path).decode('utf-8', 'replace')}: its name is not UTF-8")


def kept_in_folder(names: list[str]) -> bool:
    """Anything but what means nothing to another process: drafts, the logs of SQLite, holders of leases, locks."""
    return not names[-1].endswith((TEMPORARY, _HOLDERS, *_OF_SQLITE, _LOCK))


def is_finished(names: list[str]) -> bool:
    """Anything but drafts, among them WARC files that are still being written, and locks."""
    return not names[-1].endswith((TEMPORARY, _LOCK))


def is_blob(names: list[str]) -> bool:
    """Anything but the drafts of a blob store."""
    return names[0] != ".aside"


def is_event_log(names: list[str]) -> bool:
    """The folder of a topic, and the log in it."""
    return len(names) == 1 or (len(names) == 2 and names[1] == "events.jsonl")


def is_offset(names: list[str]) -> bool:
    """The folder of a topic, and how far each group has read it."""
    return len(names) == 1 or (names[1] == "groups" and len(names) <= 3 and not names[-1].endswith(TEMPORARY))
