"""Holders of leases, known by file locks: a holder lives as long as its process, and the kernel frees its lock when that dies."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from tearsheet.errors import StorageError
from tearsheet.locks import lock, try_lock


class Holder:
    """A unique name in a folder of names, locked until `close` or the end of the process."""

    def __init__(self, folder: Path) -> None:
        self.name = f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self._path(self.name), os.O_CREAT | os.O_RDWR)
        except OSError as error:
            raise StorageError(f"cannot write to {folder}: {error.strerror}; check the data folder") from error
        lock(self._lock)

    def is_alive(self, name: str) -> bool:
        """Whether the process behind a name is still alive."""
        try:
            descriptor = os.open(self._path(name), os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            return not try_lock(descriptor)
        finally:
            os.close(descriptor)

    def forget(self, name: str) -> None:
        """Remove the name of a dead holder."""
        self._path(name).unlink(missing_ok=True)

    def close(self) -> None:
        """Give up the name."""
        self.forget(self.name)
        os.close(self._lock)

    def _path(self, name: str) -> Path:
        return self._folder / name
