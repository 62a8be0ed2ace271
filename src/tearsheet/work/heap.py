"""The memory that the C library keeps for itself.

glibc gives threads heaps of their own, up to eight for each core, and each keeps what was freed in it for its next use. Pages pass
through many threads here (curl, zstd, SQLite, gzip), so that every heap would grow to the size of the largest rush it has seen.
"""

from __future__ import annotations

import ctypes

_M_ARENA_MAX = -8
_ARENAS = 2


def share_heaps() -> None:
    """Let all threads share two heaps. Heaps that exist already stay, so this is called before there are many threads.

    Where the C library is another one, nothing happens.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, _ARENAS)
