"""The disks that a run fills, and the floor of free space below which it begins nothing new."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from tearsheet.app.engines import Engines
from tearsheet.engines import is_embedded, local_path
from tearsheet.errors import StorageError
from tearsheet.work import DiskFloor, fullest_disk, shortage

_WAITED_SECONDS = 5.0
"""Nobody clears a disk while they wait for `run --once` to end, and cron comes again."""
_ENGINES = ("database", "broker", "index", "blobs", "events")


@dataclass(slots=True, frozen=True)
class DiskState:
    """The disk with least room of those that a run fills."""

    folder: str
    free_bytes: int
    floor_bytes: int
    short: str
    """Why queuers pause; empty when they do not."""


def filled_places(services: Engines) -> list[Path]:
    """Every place on this machine that a run adds to. Copies in the archive's stores are made when there is room for them."""
    settings, data = services.settings, services.data
    places = [data, services.archive_folder]
    if settings.pages.active:
        places.append(local_path(settings.pages.folder, data, "pages.folder"))
    urls = {f"engines.{name}": getattr(settings.engines, name) for name in _ENGINES}
    return places + [local_path(url, data, setting) for setting, url in urls.items() if is_embedded(url)]


def disk_floor(services: Engines, *, once: bool) -> DiskFloor:
    """What a queuer asks before it queues more. A run that is to end waits a moment for room, which its own work may make."""
    settings = services.settings
    patience = min(_WAITED_SECONDS, settings.engines.patience_seconds) if once else math.inf
    return DiskFloor(filled_places(services), settings.storage.min_free_bytes, patience)


def disk_state(services: Engines) -> DiskState:
    """How much is free, and whether that is too little."""
    floor, disk = services.settings.storage.min_free_bytes, fullest_disk(filled_places(services))
    return DiskState(str(disk.folder), disk.free, floor, shortage(disk, floor) if disk.free < floor else "")


def require_space(services: Engines) -> None:
    """Refuse to begin what would fill the disk. Raises StorageError below the floor."""
    state = disk_state(services)
    if state.short:
        raise StorageError(state.short)
