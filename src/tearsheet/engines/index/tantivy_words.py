"""The tantivy index of the words of stories, as files: how it is opened, who may write it, and how it is rebuilt."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import tantivy

from tearsheet.engines.index.story_store import StoryStore
from tearsheet.engines.index.tantivy_schema import to_document, words_schema
from tearsheet.errors import BusyError, EngineError, StorageError
from tearsheet.query import QueryError

_HEAP = 100_000_000


def rebuild_words(folder: Path, progress: Callable[[int], None] | None = None) -> int:
    """Rebuild the word index from its stored stories. Returns how many stories there are.

    It is built beside the old one and swapped in at the end, so that searches go on meanwhile, and a damaged index can be repaired.
    Raises BusyError while another process writes.
    """
    new, old, current = folder / "words.new", folder / "words.old", folder / "words"
    lock = None
    with suppress(EngineError, StorageError):  # a damaged index has no lock to take
        lock = take_writer(open_words(folder), folder, 1)
    store = StoryStore(folder / "stories.db")
    remove_leftovers(folder)
    try:
        new.mkdir()
        writer = tantivy.Index(words_schema(), path=str(new)).writer(_HEAP, 1)
        count = last = 0
        for numbered in store.since(0):
            writer.add_document(to_document(numbered))
            last, count = numbered.docno, count + 1
            if progress is not None and count % 1000 == 0:
                progress(count)
        writer.commit()
        writer.wait_merging_threads()
        current.rename(old)
        new.rename(current)
        store.set_indexed(last)
    except (ValueError, OSError) as error:
        raise storage_error(folder, error) from error
    finally:
        store.close()
        del lock
    shutil.rmtree(old, ignore_errors=True)
    return count


def remove_leftovers(folder: Path) -> None:
    """Remove what a rebuild left behind that was killed. Only for the writer."""
    for name in ("words.new", "words.old"):
        shutil.rmtree(folder / name, ignore_errors=True)


def open_words(folder: Path) -> tantivy.Index:
    """The word index, created if missing."""
    try:
        (folder / "words").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{folder} cannot be made: {error.strerror}; check the data folder's rights") from error
    try:
        index = tantivy.Index(words_schema(), path=str(folder / "words"))
        index.config_reader("manual")
    except ValueError as error:
        if denied := _denied(folder, error):
            raise denied from error
        raise EngineError(
            f"{folder} cannot be opened: {error}; `tearsheet index rebuild --words` repairs it"
        ) from error
    return index


def take_writer(index: tantivy.Index, folder: Path, threads: int) -> tantivy.IndexWriter:
    """The only writer. Raises BusyError while another process has it."""
    try:
        return index.writer(_HEAP, threads)
    except ValueError as error:
        if denied := _denied(folder, error):
            raise denied from error
        if "Lock" in str(error):
            raise BusyError(f"another process is writing to {folder}; stop it first") from error
        raise storage_error(folder, error) from error


def _denied(folder: Path, error: Exception) -> StorageError | None:
    """The user's error if the rights of files are in the way: also a reader takes a lock, which is a file."""
    if not any(word in str(error) for word in ("PermissionDenied", "ReadOnlyFilesystem")):
        return None
    return StorageError(f"{folder} cannot be written: its files are another user's or read-only; check their rights")


def storage_error(folder: Path, error: Exception) -> StorageError | EngineError:
    """The user's error for a failed write."""
    if denied := _denied(folder, error):
        return denied
    if isinstance(error, OSError) or any(
        word in str(error) for word in ("os error 28", "No space", "killed", "IoError")
    ):
        return StorageError(
            f"{folder} cannot be written: the disk may be full; make room and start again; nothing is lost"
        )
    return EngineError(f"{folder}: {error}")


@contextmanager
def readable_errors(folder: Path) -> Iterator[None]:
    """Turn tantivy's errors into ours: most are a ValueError, and some are a panic, which is not even an Exception."""
    try:
        yield
    except QueryError:
        raise
    except ValueError as error:
        if "error" in str(error).lower() and ("os error" in str(error) or "IoError" in str(error)):
            raise EngineError(f"{folder} cannot be read: {error}") from error
        raise QueryError(f"the index cannot answer this query: {str(error)[:200]}") from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise EngineError(f"{folder}: the index could not answer: {error}") from error
        raise
