"""Whether database, archive and index know of each other: what one of them lost is not taken for what never was."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tearsheet.app.services import Services
from tearsheet.archive import KnownBy, holds_collected, unregistered_files
from tearsheet.counts import how_many
from tearsheet.errors import StorageError
from tearsheet.query import EVERYTHING
from tearsheet.work import living_workers

_LOOKS, _PAUSE_SECONDS = 20, 0.2


def still_unregistered(services: Services, pause: Callable[[float], None] = time.sleep) -> list[Path]:
    """The files of the archive folder that the database does not know.

    An archiver registers a file just after it has given it its name: while workers are alive, it is given the time to.
    """
    found = unregistered_files(services.archive_folder, services.archive)
    for _ in range(_LOOKS):
        found = [path for path in found if path.exists() and not services.archive.has_file(path.name)]
        if not found or not living_workers(services.database):
            break
        pause(_PAUSE_SECONDS)
    return found


def check_archive(services: Services) -> str:
    """What the archive holds. Raises StorageError for files that are not registered, or are registered and nowhere."""
    folder, copies = services.archive_folder, services.captures.copies
    unknown = still_unregistered(services)
    if unknown:
        raise StorageError(
            f"{how_many(len(unknown), 'file')} not registered in {folder}, as {unknown[0].name}: "
            "`tearsheet archive index` does that"
        )
    files = list(services.archive.files())
    lost = [file for file in files if not copies.is_here(file) and not copies.stores_of(file)]
    if lost:
        raise StorageError(
            f"neither here nor in a store: {len(lost):,} of {how_many(len(files), 'file')}, as {lost[0].local_path(folder)}: "
            "bring them back from a copy or a backup; `tearsheet archive verify` names them"
        )
    unread = KnownBy(services.database).count_unread()
    later = (
        f"; the addresses in {how_many(unread, 'file')} are not read yet: `tearsheet archive index` does that"
        if unread
        else ""
    )
    return f"{how_many(len(files), 'file')}, all here or in a store{later}"


def check_index(services: Services) -> str:
    """What the index holds. Raises StorageError when it is empty, though the archive is not.

    The index is only read; who else writes to it while we look is no concern of ours.
    """
    if not services.index.count(EVERYTHING) and has_archived_stories(services):
        raise StorageError("empty, though the archive has stories: `tearsheet index rebuild` fills it again")
    return services.index.describe()


def has_archived_stories(services: Services) -> bool:
    """Whether stories of ours are archived, registered or not."""
    if services.archive.collected_stories():
        return True
    return any(holds_collected(path.name) for path in unregistered_files(services.archive_folder, services.archive))
