"""Put the archive in order after a crash: remove what was half-written, register what was finished."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tearsheet.archive.describe import describe
from tearsheet.archive.files import remove_leftovers
from tearsheet.archive.names import SUFFIX, cdxj_name
from tearsheet.archive.store import ArchiveStore
from tearsheet.files import write_whole

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Recovered:
    """What was put in order."""

    removed: list[Path] = field(default_factory=list)
    registered: list[Path] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    """What cannot be read in the files that were registered."""


def unregistered_files(folder: Path, store: ArchiveStore) -> list[Path]:
    """The finished files of the archive folder that the database does not know."""
    there = sorted(folder.rglob(f"*{SUFFIX}"))
    known = store.names()
    return [path for path in there if path.name not in known]


def recover(folder: Path, store: ArchiveStore, stores: Sequence[str] = ()) -> Recovered:
    """Remove the leftovers of dead writers, then register the finished files that were not registered.

    Safe while other archivers write to the same folder: their files are locked, and registering twice changes nothing.
    """
    if not folder.is_dir():
        return Recovered()
    recovered = Recovered(removed=remove_leftovers(folder))
    for path in unregistered_files(folder, store):
        description = describe(path)
        cdxj = path.with_name(cdxj_name(path.name))
        if not cdxj.exists():
            write_whole(cdxj, description.cdxj)
        # One that lies where none of ours would is left there, as another's is: its key would lead to nothing.
        elsewhere = path != folder / description.file.key
        store.register(description.file, stores=() if elsewhere else stores, foreign=elsewhere)
        recovered.registered.append(path)
        for damage in description.damages:
            recovered.damaged.append(f"{path}: byte {damage.offset}: {damage.what}")
            log.warning("archive file is damaged", extra={"file": path.name, "at": damage.offset, "what": damage.what})
    if recovered.removed or recovered.registered:
        counts = {"removed": len(recovered.removed), "registered": len(recovered.registered)}
        log.info("archive put in order after a stop", extra=counts)
    return recovered
