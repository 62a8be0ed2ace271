"""What people ask of an index, as plain functions: the command line, the web pages and the API give the same answers.

A query comes with its filters (`Query.within`); `everything` is the same filters without the query: the whole of which shares are
computed. It is asked for first: should the time of both be used up, it is the query that was too expensive.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice

from tearsheet.engines.index import MAX_OFFSET, Index, IndexedStory, Page, by_interval, first_day, one_deadline
from tearsheet.errors import UsageError
from tearsheet.index.question import Asked, Question
from tearsheet.index.telling_words import is_telling
from tearsheet.query import EVERYTHING, Query, cut

WORD_SAMPLE = 1_000
"""How many stories have their words counted; of more, a random sample."""
_WORDS_OF_ONE, _WORDS_OF_ALL = 20_000, 4_000_000
"""Characters of one story, and of all together, whose words are counted: a thousand books would take a minute."""
_PAGE = 500


class _Share:
    """A count, and the total that it is part of."""

    __slots__ = ()
    count: int
    total: int

    @property
    def share(self) -> float:
        """The matching fraction of the total; 0 when the total is 0."""
        return self.count / self.total if self.total else 0.0


@dataclass(slots=True, frozen=True)
class Total(_Share):
    """How many stories match, and how many there are."""

    count: int
    total: int


@dataclass(slots=True, frozen=True)
class Attention(_Share):
    """Stories of one day, week or month: how many match, how many there are, and the share."""

    date: str
    count: int
    total: int


@dataclass(slots=True, frozen=True)
class SourceAttention(_Share):
    """Stories of one source in one day, week or month, and the share of its own stories."""

    source: str
    date: str
    count: int
    total: int


@dataclass(slots=True, frozen=True)
class WordCount:
    """A word of the matching stories: how often it occurs, in how many stories, and how many stories were read."""

    word: str
    count: int
    stories: int
    looked_at: int


@one_deadline()
def count(index: Index, query: Query, everything: Query = EVERYTHING) -> Total:
    """How many stories match, and how many there are."""
    total = index.count(everything)
    return Total(index.count(query), total)


def stories(index: Index, query: Query, *, limit: int = 20, token: str | None = None, order: str = "newest") -> Page:
    """A page of stories and the token of the next one."""
    return index.search(query, limit=limit, token=token, order=order)


def all_stories(
    index: Index, query: Query, *, text: bool = True, order: str = "newest", limit: int = 0
) -> Iterator[IndexedStory]:
    """Every matching story, or the first `limit`, page by page.

    The first page is fetched at once, so that errors come before the first story. Raises UsageError when the order by relevance
    would end before the stories do.
    """
    with one_deadline():
        if order == "relevance" and not 0 < limit <= MAX_OFFSET and index.count(query) > MAX_OFFSET:
            raise UsageError(
                f"order: relevance ends after {MAX_OFFSET:,} stories, and more match; ask for the newest first"
            )
        first = index.search(query, limit=_PAGE, text=text, order=order)

    def rest() -> Iterator[IndexedStory]:
        page = first
        yield from page.stories
        while page.next_token:
            page = index.search(query, limit=_PAGE, token=page.next_token, text=text, order=order)
            yield from page.stories

    return islice(rest(), limit or None)


@dataclass(slots=True)
class Outline:
    """One page of stories, and the figures of all that match."""

    page: Page
    total: Total
    days: list[tuple[str, int]]
    """Matching stories by day of publication."""
    sources: list[tuple[str, int]]
    languages: list[tuple[str, int]]
    _every_day: list[tuple[str, int]]

    @property
    def undated(self) -> int:
        """Matching stories without a day of publication."""
        return self.total.count - sum(number for _, number in self.days)

    def attention(self, interval: str) -> list[Attention]:
        """The same as the function of this name, without asking the index again."""
        return _attention(_by(interval, self.days), _by(interval, self._every_day), interval)


@one_deadline()
def outline(index: Index, question: Question, asked: Asked, top: int) -> Outline:
    """A page of stories with its figures. Asks the index once, and once more for all stories if these differ."""
    every = None if asked.everything.tree == asked.query.tree else index.survey(asked.everything, limit=0, top=0)
    found = index.survey(asked.query, limit=question.limit, token=question.token, order=question.order, top=top)
    every = every or found
    total = Total(found.count, every.count)
    return Outline(found.page, total, found.days, found.sources, found.languages, every.days)


def _by(interval: str, days: list[tuple[str, int]]) -> dict[str, int]:
    return dict(by_interval(((date.fromisoformat(day), number) for day, number in days), interval))


def sample(index: Index, query: Query, limit: int = 20) -> list[IndexedStory]:
    """A random sample of the matching stories, in random order."""
    found = index.sample(query, limit)
    random.shuffle(found)
    return found


@one_deadline()
def attention(index: Index, query: Query, interval: str = "day", everything: Query = EVERYTHING) -> list[Attention]:
    """Matching stories and all stories over time, from the first to the last interval that has any, without gaps."""
    every = dict(index.over_time(everything, interval))
    return _attention(dict(index.over_time(query, interval)), every, interval)


def _attention(matching: dict[str, int], every: dict[str, int], interval: str) -> list[Attention]:
    return [Attention(day, matching.get(day, 0), every.get(day, 0)) for day in _without_gaps(sorted(every), interval)]


def _without_gaps(days: Sequence[str], interval: str) -> Iterator[str]:
    if not days:
        return
    day, last = date.fromisoformat(days[0]), date.fromisoformat(days[-1])
    steps = {"day": 1, "week": 7, "month": 32}
    while day <= last:
        yield day.isoformat()
        if (date.max - day).days <= steps[interval]:
            return
        day = first_day(day + timedelta(days=steps[interval]), interval)


def top_sources(index: Index, query: Query, limit: int = 20) -> list[tuple[str, int]]:
    """The domains with the most matching stories."""
    return index.top(query, "canonical_domain", limit)


def languages(index: Index, query: Query, limit: int = 20) -> list[tuple[str, int]]:
    """The languages of the matching stories."""
    return index.top(query, "language", limit)


@one_deadline()
def sources_over_time(
    index: Index, query: Query, interval: str = "week", limit: int = 20, everything: Query = EVERYTHING
) -> list[SourceAttention]:
    """Matching stories of the top sources by day, week or month, and the share of each source's own stories."""
    found = index.top_over_time(query, "canonical_domain", interval, limit)
    names = list(dict.fromkeys(source for source, _, _ in found))
    if not names:
        return []
    every = index.top_over_time(everything.within(domains=names), "canonical_domain", interval, len(names))
    totals = {(source, day): total for source, day, total in every}
    return [SourceAttention(source, day, number, totals.get((source, day), number)) for source, day, number in found]


def words(index: Index, query: Query, limit: int = 100, *, sample_size: int = WORD_SAMPLE) -> list[WordCount]:
    """The most frequent telling words of the matching stories, or of a random sample when there are many."""
    often: Counter[str] = Counter()
    widely: Counter[str] = Counter()
    looked_at, room = 0, _WORDS_OF_ALL
    for story in index.sample(query, sample_size):
        if room <= 0:
            break
        text = f"{story.article_title}\n\n{story.text_content}"[:_WORDS_OF_ONE]
        looked_at, room = looked_at + 1, room - len(text)
        kept = [word for word in cut(text) if is_telling(word)]
        often.update(kept)
        widely.update(set(kept))
    ranked = sorted(often.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
    return [WordCount(word, number, widely[word], looked_at) for word, number in ranked]
