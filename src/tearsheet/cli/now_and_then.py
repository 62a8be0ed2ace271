"""A line of progress for work that goes through many things: updated in place on a terminal, elsewhere printed now and then."""

from __future__ import annotations

import time
from collections.abc import Callable

from tearsheet.cli.context import Globals, err

_SILENT_SECONDS = 2.0
"""Anything that takes no longer than this shows no progress."""
_LINE_SECONDS = 15.0
_FRAME_SECONDS = 0.2


def said_now_and_then(clock: Callable[[], float] = time.monotonic) -> Callable[[str], None]:
    """Call what is returned as often as there is something to say.

    Nothing is shown at first, with `--quiet`, or when it is empty or was said before.
    """
    due, last = clock() + _SILENT_SECONDS, ""

    def say(line: str) -> None:
        nonlocal due, last
        now = clock()
        if Globals.quiet or now < due or line in ("", last):
            return
        due, last = now + (_FRAME_SECONDS if err.is_terminal else _LINE_SECONDS), line
        if err.is_terminal:
            err.show_progress(line)
        else:
            err.print(line)

    return say
