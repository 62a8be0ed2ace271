"""What differs between operating systems, apart from locks: how many files may be open, and reading and writing at an offset.

Linux and macOS run everything. Windows runs what reads and asks; `require_unix` is called where the rest begins.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from tearsheet.errors import UsageError

if sys.platform != "win32":
    import resource

_FILES_ON_WINDOWS = 512
"""As many sockets as its select() can wait for."""
_NO_LIMIT = 1 << 20
BINARY: int = getattr(os, "O_BINARY", 0)
"""A flag for `os.open`: bytes as they are. Only Windows has to be told."""


def require_unix(doing: str) -> None:
    """Refuse to begin what Windows cannot do. Raises UsageError."""
    if sys.platform == "win32":
        raise UsageError(f"{doing} needs Linux or macOS; on Windows, use Tearsheet in WSL (`wsl --install`)")


def file_limit() -> int:
    """How many files this process may have open."""
    if sys.platform == "win32":
        return _FILES_ON_WINDOWS
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return limit if limit != resource.RLIM_INFINITY else _NO_LIMIT


def raise_file_limit() -> int:
    """Let this process open as many files as the system allows it; returns how many."""
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != hard:
            with suppress(ValueError, OSError):  # some systems name a hard limit that cannot be reached
                resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return file_limit()


if sys.platform == "win32":

    def read_at(descriptor: int, length: int, offset: int) -> bytes:
        """Read from an offset."""
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, length)

    def write_at(descriptor: int, data: bytes, offset: int) -> int:
        """Write at an offset; returns how many bytes were written."""
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.write(descriptor, data)

else:
    read_at, write_at = os.pread, os.pwrite

sync_bytes = getattr(os, "fdatasync", os.fsync)
"""Make the bytes of a file survive a power cut; what else is known of it (its times) may be lost. macOS has no such call."""
