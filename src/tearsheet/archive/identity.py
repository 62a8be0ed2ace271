"""Whether a store is the one that copies were made in, and not a bare mount point or another disk in its place.

Each store holds a small file with an id, and the database knows the id. Where the two differ, copies that should be there
decide: the file may have been deleted, or the disk copied to another.
"""

from __future__ import annotations

import uuid
from pathlib import Path

import msgspec

from tearsheet.archive.outbox import Outbox
from tearsheet.archive.store import StoredFile
from tearsheet.engines.blobs import Blobs
from tearsheet.errors import EngineError, NotFoundError
from tearsheet.foreign_text import decode_json

MARKER = "tearsheet-store.json"
_LOOKED_FOR = 3
"""How many of the newest copies are looked for before a store is taken for another one."""


class Marker(msgspec.Struct, frozen=True):
    """What the marker of a store says."""

    id: str
    about: str = (
        "Tearsheet keeps copies of archive files here, and knows this place by its id. Leave this file where it is."
    )


def check_identity(name: str, blobs: Blobs, outbox: Outbox) -> None:
    """Make a store that is used for the first time; recognise one that has copies. Raises EngineError if it is another.

    Done before anything is written to a store, or removed on the word of one.
    """
    known = outbox.store_id(name, uuid.uuid4().hex)
    copies = outbox.newest_copies(name, _LOOKED_FOR)
    if not copies:
        blobs.make()
    found = _marker_of(blobs, name)
    if found == known:
        return
    if copies and not any(_is_there(blobs, file) for file in copies):
        raise _another(name, found)
    if found is None:
        blobs.put(MARKER, msgspec.json.encode(Marker(known)) + b"\n", content_type="application/json")
    else:
        outbox.set_store_id(name, found)


def check_not_the_archive(name: str, blobs: Blobs, folder: Path, outbox: Outbox) -> None:
    """Raise EngineError when a store is the archive folder, whatever mount shows it twice.

    Then its marker is in the archive folder. But so it is when that was copied from the store: something new decides.
    """
    try:
        found = decode_json((folder / MARKER).read_bytes(), Marker).id
    except (OSError, ValueError):
        return
    if found != outbox.store_id(name, uuid.uuid4().hex):
        return
    key = f"tearsheet-probe-{uuid.uuid4().hex}"
    blobs.put(key, b"x")
    try:
        is_there = (folder / key).exists()
    finally:
        blobs.delete(key)
    if is_there:
        raise EngineError(
            f"archive.stores: {name} is the archive folder itself, as another mount shows it: name a place of its own"
        )


def recognise(name: str, blobs: Blobs, outbox: Outbox, key: str) -> None:
    """Raise EngineError unless the store is the one that copies were made in: by its marker, or because it has this copy.

    Nothing is made or written: a bare mount point must not pass for a store that has lost its copies.
    """
    if _marker_of(blobs, name) != outbox.store_id(name, uuid.uuid4().hex) and blobs.head(key) is None:
        raise _another(name, None)


def _marker_of(blobs: Blobs, name: str) -> str | None:
    try:
        return decode_json(blobs.get(MARKER), Marker).id
    except NotFoundError:
        return None
    except ValueError as error:
        raise EngineError(
            f"archive.stores: {MARKER} of {name} cannot be read ({error}): if the copies beside it are whole, delete it"
        ) from error


def _is_there(blobs: Blobs, file: StoredFile) -> bool:
    found = blobs.head(file.key)
    return found is not None and found.size == file.size


def _another(name: str, found: str | None) -> EngineError:
    what = f"the disk of {name} seems not to be mounted" if found is None else f"another store seems to be at {name}"
    return EngineError(
        f"archive.stores: {what}: the copies that were made there last are missing. Mount or name the right one; "
        f"if they are lost, `tearsheet archive forget {name}` has them made again"
    )
