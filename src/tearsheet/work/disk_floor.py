"""The floor of free disk: below it nothing new is begun, so that what is on its way can be finished and nothing is cut off."""

from __future__ import annotations

import logging
import math
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tearsheet.files import storage_errors

log = logging.getLogger(__name__)
_SETTING = "storage.min_free_bytes"
_POLLING_SHARE = 4
"""Feeds are polled down to this part of the floor: an entry is small, and what a feed drops meanwhile would be lost."""


def has_space(free: int, floor: int, *, paused: bool) -> bool:
    """Whether something new may be begun. After a pause a tenth more than the floor must be free, so that it does not flutter."""
    return free >= (floor + floor // 10 if paused else floor)


def may_poll(free: int, floor: int) -> bool:
    """Whether feeds may be polled."""
    return free >= floor // _POLLING_SHARE


@dataclass(slots=True, frozen=True)
class Disk:
    """A disk by a folder on it, and how much of it is free."""

    folder: Path
    free: int


def fullest_disk(places: Sequence[Path]) -> Disk:
    """Which of these places has least room. One that is not there yet is on the disk of the folder above it."""
    with storage_errors("cannot see how much disk is free"):
        return min((Disk(place, shutil.disk_usage(nearest_folder(place)).free) for place in places), key=_free)


def nearest_folder(path: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    while not path.is_dir():
        path = path.parent
    return path


def shortage(disk: Disk, floor: int) -> str:
    """What to tell a user about a disk below the floor."""
    return (
        f"only {disk.free / 1e6:,.0f} MB are free at {disk.folder}, and {_SETTING} is {floor / 1e6:,.0f} MB: "
        "make room, or lower this setting"
    )


@dataclass(slots=True)
class DiskFloor:
    """Whether a run may begin something new, given its disks. A queuer that has waited for `patience` seconds gives up."""

    places: Sequence[Path] = ()
    floor: int = 0
    patience: float = math.inf
    clock: Callable[[], float] = time.monotonic
    told: str = field(default="", init=False)
    """Why queuers pause; empty when they do not."""
    _since: float = field(default=0.0, init=False)

    def may_go(self) -> bool:
        """Whether there is room. A pause and its end are logged."""
        if not self.floor:
            return True
        disk = fullest_disk(self.places)
        go = has_space(disk.free, self.floor, paused=bool(self.told))
        if go and self.told:
            log.info("queuers go on: there is disk space again", extra={"free": disk.free})
        elif not go and not self.told:
            self._since = self.clock()
            log.warning("queuers pause: the disk is nearly full", extra={"why": shortage(disk, self.floor)})
        self.told = "" if go else shortage(disk, self.floor)
        return go

    def may_poll(self) -> bool:
        """Whether there is room for what polls bring."""
        return not self.floor or may_poll(fullest_disk(self.places).free, self.floor)

    @property
    def gave_up(self) -> bool:
        """Whether the pause has lasted too long for a run that is to end."""
        return bool(self.told) and self.clock() - self._since >= self.patience


def _free(disk: Disk) -> int:
    return disk.free
