"""The tree of a query, from which index queries, the test of one story, the regular expression and the English sentence are made.

Leaves name the field of the index that they search; `ANY` means the title or the text. Words in leaves are already folded and split
(see `words`); values of the other fields are as they are indexed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

ANY = ""
TITLE = "article_title"
TEXT = "text_content"
WORD_FIELDS = (TITLE, TEXT)
VALUE_FIELDS = ("language", "canonical_domain", "url", "source_id")
STORY = "id"
"""The id of a story: a field of filters only."""
DATE_FIELDS = ("publication_date", "indexed_date")

FIELD_NAMES = {
    "title": TITLE,
    "article_title": TITLE,
    "text": TEXT,
    "text_content": TEXT,
    "language": "language",
    "canonical_domain": "canonical_domain",
    "url": "url",
    "source_id": "source_id",
    "media_id": "source_id",
    "publication_date": "publication_date",
    "indexed_date": "indexed_date",
}
"""The name of a field in a query, and in the index."""


@dataclass(slots=True, frozen=True)
class All:
    """Every story."""


@dataclass(slots=True, frozen=True)
class Term:
    """A word of the title or text, or the whole value of another field."""

    field: str
    word: str


@dataclass(slots=True, frozen=True)
class Phrase:
    """Words in this order, without others between them; with `slop`, words that need at most that many moves to get there.

    A move is by one position, as in Lucene: `"a b"~2` allows two words between them, or the opposite order. With
    `open_end` the last word is only a prefix.
    """

    field: str
    words: tuple[str, ...]
    slop: int = 0
    open_end: bool = False


@dataclass(slots=True, frozen=True)
class Prefix:
    """A word, or a value of another field, with this prefix."""

    field: str
    start: str


@dataclass(slots=True, frozen=True)
class Wildcard:
    """A word, or an address, of this form: `*` is any characters, `?` is one; a backslash escapes them."""

    field: str
    glob: str


@dataclass(slots=True, frozen=True)
class Range:
    """A date between two others, both included; None means no limit, and two Nones mean any known date.

    `publication_date` counts days and `indexed_date` nanoseconds, from 1970-01-01 UTC.
    """

    field: str
    low: int | None
    high: int | None


@dataclass(slots=True, frozen=True)
class OneOf:
    """One of many values of a field; made by filters, not by the query language."""

    field: str
    values: tuple[str, ...]


@dataclass(slots=True, frozen=True)
class And:
    """All of the parts."""

    parts: tuple[Node, ...]


@dataclass(slots=True, frozen=True)
class Or:
    """At least one of the parts."""

    parts: tuple[Node, ...]


@dataclass(slots=True, frozen=True)
class Not:
    """All stories except those of the part."""

    part: Node


Leaf = All | Term | Phrase | Prefix | Wildcard | Range | OneOf
Node = Leaf | And | Or | Not
T = TypeVar("T")


def conjunction(parts: Iterable[Node]) -> Node:
    """All of these, flattened; with no parts, every story."""
    flat = _flatten(And, parts, All())
    return flat[0] if len(flat) == 1 else And(flat) if flat else All()


def disjunction(parts: Iterable[Node]) -> Node:
    """At least one of these, flattened; with no parts, no story."""
    flat = _flatten(Or, parts, Not(All()))
    if All() in flat:
        return All()
    return flat[0] if len(flat) == 1 else Or(flat) if flat else Not(All())


def negation(part: Node) -> Node:
    """The others."""
    return part.part if isinstance(part, Not) else Not(part)


def _flatten(kind: type[And] | type[Or], parts: Iterable[Node], neutral: Node) -> tuple[Node, ...]:
    seen: dict[Node, None] = {}
    for part in parts:
        for inner in part.parts if isinstance(part, kind) else (part,):
            if inner != neutral:
                seen[inner] = None
    return tuple(seen)


def leaves(tree: Node, *, negated: bool = True) -> Iterator[Leaf]:
    """Every leaf, from left to right, or only those of what a story should have, without the `negated` ones."""
    stack: list[Node] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, And | Or):
            stack.extend(reversed(node.parts))
        elif isinstance(node, Not):
            if negated:
                stack.append(node.part)
        else:
            yield node


def reduce_tree(tree: Node, leaf: Callable[[Leaf], T], join: Callable[[And | Or | Not, list[T]], T]) -> T:
    """Evaluate a tree from its leaves upwards, without recursion: strangers' queries may be deep."""
    results: list[T] = []
    stack: list[tuple[Node, bool]] = [(tree, False)]
    while stack:
        node, ready = stack.pop()
        if not isinstance(node, And | Or | Not):
            results.append(leaf(node))
            continue
        parts = (node.part,) if isinstance(node, Not) else node.parts
        if ready:
            of_parts = results[len(results) - len(parts) :]
            del results[len(results) - len(parts) :]
            results.append(join(node, of_parts))
        else:
            stack.append((node, True))
            stack.extend((part, False) for part in reversed(parts))
    return results[0]


def glob_parts(glob: str) -> Iterator[tuple[bool, str]]:
    """The pieces of a wildcard: (True, `*` or `?`) and (False, literal character)."""
    characters = iter(glob)
    for character in characters:
        if character == "\\":
            yield False, next(characters, "\\")
        else:
            yield character in "*?", character
