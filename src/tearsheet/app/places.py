"""Where the parts of a data folder are, and whether the places that the settings name are apart.

A copy in the folder of its original is no copy, and two parts in one folder spoil each other: the index may be deleted at any time,
and whatever lies in the archive's folder is taken for an archive file. Places are compared as they are once links are followed, and
a folder that is mounted a second time is one place with the first.
"""

from __future__ import annotations

from pathlib import Path

from tearsheet.backup import Layout
from tearsheet.engines import is_embedded, local_path
from tearsheet.errors import ConfigError
from tearsheet.files import lies_in, place_of
from tearsheet.settings import Settings

QUEUE_DUMPS, TOPICS, TRACKERS = "queue-dumps", "topics", "trackers"
_FOLDERS = ("rss", "rss-fetcher", QUEUE_DUMPS, TOPICS, TRACKERS)
"""Folders of the data folder that no setting names."""


def layout_of(settings: Settings) -> Layout:
    """Where the parts of a data folder are, by its settings."""

    def here(setting: str, url: str) -> Path | None:
        return local_path(url, settings.data, setting) if is_embedded(url) else None

    engines = settings.engines
    return Layout(
        data=settings.data,
        database=here("engines.database", engines.database),
        broker=here("engines.broker", engines.broker),
        index=here("engines.index", engines.index),
        blobs=here("engines.blobs", engines.blobs),
        events=here("engines.events", engines.events),
        archive=local_path(settings.archive.folder, settings.data, "archive.folder"),
        pages=local_path(settings.pages.folder, settings.data, "pages.folder"),
    )


def check_apart(settings: Settings, setting: str, place: Path, *, may_be: str = "") -> None:
    """Raise ConfigError when a place that a setting or an option names is, holds, or lies in a part of the data folder.

    The part that the setting itself names does not count, nor does the one that the place `may_be`.
    """
    for name, part in _parts(settings).items():
        if name not in (setting, may_be) and (relation := _relation(place, part)):
            raise ConfigError(
                f"{setting}: {place} {relation} {part}, {_what(name)}: name a folder of its own, as 'my-copies' in the data "
                "folder or '/mnt/second-disk/my-copies' on another disk"
            )


def _relation(place: Path, part: Path) -> str:
    if place_of(place) == place_of(part):
        return "is"
    return "lies in" if lies_in(place, part) else "holds" if lies_in(part, place) else ""


def _parts(settings: Settings) -> dict[str, Path]:
    """Every part that is on this machine, by the setting that names it, or by its own name."""
    layout = layout_of(settings)
    named = {
        "archive.folder": layout.archive,
        "engines.index": layout.index,
        "engines.database": layout.database,
        "engines.broker": layout.broker,
        "engines.blobs": layout.blobs,
        "engines.events": layout.events,
        "pages.folder": layout.pages,
        "pages of queued stories": layout.page_folder if layout.broker else None,
    }
    fixed = {name: settings.data / name for name in _FOLDERS}
    return {name: path for name, path in named.items() if path is not None} | fixed


def _what(name: str) -> str:
    return f"which {name} names" if "." in name else "which the program uses itself"
