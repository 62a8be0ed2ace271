"""The tree of a query as a tantivy query.

tantivy's own parser is not used: it finds nothing for `a AND NOT b`, and would split words by other rules than ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from itertools import combinations, islice

from tantivy import FieldType, Occur, Schema
from tantivy import Query as Tantivy

from tearsheet.query import (
    ANY,
    STORY,
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
    QueryError,
    Range,
    Term,
    Wildcard,
    day_number,
    glob_parts,
    reduce_tree,
)

DAY_ZERO = -day_number(date.min) + 1
"""Publication days are stored as unsigned numbers: 1 is the first day of the year 1."""
_FIRST_DAY, _LAST_DAY = day_number(date.min), day_number(date.max)
_MAX_U64 = 2**64 - 1
_FEW_DAYS = 100
"""Up to this many days are queried one by one: tantivy then starts from them and not from the words, which may be everywhere."""
_MAX_PAIRS = 20
"""How many pairs of words of a phrase with a distance narrow down the stories that are read for it."""

Resolver = Callable[[Phrase], Sequence[int]]
"""Finds the numbers of the stories with a phrase that tantivy cannot express, in one given field."""
NumbersOf = Callable[[Sequence[str]], Sequence[int]]
"""Finds the numbers of stories by their ids."""


def to_tantivy(tree: Node, schema: Schema, resolve: Resolver, numbers_of: NumbersOf) -> Tantivy:
    """The query for the schema of `tantivy_schema`."""

    def leaf_query(leaf: Leaf) -> _Part:
        if isinstance(leaf, OneOf) and leaf.field == STORY:
            return [_numbered(schema, numbers_of(leaf.values))], False
        return _leaf(leaf, schema, resolve), False

    def join(node: And | Or | Not, parts: list[_Part]) -> _Part:
        if isinstance(node, Not):
            return parts[0][0], not parts[0][1]
        if isinstance(node, Or):
            return [query for part in parts for query in _alternatives(part)], False
        return [_conjunction(parts)], False

    return any_of(_alternatives(reduce_tree(tree, leaf_query, join)))


_Part = tuple[list[Tantivy], bool]
"""Alternatives, and whether their opposite is meant.

Alternatives stay separate until they are needed, because one wide OR is quicker than many narrow ones; and `a AND NOT b` is quick
when the index may skip b, but slow when it is a AND everything but b.
"""


def _alternatives(part: _Part) -> list[Tantivy]:
    return [_conjunction([part])] if part[1] else part[0]


def _conjunction(parts: list[_Part]) -> Tantivy:
    clauses = [(Occur.MustNot if negated else Occur.Must, any_of(queries)) for queries, negated in parts]
    if all(negated for _, negated in parts):
        clauses.append((Occur.Must, Tantivy.all_query()))
    return Tantivy.boolean_query(clauses)


def any_of(parts: Sequence[Tantivy]) -> Tantivy:
    """At least one of these."""
    return parts[0] if len(parts) == 1 else Tantivy.boolean_query([(Occur.Should, part) for part in parts])


def all_of(*parts: Tantivy) -> Tantivy:
    """All of these."""
    return parts[0] if len(parts) == 1 else Tantivy.boolean_query([(Occur.Must, part) for part in parts])


def none_of(query: Tantivy) -> Tantivy:
    """Everything but this."""
    return _conjunction([([query], True)])


def number_range(schema: Schema, field: str, low: int | None, high: int | None) -> Tantivy:
    """Numbers from `low` to `high`, both included."""
    low = 0 if low is None else max(low, 0)
    high = _MAX_U64 if high is None else min(high, _MAX_U64)
    if low > high:
        return Tantivy.empty_query()
    return Tantivy.range_query(schema, field, FieldType.Unsigned, low, high)


def _leaf(leaf: Leaf, schema: Schema, resolve: Resolver) -> list[Tantivy]:
    if isinstance(leaf, All):
        return [Tantivy.all_query()]
    if isinstance(leaf, Range):
        return [_range(leaf, schema)]
    if isinstance(leaf, OneOf):
        return [Tantivy.term_set_query(schema, leaf.field, list(leaf.values)) if leaf.values else Tantivy.empty_query()]
    fields = WORD_FIELDS if leaf.field == ANY else (leaf.field,)
    return [_in_field(leaf, field, schema, resolve) for field in fields]


def _range(leaf: Range, schema: Schema) -> Tantivy:
    if leaf.field == "indexed_date":
        return number_range(schema, leaf.field, leaf.low, leaf.high)
    if leaf.low is None and leaf.high is None:
        return Tantivy.exists_query(leaf.field)
    low = (_FIRST_DAY if leaf.low is None else max(leaf.low, _FIRST_DAY)) + DAY_ZERO
    high = (_LAST_DAY if leaf.high is None else min(leaf.high, _LAST_DAY)) + DAY_ZERO
    if low <= high < low + _FEW_DAYS:
        return Tantivy.term_set_query(schema, leaf.field, list(range(low, high + 1)))
    return number_range(schema, leaf.field, low, high)


def _in_field(leaf: Term | Phrase | Prefix | Wildcard, field: str, schema: Schema, resolve: Resolver) -> Tantivy:
    if isinstance(leaf, Term):
        return Tantivy.term_query(schema, field, leaf.word)
    if isinstance(leaf, Prefix):
        return _regex(schema, field, _escape(leaf.start) + ".*", leaf.start + "*")
    if isinstance(leaf, Wildcard):
        return _regex(schema, field, _glob_pattern(leaf.glob), leaf.glob)
    if leaf.open_end:
        words = [_escape(word) for word in leaf.words]
        return Tantivy.regex_phrase_query(schema, field, [*words[:-1], words[-1] + ".*"])
    if leaf.slop == 0 or (len(leaf.words) == 2 and leaf.words[0] != leaf.words[1]):
        return Tantivy.phrase_query(schema, field, list(leaf.words), leaf.slop)
    return _numbered(schema, resolve(Phrase(field, leaf.words, leaf.slop)))


def _numbered(schema: Schema, numbers: Sequence[int]) -> Tantivy:
    return Tantivy.term_set_query(schema, "docno", list(numbers)) if numbers else Tantivy.empty_query()


def _regex(schema: Schema, field: str, pattern: str, written: str) -> Tantivy:
    """Raises QueryError when the pattern has too many states: question marks behind a star double them."""
    try:
        return Tantivy.regex_query(schema, field, pattern)
    except ValueError as error:
        problem = f"{written!r} could be too many words; use fewer question marks behind a star, or one star for all"
        raise QueryError(problem) from error


def candidates(phrase: Phrase, schema: Schema) -> Tantivy:
    """Stories that may contain a phrase with a distance: any two of its words are near enough to each other.

    tantivy's own distance is correct for two different words, and too strict for more.
    """
    parts = [Tantivy.term_query(schema, phrase.field, word) for word in set(phrase.words)]
    for first, second in islice(combinations(range(len(phrase.words)), 2), _MAX_PAIRS):
        words = phrase.words[first], phrase.words[second]
        if words[0] != words[1]:
            slop = phrase.slop + second - first - 1
            parts.append(Tantivy.phrase_query(schema, phrase.field, list(words), slop))
    return all_of(*parts)


def _glob_pattern(glob: str) -> str:
    return "".join(
        (".*" if character == "*" else ".") if wild else _escape(character) for wild, character in glob_parts(glob)
    )


def _escape(text: str) -> str:
    """Escape ASCII punctuation: nothing else has a meaning in patterns, and nothing else may be escaped."""
    return re.sub(r"[!-/:-@\[-`{-~]", lambda found: "\\" + found[0], text)
