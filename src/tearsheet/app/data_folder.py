"""Which folder a command works on: the data folder, or the demo in it for as long as it holds nothing of one's own.

Whoever has just watched the demo types `tearsheet search` next, and means what they saw. With the first feed of their own, the
data folder holds something, and from then on it is meant.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tearsheet.settings import CONFIG_FILE

DEMO_FOLDER = "demo"
"""The demo's folder, inside the data folder."""


def holds_nothing(names: Collection[str]) -> bool:
    """Whether a data folder with these names in it holds nothing of one's own: at most the demo, and hidden files."""
    return all(name == DEMO_FOLDER or name.startswith(".") for name in names)


def is_demo(names: Collection[str]) -> bool:
    """Whether a folder with these names in it was begun by the demo, which writes its settings first of all."""
    return CONFIG_FILE in names


def folder_meant(folder: Path, names: Collection[str], names_in_demo: Collection[str]) -> Path:
    """The folder that a command on what is already there means, when the data folder and the demo in it hold these names."""
    return folder / DEMO_FOLDER if holds_nothing(names) and is_demo(names_in_demo) else folder


def names_in(folder: Path) -> frozenset[str]:
    """The names in a folder; none where there is no folder, or none that we may read."""
    try:
        return frozenset(path.name for path in folder.iterdir())
    except OSError:
        return frozenset()
