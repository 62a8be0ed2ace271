"""Whether each store is where the user thinks it is, and can be written, read and deleted from: part of `tearsheet doctor`.

Nothing is made: of a folder that is not there yet, the doctor says where it will be.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tearsheet.app.places import check_apart
from tearsheet.app.services import Services
from tearsheet.archive import Outbox, check_identity, check_not_the_archive, check_store_url, store_name
from tearsheet.counts import how_many
from tearsheet.engines import is_embedded, local_path
from tearsheet.engines.blobs import Blobs, open_blobs
from tearsheet.errors import EngineError, StorageError
from tearsheet.files import storage_errors
from tearsheet.work import nearest_folder

_ALL_THREE = "written, read and deleted"


@dataclass(slots=True, frozen=True)
class StorePlace:
    """A store as a setting names it."""

    setting: str
    url: str
    is_backup: bool = False
    """It should not be on the disk of the data folder."""
    only_read: bool = False
    """It may be somebody else's: nothing is written to it."""
    is_blobs: bool = True
    """It is read and written by keys; otherwise it is a plain folder of files."""


def store_places(services: Services) -> Iterator[StorePlace]:
    """Every store of the settings."""
    settings = services.settings
    yield StorePlace("engines.blobs", settings.engines.blobs)
    if is_embedded(settings.engines.events):
        yield StorePlace("engines.events", settings.engines.events, is_blobs=False)
    yield StorePlace("archive.folder", settings.archive.folder, is_blobs=False)
    for url in settings.archive.stores:
        yield StorePlace("archive.stores", url, is_backup=True)
    if settings.pipeline.downloads:
        yield StorePlace("pipeline.downloads", settings.pipeline.downloads, only_read=True)
    if settings.pages.active:
        yield StorePlace("pages.folder", settings.pages.folder, is_blobs=False)


def check_store(services: Services, place: StorePlace) -> tuple[str, str]:
    """Where a store is and what can be done there, and advice, if it could be better. Raises a TearsheetError if it is unusable."""
    data, patience = services.data, services.settings.engines.patience_seconds
    shown, advice = "", ""
    if place.is_backup:
        check_store_url(place.url, services.settings.archive.stores, data)
    if is_embedded(place.url):
        folder = local_path(place.url, data, place.setting)
        if not place.only_read:
            check_apart(services.settings, place.setting, folder)
        shown, advice = _described(folder, data, place)
        if place.only_read and not folder.is_dir():
            raise EngineError(f"{place.setting}: there is no folder {folder}: mount its disk, or name another")
        if place.setting == "archive.folder" and not folder.is_dir() and (missed := _written_here(services)):
            raise StorageError(
                f"archive.folder: there is no folder {folder}, where {how_many(missed, 'file', 'was')} written: mount its disk, "
                "or bring them back from a copy or a backup"
            )
        if not folder.is_dir() and not _was_used(services, place):
            return f"{shown}; made when it is first used", advice
        if not place.is_blobs:
            return f"{shown}; {_tried_folder(folder, place)}", advice
    blobs = open_blobs(place.url, data, patience=patience, setting=place.setting)
    try:
        if place.is_backup and _was_used(services, place):
            name, outbox = store_name(place.url), Outbox(services.database)
            check_identity(name, blobs, outbox)
            check_not_the_archive(name, blobs, services.archive_folder, outbox)
        return f"{shown or store_name(place.url)}; {_tried(blobs, place)}", advice
    finally:
        blobs.close()


def _written_here(services: Services) -> int:
    """How many archive files should be on this machine."""
    return sum(file.local and file.path is None for file in services.archive.files())


def _was_used(services: Services, place: StorePlace) -> bool:
    return place.is_backup and bool(Outbox(services.database).newest_copies(store_name(place.url), 1))


def _tried(blobs: Blobs, place: StorePlace) -> str:
    """Write, read and delete a small blob; read alone where nothing may be written."""
    if place.only_read:
        next(iter(blobs.list("downloads/*")), None)
        return "can be read"
    key, content = f"tearsheet-doctor-{uuid.uuid4().hex}", os.urandom(64)
    blobs.put(key, content)
    try:
        if blobs.get(key) != content:
            raise StorageError(f"{place.setting}: what was written is not what is read back; check this store")
    finally:
        blobs.delete(key)
    return _ALL_THREE


def _tried_folder(folder: Path, place: StorePlace) -> str:
    """Write, read and delete a small file."""
    with (
        storage_errors(f"{place.setting}: {folder} cannot be used"),
        tempfile.NamedTemporaryFile(dir=folder, prefix=".tearsheet-doctor-") as file,
    ):
        file.write(b"x")
        file.flush()
        if Path(file.name).read_bytes() != b"x":
            raise StorageError(f"{place.setting}: what was written is not what is read back; check {folder}")
    return _ALL_THREE


def _described(folder: Path, data: Path, place: StorePlace) -> tuple[str, str]:
    """The place in words, and advice when a backup is on the disk of what it is a backup of."""
    above = nearest_folder(folder)
    if not folder.is_dir() and not os.access(above, os.W_OK):
        raise StorageError(f"{place.setting}: {folder} is not there and cannot be made: {above} cannot be written")
    if not folder.is_dir() and above != folder.parent and not folder.is_relative_to(data):
        raise EngineError(f"{place.setting}: there is no folder {folder.parent}: mount its disk, or make it")
    same = above.stat().st_dev == data.stat().st_dev
    free = shutil.disk_usage(above).free
    disk = "the data folder's disk" if same else "a disk of its own"
    link = f" (which is {folder.resolve()})" if folder.resolve() != folder.absolute() else ""
    advice = "name a place on another disk, since one on this disk is lost with it" if same and place.is_backup else ""
    return f"{folder}{link}, on {disk}, {free / 1e9:,.1f} GB free", advice
