"""Output whose reader leaves early, as in `tearsheet search flood | head -1`: the command ends quietly."""

from __future__ import annotations

import errno
import os
import select
import sys
from contextlib import suppress
from typing import TextIO

from rich.console import Console


class PipedConsole(Console):
    """A console that raises an error when its reader has left; rich would end the program with 1."""

    def on_broken_pipe(self) -> None:
        """Raise the error that rich caught."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def let_go_of_broken_pipes() -> bool:
    """Send what is left for readers that are gone to nowhere; returns whether there were any.

    Otherwise Python tries to write it during shutdown, complains and exits with 120.
    """
    broken = [stream for stream in (sys.stdout, sys.stderr) if stream is not None and _has_lost_its_reader(stream)]
    for stream in broken:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    return bool(broken)


def _has_lost_its_reader(stream: TextIO) -> bool:
    """Whether nobody holds the other end. A failed write cannot tell: the next one may find an empty buffer and succeed."""
    with suppress(BrokenPipeError):
        stream.flush()
    try:
        descriptor = stream.fileno()
    except OSError:  # not a file, as in a test
        return False
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(state & (select.POLLERR | select.POLLHUP) for _, state in poll.poll(0))
