"""Which folder a command works on: the data folder, or the demo in it for as long as it holds nothing of one's own.

Whoever has just watched the demo types `tearsheet search` next, and means what they saw. With the first feed of their own, the
data folder holds something, and from then on it is meant.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from tearsheet.engines import is_embedded, local_path
from tearsheet.settings import CONFIG_FILE, Settings, load_settings

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


def beside_demo(folder: Path) -> bool:
    """Whether a data folder holds the demo and nothing of one's own, so that commands read the demo."""
    return folder_meant(folder, names_in(folder), names_in(folder / DEMO_FOLDER)) != folder


def of_what_is_there(settings: Settings, flags: Mapping[str, Any] | None = None) -> Settings:
    """These settings of a data folder, or those of the demo in it when that is meant; `flags` hold for both."""
    if any(name.startswith("engines.") for name in settings.sources):  # these know nothing of a demo
        return settings
    folder = settings.data
    return load_settings(folder / DEMO_FOLDER, flags) if beside_demo(folder) else settings


def names_in(folder: Path) -> frozenset[str]:
    """The names in a folder; none where there is no folder, or none that we may read."""
    try:
        return frozenset(path.name for path in folder.iterdir())
    except OSError:
        return frozenset()


def has_engine(settings: Settings, setting: str, url: str) -> bool:
    """Whether an engine is there to be opened: a server is taken to be."""
    return not is_embedded(url) or local_path(url, settings.data, setting).exists()
