"""Where output goes, and what happens when it cannot go there.

A reader who leaves early, as in `tearsheet search flood | head -1`, is no error: the command ends quietly. Output that is closed,
or a file on a full disk, is one: the results are lost, and the command says so.
"""

from __future__ import annotations

import errno
import os
import select
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from tearsheet.errors import StorageError
from tearsheet.masking import redacted
from tearsheet.terminal import clean


class PipedConsole(Console):
    """A console for what people read. Whatever is printed, by whichever command, is cleaned here: much of it is by strangers.

    Brackets in a text are brackets and not markup, control characters do nothing, and secrets are hidden. What the program
    itself wants of the terminal (styles, moving the cursor) it says with rich's objects.

    It raises an error when its reader has left; rich would end the program with 1. Raises StorageError when standard output is
    closed or cannot be written. A closed stderr is nowhere to complain: it is ignored.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=True)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does."""
        if not self.stderr:
            standard_output()
        with output_errors():
            # Here, because a line that is folded may be folded within a secret.
            super().print(*(redacted(item) if isinstance(item, str) else item for item in objects), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What rich makes of an object, without control characters in its texts. Everything that is shown passes here."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(clean(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Raise the error that rich caught."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def standard_output() -> TextIO:
    """Standard output. Raises StorageError when the program was started without one, as with `>&-` in a shell."""
    if sys.stdout is None:
        raise StorageError("cannot write the output: standard output is closed")
    return sys.stdout


@contextmanager
def output_errors() -> Iterator[None]:
    """Turn what the operating system says about our output into one line for the user; a reader who left is another matter."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StorageError(f"cannot write the output: {error.strerror or error}") from error


def let_go_of_broken_pipes() -> bool:
    """Send what is left for readers that are gone, or for a full disk, to nowhere; returns whether there were any.

    Otherwise Python tries to write it during shutdown, complains and exits with 120.
    """
    broken = [stream for stream in (sys.stdout, sys.stderr) if stream is not None and _is_broken(stream)]
    for stream in broken:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    return bool(broken)


def _is_broken(stream: TextIO) -> bool:
    """Whether what is left cannot be written, or nobody holds the other end.

    A write to a pipe that failed cannot tell: the next one may find an empty buffer and succeed.
    """
    try:
        descriptor = stream.fileno()
    except OSError:  # not a file, as in a test
        return False
    try:
        with suppress(BrokenPipeError):
            stream.flush()
    except OSError:
        return True
    if not hasattr(select, "poll"):  # Windows, where writing has told
        return False
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(state & (select.POLLERR | select.POLLHUP) for _, state in poll.poll(0))
