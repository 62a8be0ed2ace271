"""A blob store that refuses one object, as S3 refuses one that lies in cold storage."""

from __future__ import annotations

from pathlib import Path

from tearsheet.engines.blobs.folder import FolderBlobs
from tearsheet.errors import ItemRefused


class FrozenBlobs(FolderBlobs):
    """A folder in which the object `frozen` cannot be read."""

    def __init__(self, folder: Path, frozen: str) -> None:
        super().__init__(folder)
        self._frozen = frozen

    def get(self, key: str, *, version: str | None = None) -> bytes:
        if key == self._frozen:
            raise ItemRefused(f"engines.blobs: the store answers InvalidObjectState to {key!r}; try again later")
        return super().get(key, version=version)
