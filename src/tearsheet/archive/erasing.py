"""Take stories out of archive files, and replace the copies that other stores have.

A file is rewritten aside, synced and read back; then it is registered, and takes the place of the old one. A kill leaves either
the old file, from which the next try makes the same new one, or the new one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path

from tearsheet.archive.copies import Copies, OpenBlobs
from tearsheet.archive.cutting import Cuts, find_cuts, places_after, splice
from tearsheet.archive.describe import Description, describe
from tearsheet.archive.erased import Erasure
from tearsheet.archive.identity import recognise
from tearsheet.archive.names import SUFFIX, cdxj_name
from tearsheet.archive.outbox import Outbox, Upload
from tearsheet.archive.store import StoredFile
from tearsheet.archive.tombstones import Tombstone, Tombstones
from tearsheet.archive.upload import CONTENT_TYPE, digests, prove, shortcoming, stories_in
from tearsheet.clock import utc_now
from tearsheet.engines.blobs import Blobs
from tearsheet.errors import NotFoundError, StorageError, TearsheetError, WorkerError
from tearsheet.files import make_folder, storage_errors, write_whole, written_aside
from tearsheet.story import Story


def erase_from_file(
    file: StoredFile, erasure: Erasure, unwanted: Callable[[Story], bool], copies: Copies, tombstones: Tombstones
) -> int:
    """Take unwanted stories out of a file of ours, wherever it is; returns how many there were.

    A file that only a store has is brought here, also from one whose copies were forgotten. Raises NotFoundError, and OutOfReach
    when a store is away.
    """
    final = copies.folder / file.key
    with copies.whole(file, forgotten=True) as path:
        with path.open("rb") as source:
            found = find_cuts(source, unwanted, erasure.started, erasure.reason)
        if found.gone:
            description = _rewrite(file, path, final, found, erasure, tombstones)
        elif path == final:
            description = describe(path)
        else:
            return 0
    beside = final.with_name(cdxj_name(final.name))
    if not beside.is_file() or beside.read_bytes() != description.cdxj:
        write_whole(beside, description.cdxj)
    return len(found.gone)


def erase_from_returned(copies: Copies, tombstones: Tombstones) -> int:
    """Take out of files what was erased while nobody could reach them, if they are there again; returns how many stories."""
    count = 0
    for file in tombstones.with_unregistered():
        with suppress(NotFoundError):
            with copies.whole(file, forgotten=True) as path:
                burials = tombstones.burials(stories_in(path))
            for erasure, ids in burials:
                count += erase_from_file(file, erasure, _one_of(ids), copies, tombstones)
    return count


def _one_of(ids: set[str]) -> Callable[[Story], bool]:
    return lambda story: story.id in ids


def erase_from_dumps(
    folder: Path, unwanted: Callable[[Story], bool], day: datetime, reason: str, *, dry_run: bool = False
) -> int:
    """Take unwanted stories out of the WARC files below a folder, of which nothing is registered; returns how many there are."""
    count = 0
    for path in sorted(folder.rglob(f"*{SUFFIX}")):
        with storage_errors(f"cannot rewrite {path}"), path.open("rb") as source:
            found = find_cuts(source, unwanted, day, reason)
            count += len(found.gone)
            if found.gone and not dry_run:
                with written_aside(path) as draft:
                    splice(source, found.cuts, draft)
                write_whole(path.with_name(cdxj_name(path.name)), describe(path).cdxj)
    return count


def _rewrite(
    file: StoredFile, old: Path, final: Path, found: Cuts, erasure: Erasure, tombstones: Tombstones
) -> Description:
    gone = [
        Tombstone(
            file.name, one.story_id, min(one.keys & erasure.addresses.keys() or one.keys, default=""), one.sha256, one.captured,
            erasure.started, erasure.reason,
        )
        for one in found.gone
    ]  # fmt: skip
    with storage_errors(f"cannot rewrite {final}"):
        make_folder(final.parent)
        with old.open("rb") as source, written_aside(final) as draft:
            size, sha256 = splice(source, found.cuts, draft)
            draft.flush()
            description = describe(Path(draft.name), final_name=file.name)
            if (description.file.size, description.file.sha256) != (size, sha256) or not _holds(description, found):
                raise StorageError(f"{final} could not be rewritten: what was written is not what was read; try again")
            tombstones.register_rewritten(file, description.file, gone, erasure)
    return description


def _holds(description: Description, found: Cuts) -> bool:
    """Whether every story that stays is where it should be, with the same page."""
    places = places_after(found)
    expected = [(one.story_id, places[one.offset], one.sha256) for one in found.kept]
    return expected == [(one.story_id, one.offset, one.sha256) for one in description.file.captures]


def replace_copies(
    tombstones: Tombstones, outbox: Outbox, copies: Copies, stores: Mapping[str, OpenBlobs]
) -> tuple[int, list[str]]:
    """Replace the copies that still hold what was erased; returns how many, and what could not be reached and why.

    What could not be reached stays on the list for the next time.
    """
    replaced, problems = 0, []
    away: set[str] = set()
    with ExitStack() as stack:
        opened: dict[str, Blobs] = {}
        for file, name in tombstones.stale():
            if name in away:
                continue
            if name not in stores:
                problems.append(f"an old copy of {file.name} is in {name}, which archive.stores no longer names")
                continue
            try:
                if name not in opened:
                    opened[name] = stores[name]()
                    stack.callback(opened[name].close)
                    recognise(name, opened[name], outbox, file.key)
                _replace(file, opened[name], copies)
            except (TearsheetError, OSError) as error:
                problems.append(f"the old copy of {file.name} in {name} is not replaced yet: {error}")
                if isinstance(error, WorkerError):
                    away.add(name)
                continue
            outbox.proved(Upload(file, name, 0), utc_now())
            tombstones.replaced(file, name)
            replaced += 1
    return replaced, problems


def _replace(file: StoredFile, blobs: Blobs, copies: Copies) -> None:
    """Put the rewritten file in the place of the old copy, and delete what the store keeps of that."""
    if shortcoming(blobs, file):
        with copies.whole(file) as path:
            blobs.put(file.key, path, content_type=CONTENT_TYPE)
            prove(file.key, digests(path), blobs)
    for old in blobs.versions(file.key)[1:]:
        blobs.delete(file.key, version=old.version)
