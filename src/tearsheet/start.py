"""What a signal does while the program loads, and until a command handles signals itself (see `app.running`).

Loading takes a while, and whoever presses Ctrl-C meanwhile should not read which module was being imported. Nothing has been begun
then, so the process ends at once, with the exit code of any interruption. From `begin` on, SIGTERM is like Ctrl-C.
"""

from __future__ import annotations

import gc
import os
import signal
from types import FrameType

INTERRUPTED = 11
"""The exit code after a signal."""
_NEW_OBJECTS = 50_000
"""How many objects are made before the garbage collector looks at them. With Python's 700, it looks at modules that
are being loaded and finds nothing, for some 20 ms of a command that takes half a second."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def load() -> None:
    """The program begins to load: from now on, a signal ends it without a word."""
    gc.set_threshold(_NEW_OBJECTS)
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as shells start background jobs
            signal.signal(number, _leave)


def begin() -> None:
    """A command begins: it has files to close and a line to say when it is interrupted, by either signal."""
    for number in _SIGNALS:
        if signal.getsignal(number) is _leave:
            signal.signal(number, signal.default_int_handler)


def end() -> None:
    """The program ends, and what it has in memory goes with it: Python need not look for garbage among all of that a last time."""
    gc.freeze()


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
