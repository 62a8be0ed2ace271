"""Long output on a terminal goes through the reader's pager, as with git; what fits on the screen is printed at once."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice

_LESS = {"LESS": "FRX", "LV": "-c"}
"""As git sets them: leave at once if all fits, pass colours and links through, and leave the text on the screen."""


def pager_command(environ: Mapping[str, str]) -> list[str]:
    """The words of the pager's command: that of TEARSHEET_PAGER, of PAGER, or `less` if it is there; empty for none."""
    for name in ("TEARSHEET_PAGER", "PAGER"):
        if name in environ:
            words = shlex.split(environ[name])
            return [] if words == ["cat"] else words
    return ["less"] if shutil.which("less") else []


def paged(pieces: Iterable[str], height: int) -> Iterator[str]:
    """Hand the lines on that fit on a screen of `height` lines; if there are more, all of them go to the pager instead."""
    waiting = iter(pieces)
    first = list(islice(waiting, max(height - 1, 1)))
    following = next(waiting, None)
    if following is None or not (command := pager_command(os.environ)):
        yield from first
        yield from () if following is None else chain([following], waiting)
        return
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env={**_LESS, **os.environ}, text=True)  # noqa: S603
    except OSError:  # there is no such program; the results are still wanted
        yield from chain(first, [following], waiting)
        return
    _fill(pager, chain(first, [following], waiting))


def _fill(pager: subprocess.Popen[str], lines: Iterable[str]) -> None:
    """Write to the pager until it has all, or its reader has seen enough."""
    assert pager.stdin is not None
    try:
        with suppress(BrokenPipeError), pager.stdin:
            pager.stdin.writelines(lines)
    finally:
        while pager.returncode is None:
            with suppress(KeyboardInterrupt):  # Ctrl-C is for the pager as long as it is there
                pager.wait()
