"""Locks on files, held until the file is closed or its process ends: the one place that knows how each system locks.

POSIX systems lock a file as a whole, for one process or shared by many. Windows locks a range of bytes, which others then cannot
read, and has no shared locks here: one byte far behind what files hold is locked instead, and readers wait for one another.
"""

from __future__ import annotations

import os
import sys
import time
from typing import IO

File = int | IO[bytes]
"""An open file, or its descriptor."""
_LOOK_AGAIN_SECONDS = 0.05
_FAR = (1 << 31) - 2
"""The byte that is locked on Windows, whose C library knows no larger offset for locks."""


if sys.platform == "win32":
    import msvcrt

    def lock(file: File, *, shared: bool = False) -> None:
        """Wait for the lock and take it: for this process alone, or `shared` with others that want it shared."""
        while not try_lock(file):
            time.sleep(_LOOK_AGAIN_SECONDS)

    def try_lock(file: File) -> bool:
        """Take the lock for this process alone, if nobody has it."""
        descriptor = file if isinstance(file, int) else file.fileno()
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        finally:
            os.lseek(descriptor, position, os.SEEK_SET)
        return True

else:
    import fcntl

    def lock(file: File, *, shared: bool = False) -> None:
        """Wait for the lock and take it: for this process alone, or `shared` with others that want it shared."""
        fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)

    def try_lock(file: File) -> bool:
        """Take the lock for this process alone, if nobody has it."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
