"""What a query costs: an estimate, from its tree alone, of how long an index works on it.

The unit is a nanosecond for each story of 400 words, on one processor core, when every word of the query is a common one. The
weights were measured on the embedded index with 50,000 and 1,000,000 stories (those of `make bench-index`), and rounded up. Most
queries have rarer words and cost far less, so a high cost is no reason to refuse one: a deadline stops the few that are really
slow. Only what nobody would ask for, and what would keep an index of a few long stories busy, is refused before it starts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tearsheet.query.errors import QueryError
from tearsheet.query.tree import (
    ANY,
    STORY,
    WORD_FIELDS,
    All,
    Leaf,
    Node,
    OneOf,
    Phrase,
    Prefix,
    Range,
    Term,
    Wildcard,
    leaves,
    reduce_tree,
)

MAX_COST = 15_000_000
"""The highest cost. Two thousand words, a thousand phrases, a hundred wildcards or eighty phrases with a distance stay below it."""
_JOIN = 1
_TERM = 2
_PHRASE = 400
_NEAR_TWO = 400
_NEAR_MORE = 150_000
"""A phrase of three words or more with a distance: stories are read to answer it, and more of them the wider it is."""
_NEAR_MORE_PER_PLACE = 150
_OPEN_PHRASE = 10_000
"""A phrase that ends with a star: its last word stands for thousands."""
_WILD = 300
_WILD_VALUE = 300
_RANGE = 20
_VALUE = 1


@dataclass(slots=True, frozen=True)
class _Kind:
    """A kind of leaf: what it is called, in the singular and the plural, and how to make it cheaper."""

    one: str
    many: str
    advice: str


_NEAR = _Kind(
    "phrase with a distance",
    "phrases with a distance",
    "use fewer of them, or fewer words and smaller distances, or join the words by AND",
)
_OPEN = _Kind("phrase that ends with a star", "phrases that end with a star", "write out the last word of each")
_STARS = _Kind("word with a wildcard", "words with a wildcard", "write more letters before each wildcard")
_ADDRESSES = _Kind("address with a star", "addresses with a star", "write out where the addresses begin")
_PHRASES = _Kind("phrase", "phrases", "use fewer of them, or rarer words")
_WORDS = _Kind("word", "words", "use fewer of them, or rarer ones")
_FILTERS = _Kind("filter", "filters", "use fewer of them")


def cost_of(tree: Node) -> int:
    """The estimated cost of a query. Each further clause, word or place of distance adds to it."""
    return reduce_tree(tree, _leaf_cost, lambda node, parts: sum(parts) + _JOIN * len(parts))


def check_cost(tree: Node) -> None:
    """Raises QueryError, which says what is expensive, for a query that no index could answer in time."""
    if cost_of(tree) > MAX_COST:
        raise QueryError(f"this query would take far too long: it has {expensive_part(tree)}")


def expensive_part(tree: Node) -> str:
    """What costs most in a query, and what to do about it: `50 phrases with a distance (up to 1,000); use fewer …`."""
    costs: Counter[_Kind] = Counter()
    counts: Counter[_Kind] = Counter()
    slop = 0
    for leaf in leaves(tree):
        kind = _kind(leaf)
        costs[kind] += _leaf_cost(leaf)
        counts[kind] += 1
        slop = max(slop, leaf.slop if isinstance(leaf, Phrase) else 0)
    kind = max(costs, key=lambda one: costs[one])
    reach = f" (up to {slop:,})" if kind is _NEAR else ""
    return f"{counts[kind]:,} {kind.one if counts[kind] == 1 else kind.many}{reach}; {kind.advice}"


def _leaf_cost(leaf: Leaf) -> int:
    if isinstance(leaf, All):
        return 0
    if isinstance(leaf, Range):
        return _RANGE
    if isinstance(leaf, OneOf):
        return _RANGE + (0 if leaf.field == STORY else _VALUE * len(leaf.values))
    if leaf.field not in (ANY, *WORD_FIELDS):
        return _TERM if isinstance(leaf, Term) else _WILD_VALUE
    if isinstance(leaf, Phrase):
        return _phrase_cost(leaf)
    return _WILD if isinstance(leaf, Prefix | Wildcard) else _TERM


def _phrase_cost(phrase: Phrase) -> int:
    words = len(phrase.words)
    if phrase.open_end:
        return _OPEN_PHRASE + _TERM * words
    if not phrase.slop:
        return _PHRASE + _TERM * words
    if words == 2 and phrase.words[0] != phrase.words[1]:
        return _NEAR_TWO + _TERM * words + phrase.slop // 10
    return (_NEAR_MORE + _NEAR_MORE_PER_PLACE * phrase.slop) * (words + 2) // 5


def _kind(leaf: Leaf) -> _Kind:
    if isinstance(leaf, Phrase):
        return _OPEN if leaf.open_end else _NEAR if leaf.slop else _PHRASES
    if isinstance(leaf, Prefix | Wildcard):
        return _STARS if leaf.field in (ANY, *WORD_FIELDS) else _ADDRESSES
    return _WORDS if isinstance(leaf, Term) else _FILTERS
