"""The questions to the word index: which stories, by their numbers, and how many.

Several readers may look at one folder at the same time, also from other processes.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import tantivy

from tearsheet.engines.index.dates import first_day
from tearsheet.engines.index.port import MAX_OFFSET
from tearsheet.engines.index.story_store import StoryStore
from tearsheet.engines.index.tantivy_counts import CountsByValue, Figures, count, figures, over_time, top
from tearsheet.engines.index.tantivy_near import NearPhrases
from tearsheet.engines.index.tantivy_pages import PagesByDate, numbers_of, read_token
from tearsheet.engines.index.tantivy_query import all_of, number_range, to_tantivy
from tearsheet.engines.index.tantivy_schema import MAX_LOT
from tearsheet.engines.index.tantivy_words import readable_errors
from tearsheet.query import Query, QueryError

_RELOAD_SECONDS = 0.5
_STORY_BYTES = 1_000
"""What the words of a story of 400 words take in the index."""

PageOfNumbers = tuple[list[int], str | None]
"""The numbers of the stories of a page, and the token of the next one."""


class WordReader:
    """Answers questions about the stories of a word index."""

    def __init__(self, folder: Path, index: tantivy.Index, store: StoryStore) -> None:
        self._folder = folder
        self._index = index
        self._store = store
        self._schema = index.schema
        self._by_value = CountsByValue(self._schema)
        self._by_publication = PagesByDate(self._schema, "publication_date")
        self._by_indexing = PagesByDate(self._schema, "indexed_date")
        self._reloaded = 0.0
        self._size: int | None = None

    def reload(self) -> None:
        """See what was committed."""
        self._index.reload()
        self._reloaded = time.monotonic()
        self._size = None

    def size(self) -> int:
        """How many stories there are; long ones count as several of 400 words."""
        with readable_errors(self._folder):
            self._reload_now_and_then()
            size = self._size
            if size is None:
                size = self._size = max(self._index.searcher().num_docs, _bytes_in(self._folder) // _STORY_BYTES)
            return size

    def count(self, query: Query) -> int:
        """How many stories match."""
        with self._searching(query) as (searcher, compiled):
            return count(searcher, compiled)

    def page(self, query: Query, limit: int, token: str | None, order: str) -> PageOfNumbers:
        """A page of stories in one of the orders of the port."""
        with self._searching(query) as (searcher, compiled):
            return self._page(searcher, compiled, limit, token, order)

    def survey(
        self, query: Query, limit: int, token: str | None, order: str, most: int
    ) -> tuple[PageOfNumbers, Figures]:
        """A page, which may be empty, and the figures of all stories that match."""
        with self._searching(query) as (searcher, compiled):
            page = self._page(searcher, compiled, limit, token, order) if limit > 0 else ([], None)
            return page, figures(searcher, compiled, most)

    def sample(self, query: Query, limit: int) -> list[int]:
        """A random sample of the matching stories."""
        start = random.randrange(MAX_LOT)
        limit = min(limit, MAX_OFFSET)
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
        return numbers

    def over_time(self, query: Query, interval: str) -> list[tuple[str, int]]:
        """Matching stories by publication `day`, `week` (from Monday) or `month`: (YYYY-MM-DD of its first day, count)."""
        first_day(date.min, interval)
        with self._searching(query) as (searcher, compiled):
            return over_time(searcher, compiled, interval)

    def top(self, query: Query, field: str, limit: int) -> list[tuple[str, int]]:
        """The most frequent values of `canonical_domain` or `language` among the matching stories."""
        with self._searching(query) as (searcher, compiled):
            return top(searcher, compiled, field, limit)

    def top_over_time(self, query: Query, field: str, interval: str, limit: int) -> list[tuple[str, str, int]]:
        """The same by `day`, `week` or `month` of publication: (value, first day, count), the most frequent values first."""
        first_day(date.min, interval)
        with self._searching(query) as (searcher, compiled):
            return self._by_value.top_over_time(searcher, compiled, field, interval, limit)

    def _page(
        self, searcher: tantivy.Searcher, query: tantivy.Query, limit: int, token: str | None, order: str
    ) -> PageOfNumbers:
        limit = min(limit, MAX_OFFSET)
        if order == "relevance":
            return self._by_relevance(searcher, query, limit, token)
        pages = self._by_indexing if order.startswith("indexed-") else self._by_publication
        return pages.page(searcher, query, limit, token, oldest=order.endswith("oldest"))

    def _by_relevance(
        self, searcher: tantivy.Searcher, query: tantivy.Query, limit: int, token: str | None
    ) -> PageOfNumbers:
        offset = read_token(token, 1)[0] if token else 0
        if offset + limit > MAX_OFFSET:
            raise QueryError(
                f"the order by relevance ends after {MAX_OFFSET:,} stories; ask for the newest first instead"
            )
        hits = searcher.search(query, limit, count=False, offset=offset).hits
        next_token = str(offset + limit) if len(hits) == limit and offset + 2 * limit <= MAX_OFFSET else None
        return numbers_of(searcher, hits), next_token

    @contextmanager
    def _searching(self, query: Query) -> Iterator[tuple[tantivy.Searcher, tantivy.Query]]:
        with readable_errors(self._folder):
            self._reload_now_and_then()
            searcher = self._index.searcher()
            near = NearPhrases(searcher, self._schema, self._store)
            yield searcher, to_tantivy(query.tree, self._schema, near.find, self._store.numbers_of)

    def _reload_now_and_then(self) -> None:
        if time.monotonic() - self._reloaded > _RELOAD_SECONDS:
            self.reload()


def _bytes_in(folder: Path) -> int:
    """What the words take on disk; 0 when it cannot be told now, because a merge removes a file."""
    try:
        with os.scandir(folder / "words") as files:
            return sum(file.stat().st_size for file in files)
    except OSError:
        return 0
