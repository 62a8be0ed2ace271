"""The story index on tantivy, with a SQLite file beside it; needs no server.

Writing: (1) one SQLite transaction decides which copy was first and stores it: from here on it is safe. (2) New stories go to
tantivy, which commits every few seconds or thousand stories. (3) The highest committed number is recorded in SQLite. (4) At start,
or after an error, a new writer deletes everything above that number and adds it again, so that a crash between commit and
record does no harm.

One process writes, any number read. Readers see whole commits only.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path

import tantivy

from tearsheet.engines.index.dates import first_day
from tearsheet.engines.index.port import AddResult, IndexedStory, Page, Survey
from tearsheet.engines.index.story_store import Numbered, StoryStore
from tearsheet.engines.index.tantivy_counts import CountsByValue, count, figures, over_time, top
from tearsheet.engines.index.tantivy_pages import PagesByDate, numbers_of, read_token
from tearsheet.engines.index.tantivy_query import all_of, candidates, number_range, to_tantivy
from tearsheet.engines.index.tantivy_schema import MAX_LOT, to_document
from tearsheet.engines.index.tantivy_words import open_words, readable_errors, storage_error, take_writer
from tearsheet.errors import BusyError, EngineError, StorageError
from tearsheet.query import TITLE, Phrase, Query, QueryError, cut, phrase_matches, positions_of

COMMIT_STORIES = 5_000
COMMIT_SECONDS = 5.0
_RELOAD_SECONDS = 0.5
_MAX_CANDIDATES = 20_000
"""How many stories may be read to answer a phrase of more than two words with a distance."""
_MAX_OFFSET = 10_000


class TantivyIndex:
    """The `Index` port on a folder."""

    def __init__(self, folder: Path, *, commit_seconds: float = COMMIT_SECONDS, threads: int = 1) -> None:
        self._folder = folder
        self._commit_seconds = commit_seconds
        self._threads = threads
        self._index = open_words(folder)
        self._store = StoryStore(folder / "stories.db")
        self._schema = self._index.schema
        self._by_value = CountsByValue(self._schema)
        self._pages = PagesByDate(self._schema)
        self._writer: tantivy.IndexWriter | None = None
        self._lock = threading.RLock()
        self._pending = 0
        """The highest number that the writer has and has not committed."""
        self._pending_count = 0
        self._timer: threading.Timer | None = None
        self._reloaded = 0.0

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

    def refresh(self) -> None:
        """Make everything that was added visible to searches now."""
        with self._lock:
            if self._writer is None and self._store.last_number() > self._store.indexed_number:
                # A process may have been killed between storing and committing; one that still runs holds the lock and will commit.
                with suppress(BusyError):
                    self._open_writer()
            if self._writer is not None and self._pending_count:
                self._commit()
            self._reload()

    def close(self) -> None:
        """Write what is pending and close."""
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
        with self._writing():
            self._writer.delete_documents_by_query(number_range(self._schema, "docno", committed + 1, None))
            for numbered in self._store.since(committed):
                self._give([numbered])
        self._commit()

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
        with self._searching(query) as (searcher, compiled):
            return count(searcher, compiled)

    def search(
        self, query: Query, *, limit: int = 20, token: str | None = None, order: str = "newest", text: bool = True
    ) -> Page:
        """A page of stories, `newest` or `oldest` (by indexed date) or `relevance` first. `text=False` leaves the text out."""
        if limit < 1:
            return Page([])
        with self._searching(query) as (searcher, compiled):
            numbers, next_token = self._page(searcher, compiled, limit, token, order)
        return Page(self._store.by_number(numbers, text=text), next_token)

    def survey(
        self, query: Query, *, limit: int = 20, token: str | None = None, order: str = "newest", top: int = 20
    ) -> Survey:
        """What `search`, `count`, `over_time` by day and `top` would return, in one request; `limit` and `top` may be 0."""
        with self._searching(query) as (searcher, compiled):
            numbers, next_token = self._page(searcher, compiled, limit, token, order) if limit > 0 else ([], None)
            found = figures(searcher, compiled, top)
        page = Page(self._store.by_number(numbers), next_token)
        return Survey(page, found.count, found.days, found.sources, found.languages)

    def _page(
        self, searcher: tantivy.Searcher, query: tantivy.Query, limit: int, token: str | None, order: str
    ) -> tuple[list[int], str | None]:
        limit = min(limit, _MAX_OFFSET)
        if order == "relevance":
            return self._by_relevance(searcher, query, limit, token)
        return self._pages.page(searcher, query, limit, token, oldest=order == "oldest")

    def sample(self, query: Query, limit: int) -> list[IndexedStory]:
        """A random sample of the matching stories."""
        start = random.randrange(MAX_LOT)
        limit = min(limit, _MAX_OFFSET)
        numbers: list[int] = []
        with self._searching(query) as (searcher, compiled):
            for low, high in ((start, None), (0, start - 1)):
                wanted = limit - len(numbers)
                if wanted < 1 or (high is not None and high < low):
                    break
                part = all_of(compiled, number_range(self._schema, "lot", low, high))
                hits = searcher.search(part, wanted, count=False, order_by_field="lot", order=tantivy.Order.Asc).hits
                numbers += numbers_of(searcher, hits)
        random.shuffle(numbers)
        return self._store.by_number(numbers)

    def over_time(self, query: Query, interval: str = "day") -> list[tuple[str, int]]:
        """Matching stories by publication `day`, `week` (from Monday) or `month`: (YYYY-MM-DD of its first day, count)."""
        first_day(date.min, interval)
        with self._searching(query) as (searcher, compiled):
            return over_time(searcher, compiled, interval)

    def top(self, query: Query, field: str, limit: int = 20) -> list[tuple[str, int]]:
        """The most frequent values of `canonical_domain` or `language` among the matching stories."""
        with self._searching(query) as (searcher, compiled):
            return top(searcher, compiled, field, limit)

    def top_over_time(
        self, query: Query, field: str, interval: str = "week", limit: int = 20
    ) -> list[tuple[str, str, int]]:
        """The same by `day`, `week` or `month` of publication: (value, first day, count), the most frequent values first."""
        first_day(date.min, interval)
        with self._searching(query) as (searcher, compiled):
            return self._by_value.top_over_time(searcher, compiled, field, interval, limit)

    def _by_relevance(
        self, searcher: tantivy.Searcher, query: tantivy.Query, limit: int, token: str | None
    ) -> tuple[list[int], str | None]:
        offset = read_token(token, 1)[0] if token else 0
        if offset + limit > _MAX_OFFSET:
            raise QueryError(
                f"the order by relevance ends after {_MAX_OFFSET:,} stories; ask for the newest first instead"
            )
        hits = searcher.search(query, limit, count=False, offset=offset).hits
        next_token = str(offset + limit) if len(hits) == limit and offset + 2 * limit <= _MAX_OFFSET else None
        return numbers_of(searcher, hits), next_token

    def _resolve(self, searcher: tantivy.Searcher) -> Callable[[Phrase], list[int]]:
        """Find the stories with a phrase that tantivy cannot express, by reading every story that may contain it."""

        def resolve(phrase: Phrase) -> list[int]:
            possible = candidates(phrase, self._schema)
            result = searcher.search(possible, _MAX_CANDIDATES + 1, count=False, order_by_field="docno")
            if len(result.hits) > _MAX_CANDIDATES:
                raise QueryError(
                    f"the words of {' '.join(phrase.words)!r} are near each other in too many stories; "
                    "use fewer or rarer words with ~, or a smaller distance"
                )
            numbers = [int(hit[0]) for hit in result.hits]
            in_title = phrase.field == TITLE
            stories = self._store.by_number(numbers, text=not in_title)
            return [
                number
                for number, story in zip(numbers, stories, strict=True)
                if phrase_matches(phrase, positions_of(cut(story.article_title if in_title else story.text_content)))
            ]

        return resolve

    @contextmanager
    def _searching(self, query: Query) -> Iterator[tuple[tantivy.Searcher, tantivy.Query]]:
        with readable_errors(self._folder):
            if time.monotonic() - self._reloaded > _RELOAD_SECONDS:
                self._reload()
            searcher = self._index.searcher()
            yield searcher, to_tantivy(query.tree, self._schema, self._resolve(searcher))

    def _reload(self) -> None:
        self._index.reload()
        self._reloaded = time.monotonic()
