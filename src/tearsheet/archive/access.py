"""Get one captured story back: from its file on this machine, or from a blob store that has a proved copy."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tearsheet.archive.reader import ArchivedStory, read_story_at
from tearsheet.archive.store import ArchiveStore, StoredCapture, StoredFile
from tearsheet.engines.blobs import Blobs
from tearsheet.errors import NotFoundError, TearsheetError

OpenBlobs = Callable[[], Blobs]


class ArchiveAccess:
    """Reads captures. `stores` are the blob stores by name; one is opened only when a file is not on this machine."""

    def __init__(self, store: ArchiveStore, folder: Path, stores: Mapping[str, OpenBlobs] | None = None) -> None:
        self._store = store
        self._folder = folder
        self._stores = stores or {}

    def find(self, key: str) -> StoredCapture:
        """A capture by story id, by id in the index, or by address. Raises NotFoundError."""
        found = self._store.find_capture(key)
        if found is None:
            raise NotFoundError(f"no capture of {key!r}; give a story id, an id of the index or an address")
        return found

    def read(self, capture: StoredCapture) -> ArchivedStory:
        """The story of a capture, page and all. Raises NotFoundError when no copy of its file is at hand or whole."""
        with self.local_file(capture.file) as path:
            found = read_story_at(path, capture.offset)
        if found is None:
            raise NotFoundError(
                f"there is no story at {capture.offset} of {capture.file.name}; `tearsheet archive verify` says more"
            )
        return found

    @contextmanager
    def local_file(self, file: StoredFile) -> Iterator[Path]:
        """The file on this machine; fetched from a store for as long as the block lasts, where it is not here."""
        path = file.local_path(self._folder)
        if path.is_file():
            yield path
            return
        problems = []
        for name in self._store.proved_stores(file.id):
            if name not in self._stores:
                continue
            try:
                with tempfile.NamedTemporaryFile(suffix=f"-{file.name}") as copy:
                    blobs = self._stores[name]()
                    try:
                        for piece in blobs.open(file.key):
                            copy.write(piece)
                    finally:
                        blobs.close()
                    copy.flush()
                    yield Path(copy.name)
                    return
            except TearsheetError as error:
                problems.append(f"{name}: {error}")
        raise NotFoundError(f"{file.name} is not on this machine" + "".join(f"; {problem}" for problem in problems))
