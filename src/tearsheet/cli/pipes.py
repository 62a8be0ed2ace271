"""Where output goes, and what happens when it cannot go there.

A reader who leaves early, as in `tearsheet search flood | head -1`, is no error: the command ends quietly. Output that is closed,
or a file on a full disk, is one: the results are lost, and the command says so.
"""

from __future__ import annotations

import os
import select
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from tearsheet.cli.pieces import Line, Piece
from tearsheet.errors import StorageError
from tearsheet.masking import redacted
from tearsheet.terminal import clean, clean_line, link_target, linked, shows_links

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_NO_TERMINAL = 80
_ERASE_LINE = "\r\x1b[2K"


class Printer:
    """Prints what people read. Whatever is printed, by whichever command, is cleaned here: much of it is by strangers.

    Control characters in a text do nothing, and secrets are hidden. Only styles, links and the line of progress, which are
    ours, command the terminal.

    It raises an error when its reader has left. Raises StorageError when standard output is closed or cannot be written. A
    closed stderr is nowhere to complain: it is ignored.
    """

    progress_shown = False
    """Whether a line of progress is on the terminal, which the next output replaces."""

    def __init__(self, *, stderr: bool = False) -> None:
        self._stderr = stderr

    @property
    def is_terminal(self) -> bool:
        """Whether people see what is printed as it is printed."""
        stream = self._stream()
        return stream is not None and stream.isatty()

    @property
    def width(self) -> int | None:
        """How many columns there are; None when nobody counts them, as in a file."""
        if not self.is_terminal and not os.environ.get("COLUMNS", "").isdecimal():
            return None
        return shutil.get_terminal_size().columns

    def print(self, *texts: Any, style: str = "", end: str = "\n") -> None:
        """Print texts with a blank between them, as one text that may have several lines."""
        text = clean(redacted(" ".join(map(str, texts))))
        self.write(self._styled(text, style) + end)

    def line(self, pieces: Line) -> str:
        """One line as it can be written, with its end."""
        return "".join(map(self._piece, pieces)).rstrip(" ") + "\n"

    def show_progress(self, text: str) -> None:
        """Put a text into the last line of a terminal, instead of what stood there; it is cut at the right margin."""
        room = (self.width or _NO_TERMINAL) - 1
        self.write(clean_line(redacted(text))[:room])
        Printer.progress_shown = True

    def write(self, text: str) -> None:
        """Write text that is known to be clean."""
        stream = self._stream()
        if stream is None:
            return
        erase_progress()
        with output_errors():
            try:
                stream.write(text)
            except UnicodeEncodeError:  # an old terminal that knows few characters
                encoding = stream.encoding or "ascii"
                stream.write(text.encode(encoding, "replace").decode(encoding))
            stream.flush()

    def _stream(self) -> TextIO | None:
        return sys.stderr if self._stderr else standard_output()

    def _piece(self, piece: Piece) -> str:
        shown = clean_line(redacted(piece.text))
        target = link_target(piece.text) if piece.link and shown == piece.text else None
        if target and self.is_terminal and shows_links(os.environ):
            return linked(self._styled(shown, piece.style), target)
        return self._styled(shown, piece.style)

    def _styled(self, text: str, style: str) -> str:
        if (
            not style
            or not text
            or not self.is_terminal
            or "NO_COLOR" in os.environ
            or os.environ.get("TERM") == "dumb"
        ):
            return text
        return f"\x1b[{';'.join(_STYLES[name] for name in style.split())}m{text}\x1b[0m"


def erase_progress() -> None:
    """Take the line of progress off the terminal, if there is one: something else is about to be shown."""
    if Printer.progress_shown and sys.stderr is not None:
        Printer.progress_shown = False
        with output_errors():
            sys.stderr.write(_ERASE_LINE)
            sys.stderr.flush()


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
