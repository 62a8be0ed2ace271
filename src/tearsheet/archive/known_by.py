"""By which addresses captured stories are known, so that all captures of an address are found without reading archive files.

The addresses are registered with the captures. Files that an earlier version registered are read once, when they are first needed
or when a user has the time for it (`tearsheet archive index`); each counts as soon as it was read, so it can be interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sqlalchemy import func, select

from tearsheet.archive.copies import Copies, OutOfReach
from tearsheet.archive.describe import capture_of
from tearsheet.archive.reader import StoryArchiveReader
from tearsheet.archive.store import (
    ArchiveStore,
    StoredFile,
    add_addresses,
    archive_files,
    capture_addresses,
    captures,
    file_from_row,
)
from tearsheet.archive.writer import Capture
from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.errors import NotFoundError, StorageError

Tell = Callable[[float, float | None], None]
"""Is told how many files were read, and of how many."""


class KnownBy:
    """The addresses of captured stories, in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def stories(self, keys: Iterable[str]) -> dict[str, set[str]]:
        """The ids of the stories that are known by each of these addresses."""
        found: dict[str, set[str]] = {}
        with self._database.read() as connection:
            for chunk in chunks(sorted(set(keys))):
                for key, story_id in (
                    (captures.c.index_id, captures.c.story_id),
                    (capture_addresses.c.url_key, capture_addresses.c.story_id),
                ):
                    for row in connection.execute(select(key, story_id).where(key.in_(chunk))):
                        found.setdefault(row[0], set()).add(row[1])
        return found

    def addresses(self, story_ids: Iterable[str]) -> dict[str, set[str]]:
        """Every address by which each of these stories is known, as far as it was captured."""
        found: dict[str, set[str]] = {}
        with self._database.read() as connection:
            for chunk in chunks(sorted(set(story_ids))):
                for table in (captures, capture_addresses):
                    query = select(table.c.story_id, table.c.url).where(table.c.story_id.in_(chunk))
                    for story_id, url in connection.execute(query):
                        found.setdefault(story_id, set()).add(url)
        return found

    def unread(self) -> list[StoredFile]:
        """The files of whose captures not all addresses are known yet."""
        query = select(archive_files).where(~archive_files.c.addresses_known).order_by(archive_files.c.id)
        with self._database.read() as connection:
            return [file_from_row(row) for row in connection.execute(query).mappings()]

    def count_unread(self) -> int:
        """How many files these are."""
        query = select(func.count()).where(~archive_files.c.addresses_known)
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def add(self, file: StoredFile, found: Sequence[Capture]) -> None:
        """Add the addresses of all captures of a file."""
        known: set[str] = set()
        with self._database.begin() as connection:
            for chunk in chunks([capture.story_id for capture in found]):
                known.update(
                    connection.execute(select(captures.c.story_id).where(captures.c.story_id.in_(chunk))).scalars()
                )
            registered = [capture for capture in found if capture.story_id in known]
            add_addresses(self._database, connection, file.id, registered)


def read_addresses(
    known_by: KnownBy, store: ArchiveStore, copies: Copies, tell: Tell = lambda done, of: None
) -> list[str]:
    """Read the files that an earlier version registered; returns which could not be read, and why.

    A file that is lost for good is none of these: there is nothing to be found in it. Once a store is away, no other file is asked
    of stores: each would take their full patience.
    """
    unread, problems = known_by.unread(), []
    away: OutOfReach | None = None
    for number, file in enumerate(unread):
        tell(number, len(unread))
        try:
            if away is not None and not copies.is_here(file):
                raise away
            found = _captures_in(file, copies)
        except NotFoundError as error:
            away = error if isinstance(error, OutOfReach) else away
            if isinstance(error, OutOfReach) or store.proved_stores(file.id):
                problems.append(_not_known(file, error))
        except (StorageError, OSError) as error:
            problems.append(_not_known(file, error))
        else:
            known_by.add(file, found)
    return problems


def _captures_in(file: StoredFile, copies: Copies) -> list[Capture]:
    with copies.whole(file) as path, StoryArchiveReader(path) as reader:
        found = [capture_of(archived, path) for archived in reader.archived()]
    if reader.damages and len(found) < file.stories:
        raise StorageError(f"it is damaged: {reader.damages[0].what}; `tearsheet archive verify` says more")
    return found


def _not_known(file: StoredFile, error: Exception) -> str:
    return f"which addresses {file.name} has is not known: {error}"
