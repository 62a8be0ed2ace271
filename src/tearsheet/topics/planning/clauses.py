"""The clauses of a query, each with the queries that tell what it does: the clause alone, and the query without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tearsheet.query import All, And, Node, Not, Or, Query

MOST_CLAUSES = 50
"""How many clauses are told of: the outer ones, from left to right. A query may have thousands of words."""


@dataclass(slots=True, frozen=True)
class Clause:
    """A part of a query that could be left out."""

    text: str
    """In English, as `with “river”`."""
    kind: str
    """`or`: one of several that suffice; `and`: one of several that must all be there; `not`: what must not be there."""
    alone: Query
    """Just this clause; of an exclusion, what it excludes."""
    within: Query
    """The stories of the query that the clause is true of."""
    without: Query
    """The query as it would be if the clause were not in it."""


def clauses_of(query: Query) -> list[Clause]:
    """The clauses of a query, the outer ones first; none if it is a single word or phrase."""
    return list(islice(_clauses(query), MOST_CLAUSES))


def _clauses(query: Query) -> Iterator[Clause]:
    level: list[tuple[Node, _Path]] = [(query.tree, ())]
    while level:
        below: list[tuple[Node, _Path]] = []
        for node, path in level:
            for number, part in enumerate(_parts(node)):
                here = (*path, number)
                if not isinstance(node, Not):  # what NOT is about is told of as a part of its AND
                    yield _clause(query, node, part, here)
                below.append((part, here))
        level = below


_Path = tuple[int, ...]
"""Where a part stands: its number among the parts of its parent, after those of its parents."""


def _parts(node: Node) -> tuple[Node, ...]:
    if isinstance(node, And | Or):
        return node.parts
    return (node.part,) if isinstance(node, Not) else ()


def _clause(query: Query, parent: Node, part: Node, path: _Path) -> Clause:
    excludes = isinstance(part, Not)
    alone = part.part if isinstance(part, Not) else part
    return Clause(
        _in_english(query, alone),
        "not" if excludes else "or" if isinstance(parent, Or) else "and",
        Query(query.source, alone),
        Query(query.source, And((query.tree, alone))),
        Query(query.source, _without(query.tree, path)),
    )


def _in_english(query: Query, node: Node) -> str:
    return Query(query.source, node).explain().removeprefix("Stories ").rstrip(".")


def _without(tree: Node, path: _Path) -> Node:
    """The tree without the part at this place."""
    nodes = list(_along(tree, path[:-1]))
    node: Node | None = None
    for parent, number in zip(reversed(nodes), reversed(path), strict=True):
        node = _replaced(parent, number, node)
    return node or All()


def _along(tree: Node, path: _Path) -> Iterator[Node]:
    yield tree
    for number in path:
        tree = _parts(tree)[number]
        yield tree


def _replaced(parent: Node, number: int, part: Node | None) -> Node | None:
    """The parent with another part in this place, or without any; None if nothing is left of it."""
    if isinstance(parent, Not):
        return Not(part) if part else None
    parts = _parts(parent)
    kept = parts[:number] + ((part,) if part else ()) + parts[number + 1 :]
    if len(kept) == 1:
        return kept[0]
    return (And(kept) if isinstance(parent, And) else Or(kept)) if kept else None
