"""The words of stories in tantivy, as files: how they are opened, who may write them, and how they are made again."""

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
    """Make the words of an index again from its stored stories, and say how many stories there are.

    They are made aside and put into place at the end, so that searches go on meanwhile, and a damaged index can be mended.
    Raises BusyError while another process writes.
    """
    new, old, current = folder / "words.new", folder / "words.old", folder / "words"
    lock = None
    with suppress(EngineError, StorageError):  # damaged words have no lock to take
        lock = take_writer(open_words(folder), folder, 1)
    store = StoryStore(folder / "stories.db")
    shutil.rmtree(new, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
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


def open_words(folder: Path) -> tantivy.Index:
    """The words of an index, made if they are not there."""
    try:
        (folder / "words").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{folder} cannot be made: {error.strerror}; check the data folder's rights") from error
    try:
        index = tantivy.Index(words_schema(), path=str(folder / "words"))
        index.config_reader("manual")
    except ValueError as error:
        raise EngineError(f"{folder} cannot be opened: {error}; `tearsheet index rebuild --words` mends it") from error
    return index


def take_writer(index: tantivy.Index, folder: Path, threads: int) -> tantivy.IndexWriter:
    """The one writer. Raises BusyError while another process has it."""
    try:
        return index.writer(_HEAP, threads)
    except ValueError as error:
        if "Lock" in str(error):
            raise BusyError(f"another process is writing to {folder}; stop it first") from error
        raise storage_error(folder, error) from error


def storage_error(folder: Path, error: Exception) -> StorageError | EngineError:
    """What a failed write means for people."""
    if isinstance(error, OSError) or any(
        word in str(error) for word in ("os error 28", "No space", "killed", "IoError")
    ):
        return StorageError(
            f"{folder} cannot be written: the disk may be full; make room and start again; nothing is lost"
        )
    return EngineError(f"{folder}: {error}")


@contextmanager
def readable_errors(folder: Path) -> Iterator[None]:
    """tantivy reports what it cannot do as ValueError, and some things as a panic, which is no Exception at all."""
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
