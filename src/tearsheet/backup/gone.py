"""What an earlier backup has and what is no longer here, though nothing explains it: lost, and not to be lost from backups, too."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import suppress

from tearsheet.backup.layout import Layout
from tearsheet.backup.manifest import DamagedBackup, Entry, LeftOut, Manifest
from tearsheet.backup.place import BackupPlace

GONE = "gone"
"""By this word a backup says that something is gone, and a user that it is to be."""
DATABASES = {"database": "tearsheet.db", "broker": "queues.db", "index": "stories.db"}
"""The file that each of these parts consists of."""


def newest_without_gaps(place: BackupPlace) -> Manifest | None:
    """The backup that the next one is compared with: the newest from which nothing was gone, unless the user agreed to that.

    So what is gone is told again and again, and not only once.
    """
    for name in reversed(place.names()):
        with suppress(DamagedBackup):
            manifest = place.read(name)
            if not any(one.what == GONE and not one.agreed for one in manifest.left_out):
                return manifest
    return None


def gone_since(
    before: Manifest,
    entries: Iterator[Entry],
    layout: Layout,
    here: Container[tuple[str, str]],
    parts: Container[str],
    registered: Mapping[str, object],
) -> list[LeftOut]:
    """What a backup has and what is gone now; `entries` are its files.

    `here` are the databases and archive files of the new backup, by part and path; `parts` are its parts. An archive file that the
    database knows is not gone: it was moved to a store, or else is missed elsewhere.
    """
    files: list[str] = []
    found: list[str] = []
    known = True
    with suppress(DamagedBackup):  # what cannot be read of it cannot be compared
        for part, path in ((entry.part, entry.path) for entry in entries):
            if DATABASES.get(part) == path and (part, path) not in here and layout.target(part, path) is not None:
                found.append(f"the {part} ({layout.target(part, path)}) is")
            elif part == "pages" and part not in parts:
                found.append(f"the page store ({layout.pages}) is")
            elif part == "archive" and path.endswith(".warc.gz"):
                known = bool(registered) or before.registered == 0  # they were not registered then, either
                if path not in registered and (part, path) not in here:
                    files.append(path)
    if files:
        found.append(f"{len(files):,} archive files, such as {files[0]}, are")
    when = f"{before.moment:%Y-%m-%dT%H:%M:%SZ}"
    how = f"restore the backup of {when} into another folder and copy from there, or agree with `--without {GONE}`"
    told = [LeftOut(GONE, f"{what} in the backup of {when} and no longer here: {how}") for what in dict.fromkeys(found)]
    if not known:
        why = f"the database knows none of the archive files that the backup of {when} has, as if it were another"
        told.append(LeftOut(GONE, f"{why}: {how}; `tearsheet archive index` registers the files that are here"))
    return told
