"""How long tantivy takes to build a query, before it looks at a story: an estimate from the tree alone.

It compiles each word with a wildcard, and lets no other thread of the process go on meanwhile. Everything else is built in
microseconds. The weights were measured on one processor core, for patterns as bad as can be, and rounded up.
"""

from __future__ import annotations

from tearsheet.query import ANY, WORD_FIELDS, Leaf, Node, Prefix, Wildcard, glob_parts, leaves

_LEAF = 5e-6
_PATTERN = 400e-6
_BYTE = 5e-6
"""For each byte of a prefix."""
_SQUARE = 1.2e-6
"""A pattern is compared with itself at each of its places, so its time grows with the square of what follows its first wildcard."""
_WILD = 7
"""A wildcard counts as so many bytes: it is any character of any length."""
_MOST_DOUBLINGS = 5
"""Each question mark behind a star may double the states, until there are too many and tantivy gives up."""


def build_seconds(tree: Node) -> float:
    """The estimated time to build a query."""
    return sum(map(_leaf_seconds, leaves(tree)))


def _leaf_seconds(leaf: Leaf) -> float:
    if isinstance(leaf, Prefix):
        return _fields(leaf) * (_PATTERN + _BYTE * len(leaf.start.encode()))
    if isinstance(leaf, Wildcard):
        return _fields(leaf) * _glob_seconds(leaf.glob)
    return _LEAF


def _fields(leaf: Prefix | Wildcard) -> int:
    return len(WORD_FIELDS) if leaf.field == ANY else 1


def _glob_seconds(glob: str) -> float:
    literal_start = size = doublings = 0
    after_wild = after_star = False
    for wild, character in glob_parts(glob):
        after_wild = after_wild or wild
        doublings += wild and character == "?" and after_star
        after_star = after_star or (wild and character == "*")
        if after_wild:
            size += _WILD if wild else len(character.encode())
        else:
            literal_start += len(character.encode())
    once = _PATTERN + _BYTE * literal_start + _SQUARE * size**2
    return float(once * 2 ** min(doublings, _MOST_DOUBLINGS))
