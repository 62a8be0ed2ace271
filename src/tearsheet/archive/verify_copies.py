"""Re-read the copies that stores have of archive files: as long as a file is here, nobody else does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack

from tearsheet.archive.copies import Copies, OpenBlobs
from tearsheet.archive.identity import check_identity
from tearsheet.archive.outbox import Outbox
from tearsheet.archive.store import StoredFile
from tearsheet.archive.upload import shortcoming
from tearsheet.archive.verify import Problem, Verdict
from tearsheet.clock import utc_now
from tearsheet.engines.blobs import Blobs
from tearsheet.errors import TearsheetError, WorkerError


def verify_copies(outbox: Outbox, copies: Copies, stores: Mapping[str, OpenBlobs]) -> Iterator[Verdict]:
    """Read every copy that was proved, and say which are gone or have changed.

    Those of files that are here are made again by the next upload. A store that is away is told once.
    """
    for name, open_store in stores.items():
        files = outbox.newest_copies(name)
        with ExitStack() as stack:
            try:
                blobs = open_store()
                stack.callback(blobs.close)
                check_identity(name, blobs, outbox)
            except TearsheetError as error:
                yield Verdict(name, problems=[Problem(name, str(error))])
                continue
            for file in files:
                verdict, is_away = _verify_copy(file, name, blobs, outbox, copies)
                yield verdict
                if is_away:
                    break


def _verify_copy(file: StoredFile, store: str, blobs: Blobs, outbox: Outbox, copies: Copies) -> tuple[Verdict, bool]:
    """What is wrong with one copy, and whether its store is away."""
    verdict = Verdict(file.name, size=file.size)
    try:
        wrong = shortcoming(blobs, file)
    except (TearsheetError, OSError) as error:
        verdict.problems.append(Problem(file.name, f"its copy in {store} cannot be read: {error}"))
        return verdict, isinstance(error, WorkerError)
    if wrong and copies.is_here(file):
        outbox.doubt(store, utc_now(), wrong, file)
        wrong += "; the next `tearsheet archive upload` makes it again"
    if wrong:
        verdict.problems.append(Problem(file.name, f"in {store}: {wrong}"))
    return verdict, False
