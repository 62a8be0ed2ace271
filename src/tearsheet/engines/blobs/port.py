"""What the program asks of a blob store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol


@dataclass(slots=True, frozen=True)
class BlobInfo:
    """A blob's key, size, time, and version where the store keeps versions."""

    key: str
    size: int
    modified: datetime
    version: str | None = None
    etag: str | None = None


class Blobs(Protocol):
    """Files by key. Keys use `/`; a key never leaves the store.

    A store that is not there, such as a folder on a disk that is not mounted or a bucket that was deleted, is an EngineError, and
    reading does not make it.
    """

    def make(self) -> None:
        """Make the place of a new store, if we may: a folder. A bucket is made by its owner."""
        ...

    def put(self, key: str, data: bytes | Path, *, content_type: str | None = None) -> BlobInfo:
        """Store bytes or a local file under a key, completely or not at all; an existing blob is replaced."""
        ...

    def get(self, key: str, *, version: str | None = None) -> bytes:
        """The bytes of a blob. Raises NotFoundError."""
        ...

    def open(self, key: str, *, version: str | None = None) -> Iterator[bytes]:
        """The bytes of a blob, piece by piece. Raises NotFoundError."""
        ...

    def read(self, key: str, start: int, length: int) -> bytes:
        """A range of a blob's bytes, which must lie within the blob. Raises NotFoundError."""
        ...

    def head(self, key: str) -> BlobInfo | None:
        """What is known about a blob, or None."""
        ...

    def list(self, pattern: str = "*") -> Iterator[BlobInfo]:
        """Blobs in order of key: all below a prefix (`2026/11/*`), or exactly one key."""
        ...

    def versions(self, key: str) -> Sequence[BlobInfo]:
        """Every stored version of a blob, newest first. A store without versions returns the one it has."""
        ...

    def delete(self, key: str, *, version: str | None = None) -> None:
        """Remove a blob, or one version of it; it is no error if there is none."""
        ...

    def file_of(self, key: str) -> Path | None:
        """The file on this machine that a blob is, whether or not there is one; None when the store is elsewhere."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...
