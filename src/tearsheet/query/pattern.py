"""A query as one RE2 regular expression, where there is one whose size grows no faster than the query.

In plain text (see `subject`) it is exact. In the original text it finds the same, except for
compatibility forms, such as full-width letters, and some rare punctuation.

Words, prefixes, wildcards, phrases, distances between two words, OR of all these, and AND of two alternatives of words can be
expressed. NOT, AND of more parts (their orders would multiply), dates and other fields cannot, and are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

import re2

from tearsheet.query.errors import QueryError
from tearsheet.query.spelled import Piece, spelled
from tearsheet.query.tree import (
    ANY,
    TEXT,
    TITLE,
    All,
    And,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Term,
    Wildcard,
    glob_parts,
    leaves,
)
from tearsheet.query.words import MAX_WORD, UNSPACED, plain

FIELD_BREAK = "\x1e"
"""Separates title and text, which no phrase may span."""
MAX_SLOP = 100
BETWEEN = (
    r"\x00-\x1d\x1f-/:-@\[-`{-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7"
    r"\x{37e}\x{387}\x{589}\x{5be}\x{5c0}\x{5c3}\x{5f3}\x{5f4}\x{60c}\x{61b}\x{61f}\x{66a}-\x{66d}\x{6d4}\x{964}\x{965}"
    r"\x{1361}-\x{1368}\x{2000}-\x{2070}\x{20a0}-\x{20bf}\x{2190}-\x{245f}\x{2500}-\x{2775}\x{2794}-\x{2bff}\x{2e00}-\x{2e2e}"
    r"\x{3000}-\x{3004}\x{3008}-\x{3020}\x{3030}\x{30fb}\x{fe10}-\x{fe19}\x{fe30}-\x{fe4f}\x{ff01}-\x{ff0f}\x{ff1a}-\x{ff20}"
    r"\x{ff3b}-\x{ff40}\x{ff5b}-\x{ff65}\x{1f300}-\x{1faff}"
)
"""The common characters between words. All of them, as Unicode categories, would make distances a hundred times as large."""
_S = f"[{BETWEEN}]"
"""A character between words; not the break between fields."""
_UNSPACED = "".join(character if character == "-" else f"\\x{{{ord(character):x}}}" for character in UNSPACED)
_U = f"[{_UNSPACED}]"
_W = f"[^{BETWEEN}\\x1e{_UNSPACED}]"
"""A character of a word between spaces."""
_EDGE = f"[{BETWEEN}\\x1e{_UNSPACED}]"
_BEFORE = f"(?:\\A|{_EDGE})"
_AFTER = f"(?:{_EDGE}|\\z)"


def subject(field: str, title: str, text: str) -> str:
    """The text that a pattern for a field is searched in."""
    title, text = plain(title), plain(text)
    return {TITLE: title, TEXT: text}.get(field, f"{title}\n{FIELD_BREAK}\n{text}")


def pattern_field(tree: Node) -> str:
    """The only field that the pattern of a tree is for: ANY, title or text. Raises QueryError when there are several."""
    fields = {leaf.field for leaf in leaves(tree) if not isinstance(leaf, All)}
    if len(fields) > 1 or not fields <= {ANY, TITLE, TEXT}:
        raise _refused("it asks for more than the words of one field")
    return fields.pop() if fields else ANY


def to_pattern(tree: Node) -> str:
    """The regular expression. Raises QueryError when there is none of linear size."""
    pattern_field(tree)
    pattern = "(?is)" + _alternatives(tree.parts if isinstance(tree, Or) else (tree,))
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error:
        raise _refused("its distances together are too wide") from None
    return pattern


_Bare = tuple[bool, str, bool]
"""A pattern, and whether it must start and end at a word boundary."""


def _alternatives(nodes: Sequence[Node]) -> str:
    """One of these; boundaries are written once for all that need the same ones."""
    groups: dict[tuple[bool, bool], list[str]] = {}
    for node in nodes:
        before, pattern, after = _bare(node)
        groups.setdefault((before, after), []).append(pattern)
    return _one_of(
        [
            (_BEFORE if before else "") + _one_of(patterns) + (_AFTER if after else "")
            for (before, after), patterns in groups.items()
        ]
    )


def _bare(node: Node) -> _Bare:
    if isinstance(node, Not):
        raise _refused("it excludes words")
    if isinstance(node, And):
        return _conjunction(node)
    if isinstance(node, All):
        return False, "", False
    if isinstance(node, Term):
        return _phrase(list(spelled([node.word])))
    if isinstance(node, Prefix):
        return _phrase(list(spelled([node.start], True)))
    if isinstance(node, Wildcard):
        return True, _glob(node.glob), True
    if isinstance(node, Phrase):
        pieces = list(spelled(node.words, node.open_end))
        return _distance(pieces, node.slop) if node.slop else _phrase(pieces)
    raise _refused("it asks for more than words")


def _phrase(pieces: Sequence[Piece]) -> _Bare:
    """Pieces one after the other. Two of the same kind need something between them; a run beside a word does not."""
    parts = [_piece(pieces[0])]
    for before, piece in pairwise(pieces):
        parts.append(_S + ("+" if before.unspaced == piece.unspaced else "*"))
        parts.append(_piece(piece))
    return not pieces[0].unspaced, "".join(parts), not pieces[-1].open_end


def _piece(piece: Piece) -> str:
    cut_off = not piece.unspaced and len(piece.text) >= MAX_WORD
    return _literal(piece.text) + (f"{_W}*" if cut_off else "")


def _distance(pieces: Sequence[Piece], slop: int) -> _Bare:
    """Two words near each other: up to `slop` words between them, or two fewer in the opposite order."""
    if len(pieces) != 2 or any(piece.unspaced for piece in pieces):
        raise _refused("a distance can only be expressed between two words with spaces around them")
    if slop > MAX_SLOP:
        raise _refused(f"a distance can only be expressed up to {MAX_SLOP} words")
    first, second = map(_piece, pieces)
    orders = [first + _gap(slop) + second]
    if slop >= 2:
        orders.append(second + _gap(slop - 2) + first)
    return True, _one_of(orders), True


def _gap(most: int) -> str:
    """The text between two words with at most `most` others between them. A character without spaces counts as a word."""
    if most == 0:
        return f"{_S}+"
    first, further = f"(?:{_S}+{_W}+|{_S}*{_U})", f"(?:{_S}*(?:{_W}+|{_U}))"
    ends = [f"{_S}+", f"{_S}*{_U}{_S}*", f"{first}{further}{{0,{most - 1}}}{_S}+"]
    if most >= 2:
        ends.append(f"{first}{further}{{0,{most - 2}}}{_S}*{_U}{_S}*")
    return _one_of(ends)


def _conjunction(node: And) -> _Bare:
    """Two alternatives of words, in either order. They must not overlap: one word could then match both sides."""
    if len(node.parts) != 2:
        raise _refused("it joins more than two parts by AND")
    sides = [part.parts if isinstance(part, Or) else (part,) for part in node.parts]
    for leaf in (*sides[0], *sides[1]):
        if not isinstance(leaf, Term | Prefix) or next(spelled([_start(leaf)])).unspaced:
            raise _refused("it joins something other than words by AND")
    if any(_overlap(left, right) for left, right in product(*sides)):
        raise _refused("one word could satisfy both sides of an AND")
    left, right = (_one_of([_word(leaf) for leaf in side]) for side in sides)
    gap = f"{_EDGE}(?:.*{_EDGE})?"
    return True, _one_of([left + gap + right, right + gap + left]), True


def _start(leaf: Node) -> str:
    return leaf.start if isinstance(leaf, Prefix) else leaf.word if isinstance(leaf, Term) else ""


def _word(leaf: Node) -> str:
    tail = f"{_W}*" if isinstance(leaf, Prefix) or len(_start(leaf)) >= MAX_WORD else ""
    return _literal(_start(leaf)) + tail


def _overlap(left: Node, right: Node) -> bool:
    if isinstance(left, Prefix) and _start(right).startswith(left.start):
        return True
    return _start(left).startswith(_start(right)) if isinstance(right, Prefix) else left == right


def _glob(glob: str) -> str:
    return "".join(
        (f"{_W}*" if character == "*" else _W) if wild else _literal(character) for wild, character in glob_parts(glob)
    )


def _literal(text: str) -> str:
    return str(re2.escape(text))


def _one_of(patterns: Sequence[str]) -> str:
    return patterns[0] if len(patterns) == 1 else "(?:" + "|".join(patterns) + ")"


def _refused(why: str) -> QueryError:
    return QueryError(f"this query has no regular expression of its size: {why}")
