"""The story index on tantivy, with a SQLite file beside it; needs no server.

Writing: (1) one SQLite transaction decides which copy was first and stores it: from here on it is safe. (2) New stories go to
tantivy, which commits every few seconds or thousand stories. (3) The highest committed number is recorded in SQLite. (4) At start,
or after an error, a new writer deletes everything above that number and adds it again, so that a crash between commit and
record does no harm.

One process writes, any number read. Readers see whole commits only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import tantivy

from tearsheet.counts import how_many
from tearsheet.engines.index.deadline import QUERY_SECONDS, seconds_left
from tearsheet.engines.index.killable import KillableReaders
from tearsheet.engines.index.port import AddResult, IndexedStory, Page, Survey
from tearsheet.engines.index.story_store import Numbered, StoryStore
from tearsheet.engines.index.tantivy_building import build_seconds
from tearsheet.engines.index.tantivy_query import number_range
from tearsheet.engines.index.tantivy_reader import WordReader
from tearsheet.engines.index.tantivy_schema import to_document
from tearsheet.engines.index.tantivy_words import open_words, remove_leftovers, storage_error, take_writer
from tearsheet.engines.index.turns import Turns
from tearsheet.errors import BusyError, EngineError, StorageError
from tearsheet.query import Query, cost_of, parse_query

COMMIT_STORIES = 5_000
COMMIT_SECONDS = 5.0
_NANOSECOND = 1e-9
_QUICK, _SURE = 0.01, 0.5
"""Shares of the deadline. A query whose estimate is below the first is answered at once, and below the second in turn. Above it,
it could take longer than the deadline, and is answered in a process that can be ended."""
BUILT_HERE = 0.02
"""A query that takes longer to build, by its estimate, is built and answered in a process of its own: other threads stand still
while tantivy builds one."""
_RUNNING, _WAITING = 4, 16
_PASSES: dict[Callable[..., object], int] = {
    WordReader.count: 1,
    WordReader.over_time: 1,
    WordReader.top: 1,
    WordReader.page: 2,
    WordReader.sample: 2,
    WordReader.survey: 3,
    WordReader.top_over_time: 20,
}
"""How often each question goes through the stories that match."""

T = TypeVar("T")


class TantivyIndex:
    """The `Index` port on a folder."""

    def __init__(
        self,
        folder: Path,
        *,
        commit_seconds: float = COMMIT_SECONDS,
        threads: int = 1,
        query_seconds: float = QUERY_SECONDS,
    ) -> None:
        self._folder = folder
        self._commit_seconds = commit_seconds
        self._threads = threads
        self._index = open_words(folder)
        self._store = StoryStore(folder / "stories.db")
        self._schema = self._index.schema
        self._reader = WordReader(folder, self._index, self._store)
        self._query_seconds = query_seconds
        self._turns = Turns(_RUNNING, _WAITING, (1 - _SURE) * query_seconds)
        self._killable = KillableReaders(folder, query_seconds)
        self._writer: tantivy.IndexWriter | None = None
        self._lock = threading.RLock()
        self._pending = 0
        """The highest number that the writer has and has not committed."""
        self._pending_count = 0
        self._timer: threading.Timer | None = None

    # --------------------------------------------------------------------------------------------------- writing

    def add(self, stories: Sequence[IndexedStory]) -> list[AddResult]:
        """Add stories, durably, and say for each what became of it, in order."""
        with self._lock:
            self._open_writer()
            results, new = self._store.add(stories)
            if new:
                with self._writing():
                    self._give(new)
                if self._pending_count >= COMMIT_STORIES:
                    self._commit()
                elif self._timer is None:
                    self._start_timer()
            return results

    def remove(self, ids: Sequence[str]) -> int:
        """Remove stories: their rows, and then their words, for which tantivy is given all other stories again."""
        with self._lock:
            self._open_writer()
            if self._pending_count:
                self._commit()
            removed = self._store.remove(ids)
            if removed:
                self._refill()
            self._reader.reload()
            return removed

    def scrub(self) -> None:
        """Rewrite the stories. Opening the writer finishes a removal that was killed."""
        with self._lock:
            self._open_writer()
            remove_leftovers(self._folder)
            self._store.scrub()

    def refresh(self) -> None:
        """Make everything that was added visible to searches now."""
        with self._lock:
            if self._writer is None and self._store.last_number() > self._store.indexed_number:
                # A process may have been killed between storing and committing; one that still runs holds the lock and will commit.
                with suppress(BusyError):
                    self._open_writer()
            if self._writer is not None and self._pending_count:
                self._commit()
            self._reader.reload()

    def describe(self) -> str:
        """How many stories there are."""
        return how_many(self.count(parse_query("*")), "story")

    def close(self) -> None:
        """Write what is pending and close."""
        self._killable.close()
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            try:
                if self._writer is not None:
                    if self._pending_count:
                        self._commit()
                    self._writer.wait_merging_threads()
            finally:
                self._writer = None
                self._store.close()

    def _open_writer(self) -> None:
        """Take the writer's lock, and bring tantivy up to what is stored."""
        if self._writer is not None:
            return
        self._writer = take_writer(self._index, self._folder, self._threads)
        committed, highest = self._store.indexed_number, self._highest_in_tantivy()
        if highest < committed:
            committed = 0  # the index was lost, or restored from an older copy: rebuild all of it
        elif self._store.last_number() == highest == committed:
            return
        if committed == 0:
            self._refill()
            return
        with self._writing():
            self._writer.delete_documents_by_query(number_range(self._schema, "docno", committed + 1, None))
            for numbered in self._store.since(committed):
                self._give([numbered])
        self._commit()

    def _refill(self) -> None:
        """Give tantivy every story that is stored, and nothing else: segments without living stories are deleted."""
        self._pending = self._pending_count = 0
        with self._writing():
            assert self._writer is not None
            self._writer.delete_all_documents()
            for numbered in self._store.since(0):
                self._give([numbered])
        self._commit()
        with self._writing():
            self._writer.garbage_collect_files()

    def _highest_in_tantivy(self) -> int:
        self._index.reload()
        searcher = self._index.searcher()
        hits = searcher.search(tantivy.Query.all_query(), 1, count=False, order_by_field="docno").hits
        return int(hits[0][0]) if hits else 0

    def _give(self, stories: Sequence[Numbered]) -> None:
        assert self._writer is not None
        for numbered in stories:
            self._writer.add_document(to_document(numbered))
            self._pending = max(self._pending, numbered.docno)
        self._pending_count += len(stories)

    def _commit(self) -> None:
        with self._writing():
            assert self._writer is not None
            self._writer.commit()
        self._store.set_indexed(self._pending)
        self._pending_count = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start_timer(self) -> None:
        self._timer = threading.Timer(self._commit_seconds, self._commit_in_time)
        self._timer.daemon = True
        self._timer.start()

    def _commit_in_time(self) -> None:
        with self._lock:
            self._timer = None
            if self._writer is not None and self._pending_count:
                try:
                    self._commit()
                except (EngineError, StorageError):
                    return  # the writer is gone; the next call opens one, catches up, and reports it if it cannot

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Discard a writer that failed: after a full disk it would go on accepting stories without storing them."""
        try:
            yield
        except (ValueError, OSError) as error:
            self._writer = None
            self._pending_count = 0
            raise storage_error(self._folder, error) from error
        except BaseException:
            self._writer = None
            self._pending_count = 0
            raise

    # --------------------------------------------------------------------------------------------------- reading

    def get(self, ids: Sequence[str]) -> list[IndexedStory | None]:
        """Stories by id (the hash of the normalised URL), in order."""
        return self._store.by_id(ids)

    def count(self, query: Query) -> int:
        """How many stories match."""
        return self._ask(WordReader.count, query)

    def search(
        self, query: Query, *, limit: int = 20, token: str | None = None, order: str = "newest", text: bool = True
    ) -> Page:
        """A page of stories in one of the orders of the port. `text=False` leaves the text out."""
        if limit < 1:
            return Page([])
        numbers, next_token = self._ask(WordReader.page, query, limit, token, order)
        return Page(self._store.by_number(numbers, text=text), next_token)

    def survey(
        self, query: Query, *, limit: int = 20, token: str | None = None, order: str = "newest", top: int = 20
    ) -> Survey:
        """What `search`, `count`, `over_time` by day and `top` would return, in one request; `limit` and `top` may be 0."""
        (numbers, next_token), found = self._ask(WordReader.survey, query, limit, token, order, top)
        page = Page(self._store.by_number(numbers), next_token)
        return Survey(page, found.count, found.days, found.sources, found.languages)

    def sample(self, query: Query, limit: int) -> list[IndexedStory]:
        """A random sample of the matching stories."""
        return self._store.by_number(self._ask(WordReader.sample, query, limit))

    def over_time(self, query: Query, interval: str = "day") -> list[tuple[str, int]]:
        """Matching stories by publication `day`, `week` (from Monday) or `month`: (YYYY-MM-DD of its first day, count)."""
        return self._ask(WordReader.over_time, query, interval)

    def top(self, query: Query, field: str, limit: int = 20) -> list[tuple[str, int]]:
        """The most frequent values of `canonical_domain` or `language` among the matching stories."""
        return self._ask(WordReader.top, query, field, limit)

    def top_over_time(
        self, query: Query, field: str, interval: str = "week", limit: int = 20
    ) -> list[tuple[str, str, int]]:
        """The same by `day`, `week` or `month` of publication: (value, first day, count), the most frequent values first."""
        return self._ask(WordReader.top_over_time, query, field, interval, limit)

    def _ask(self, question: Callable[..., T], query: Query, *arguments: Any) -> T:
        """Answer here, or, when the query could take too long, in a process that is ended then.

        tantivy lets other threads go on while it searches, and not while it builds a query. So what is answered here is built
        quickly, and holds up nobody else.
        """
        if build_seconds(query.tree) > BUILT_HERE:
            return self._ask_elsewhere(question, query, *arguments)
        estimate = cost_of(query.tree) * self._reader.size() * _PASSES[question] * _NANOSECOND
        if not self._query_seconds or estimate <= _QUICK * self._query_seconds:
            return question(self._reader, query, *arguments)
        if estimate <= _SURE * self._query_seconds and estimate <= seconds_left(self._query_seconds):
            with self._turns.turn():
                return question(self._reader, query, *arguments)
        return self._ask_elsewhere(question, query, *arguments)

    def _ask_elsewhere(self, question: Callable[..., T], query: Query, *arguments: Any) -> T:
        answer: T = self._killable.ask(question, query, *arguments)
        return answer
