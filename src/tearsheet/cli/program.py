"""What to type to start this program again: it depends on how it was installed, and on who started it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

_UVX = "archive-v0"
"""A folder in the path of every environment that `uvx` makes and forgets."""


@dataclass(slots=True, frozen=True)
class Program:
    """How this program is called."""

    words: str
    """What comes before `search` and other commands."""
    by_make: bool = False
    """Whether `make run` started it."""

    def own_feeds(self) -> str:
        """The command that collects feeds of one's own."""
        feeds = "https://example.com/feed.xml list.opml"
        return f'make run FEEDS="{feeds}"' if self.by_make else f"{self.words} run {feeds}"

    def demo(self) -> str:
        """The command that starts the demo again."""
        return "make run" if self.by_make else f"{self.words} demo"


def program_of(script: PurePath, found: PurePath | None, here: PurePath, environ: Mapping[str, str]) -> Program:
    """How the program is called that runs as `script`, where a shell in the folder `here` finds `found` as `tearsheet`."""
    by_make = "MAKELEVEL" in environ
    if script.name == "__main__.py":
        return Program("python -m tearsheet", by_make)
    if _UVX in script.parts:
        return Program("uvx tearsheet", by_make)
    if found == script:
        return Program("tearsheet", by_make)
    return Program(str(script.relative_to(here) if script.is_relative_to(here) else script), by_make)


def this_program() -> Program:
    """How this very program was called."""
    found = shutil.which("tearsheet")
    script = Path(sys.argv[0]).absolute()
    return program_of(script, Path(found).absolute() if found else None, Path.cwd(), os.environ)
