"""Whether database, archive and index know of each other: what one of them lost is not taken for what never was."""

from __future__ import annotations

from tearsheet.app.services import Services
from tearsheet.archive import holds_documents, unregistered_files
from tearsheet.counts import how_many
from tearsheet.errors import StorageError
from tearsheet.query import parse_query


def check_archive(services: Services) -> str:
    """What the archive holds. Raises StorageError for files that are not registered, or are registered and nowhere."""
    folder, copies = services.archive_folder, services.captures.copies
    unknown = unregistered_files(folder, services.archive)
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
    return f"{how_many(len(files), 'file')}, all here or in a store"


def check_index(services: Services) -> str:
    """What the index holds. Raises StorageError when it is empty, though the archive is not.

    The index is only read; who else writes to it while we look is no concern of ours.
    """
    if not services.index.count(parse_query("*")) and has_archived_stories(services):
        raise StorageError("empty, though the archive has stories: `tearsheet index rebuild` fills it again")
    return services.index.describe()


def has_archived_stories(services: Services) -> bool:
    """Whether stories of ours are archived, registered or not."""
    if services.archive.collected_stories():
        return True
    return any(not holds_documents(path.name) for path in unregistered_files(services.archive_folder, services.archive))
