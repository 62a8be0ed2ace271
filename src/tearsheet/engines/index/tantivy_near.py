"""Phrases with a distance that tantivy cannot express: three words or more, or one word twice. The stories are read for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tantivy

from tearsheet.chunks import chunks
from tearsheet.engines.index.story_store import StoryStore
from tearsheet.engines.index.tantivy_query import candidates
from tearsheet.query import TITLE, Phrase, Positions, QueryError, cut, phrase_matches, positions_of

MAX_CANDIDATES = 20_000
"""How many stories may be read to answer one phrase."""
_KEPT_WORDS = 500_000
"""So many words of stories are kept for the next phrases of the same query: about 30 MB."""
_CHUNK = 500


class NearPhrases:
    """Answers the phrases of one query, by reading every story that may contain them."""

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema, store: StoryStore) -> None:
        self._searcher = searcher
        self._schema = schema
        self._store = store
        self._kept: dict[tuple[str, int], Positions] = {}
        self._room = _KEPT_WORDS

    def find(self, phrase: Phrase) -> list[int]:
        """The numbers of the stories with a phrase, in one given field. Raises QueryError when there are too many to read."""
        possible = candidates(phrase, self._schema)
        hits = self._searcher.search(possible, MAX_CANDIDATES + 1, count=False, order_by_field="docno").hits
        if len(hits) > MAX_CANDIDATES:
            raise QueryError(
                f"the words of {' '.join(phrase.words)!r} are near each other in too many stories; "
                "use fewer or rarer words with ~, or a smaller distance"
            )
        words = self._words(phrase.field, [int(hit[0]) for hit in hits])
        return [number for number, positions in words if phrase_matches(phrase, positions)]

    def _words(self, field: str, numbers: Sequence[int]) -> Iterator[tuple[int, Positions]]:
        """The words of these stories, in any order."""
        unread: list[int] = []
        for number in numbers:
            known = self._kept.get((field, number))
            if known is None:
                unread.append(number)
            else:
                yield number, known
        for some in chunks(unread, _CHUNK):
            for number, story in zip(some, self._store.by_number(some, text=field != TITLE), strict=True):
                words = cut(story.article_title if field == TITLE else story.text_content)
                positions = positions_of(words)
                if len(words) <= self._room:
                    self._kept[field, number] = positions
                    self._room -= len(words)
                yield number, positions
