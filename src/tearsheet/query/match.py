"""Whether one story matches a query: the same answer as an index gives, from the story alone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

import re2

from tearsheet.query.dates import day_number
from tearsheet.query.tree import (
    ANY,
    TITLE,
    WORD_FIELDS,
    All,
    And,
    Leaf,
    Node,
    Not,
    OneOf,
    Or,
    Phrase,
    Prefix,
    Range,
    Term,
    Wildcard,
    glob_parts,
    reduce_tree,
)
from tearsheet.query.words import cut, fold

Positions = Mapping[str, Sequence[int]]
"""The positions of each word of a text, in ascending order."""


@dataclass(slots=True)
class Subject:
    """A story to be tested. Title and text are split into words when a query first asks for them."""

    title: str = ""
    text: str = ""
    values: dict[str, str] = field(default_factory=dict)
    """`url`, `language`, `canonical_domain`, `source_id`, as they are indexed."""
    dates: dict[str, int] = field(default_factory=dict)
    """`publication_date` in days and `indexed_date` in nanoseconds since 1970-01-01; unknown dates are missing."""
    _words: dict[str, Positions] = field(default_factory=dict)

    def words(self, field: str) -> Positions:
        """The words of the title or text and their positions."""
        if field not in self._words:
            self._words[field] = positions_of(cut(self.title if field == TITLE else self.text))
        return self._words[field]


def make_subject(
    *,
    title: str = "",
    text: str = "",
    url: str = "",
    language: str = "",
    canonical_domain: str = "",
    publication_date: date | str | None = None,
    indexed_date: datetime | int | None = None,
    source_id: int | None = None,
) -> Subject:
    """A story to be tested, from its parts (see `Query.matches`)."""
    values = {"url": url, "language": fold(language), "canonical_domain": fold(canonical_domain)}
    if source_id is not None:
        values["source_id"] = str(source_id)
    dates: dict[str, int] = {}
    if publication_date:
        day = date.fromisoformat(publication_date) if isinstance(publication_date, str) else publication_date
        dates["publication_date"] = day_number(day)
    if isinstance(indexed_date, datetime):
        indexed_date = (indexed_date - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
    if indexed_date is not None:
        dates["indexed_date"] = indexed_date
    return Subject(title, text, values, dates)


def positions_of(words: Iterable[str]) -> Positions:
    """The positions of each word."""
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(words):
        positions.setdefault(word, []).append(position)
    return positions


def tree_matches(tree: Node, subject: Subject) -> bool:
    """Whether the story is one that the query asks for."""

    def join(node: And | Or | Not, parts: list[bool]) -> bool:
        return not parts[0] if isinstance(node, Not) else all(parts) if isinstance(node, And) else any(parts)

    return reduce_tree(tree, lambda leaf: _leaf_matches(leaf, subject), join)


def _leaf_matches(leaf: Leaf, subject: Subject) -> bool:
    if isinstance(leaf, All):
        return True
    if isinstance(leaf, Range):
        value = subject.dates.get(leaf.field)
        return (
            value is not None and (leaf.low is None or leaf.low <= value) and (leaf.high is None or value <= leaf.high)
        )
    if isinstance(leaf, OneOf):
        return subject.values.get(leaf.field) in leaf.values
    if leaf.field != ANY and leaf.field not in WORD_FIELDS:
        return _value_matches(leaf, subject.values.get(leaf.field, ""))
    fields = WORD_FIELDS if leaf.field == ANY else (leaf.field,)
    return any(_words_match(leaf, subject.words(name)) for name in fields)


def _value_matches(leaf: Term | Phrase | Prefix | Wildcard, value: str) -> bool:
    if isinstance(leaf, Term):
        return value == leaf.word
    if isinstance(leaf, Prefix):
        return value.startswith(leaf.start)
    assert isinstance(leaf, Wildcard), "phrases are only of words"
    return bool(value) and glob_matcher(leaf.glob)(value)


def _words_match(leaf: Term | Phrase | Prefix | Wildcard, words: Positions) -> bool:
    if isinstance(leaf, Term):
        return leaf.word in words
    if isinstance(leaf, Prefix):
        return any(word.startswith(leaf.start) for word in words)
    if isinstance(leaf, Wildcard):
        matches = glob_matcher(leaf.glob)
        return any(matches(word) for word in words)
    return phrase_matches(leaf, words)


def phrase_matches(phrase: Phrase, words: Positions) -> bool:
    """Whether the words of a phrase occur together as it demands."""
    positions = [words.get(word, ()) for word in phrase.words]
    if phrase.open_end:
        start = phrase.words[-1]
        positions[-1] = sorted(
            position for word, found in words.items() if word.startswith(start) for position in found
        )
    if not all(positions):
        return False
    if phrase.slop:
        return _near(phrase.words, positions, phrase.slop)
    return _in_order(positions)


def _in_order(positions: Sequence[Sequence[int]]) -> bool:
    """Whether there is a position of each, one after the other: looked for around the positions of the rarest word."""
    rarest = min(range(len(positions)), key=lambda index: len(positions[index]))
    sets = {name: set(found) for name, found in {id(found): found for found in positions}.items()}
    others = [(index - rarest, sets[id(found)]) for index, found in enumerate(positions) if index != rarest]
    return any(all(position + offset in found for offset, found in others) for position in positions[rarest])


def _near(words: Sequence[str], positions: Sequence[Sequence[int]], slop: int) -> bool:
    """Whether each word has a position such that, less its index in the phrase, no two are more than `slop` apart.

    A position serves one word only, so a word that occurs twice in the phrase needs two positions. All must be in one window. It
    begins where the text does, and is moved to where the first word that is not in it demands. Each move goes past a
    position of that word, so there are no more moves than positions.
    """
    groups: dict[str, list[int]] = {}
    for index, word in enumerate(words):
        groups.setdefault(word, []).append(index)
    places = sorted(((positions[indexes[0]], indexes) for indexes in groups.values()), key=lambda place: len(place[0]))
    first = -len(words)
    while True:
        for found, indexes in places:
            demanded = _demanded(found, indexes, first, slop)
            if demanded is None:
                return False
            if demanded > first:
                first = demanded
                break
        else:
            return True


def _demanded(found: Sequence[int], indexes: Sequence[int], first: int, slop: int) -> int | None:
    """Where the window has to begin, at `first` or later, for each index to get its own position in it; None if nowhere.

    The position of an index rises with it, so the first that fits is best.
    """
    cursor = 0
    for index in indexes:
        cursor = bisect_left(found, first + index, cursor)
        if cursor == len(found):
            return None
        if found[cursor] > first + index + slop:
            return found[cursor] - index - slop
        cursor += 1
    return first


@lru_cache(maxsize=1024)
def glob_matcher(glob: str) -> Callable[[str], bool]:
    """A test for a whole word or value, in linear time however many stars the pattern has."""
    pattern = "".join(
        (".*" if character == "*" else ".") if wild else re2.escape(character) for wild, character in glob_parts(glob)
    )
    compiled = re2.compile(f"(?s){pattern}")
    return lambda value: compiled.fullmatch(value) is not None
