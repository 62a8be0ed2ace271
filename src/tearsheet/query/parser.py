"""Read a query: Lucene's notation with the usual precedence. NOT binds more tightly than AND, AND more tightly than OR.

Words side by side must all be found. Media Cloud's search has always read them so (Elasticsearch's query_string with
AND as default operator), and a query written for it must not find more here. So `+` adds nothing; beside an OR it
would have to, and is refused.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass

from tearsheet.query.cost import check_cost
from tearsheet.query.dates import day_span, moment_span
from tearsheet.query.errors import QueryError
from tearsheet.query.lexer import QUOTES, Token, tokens
from tearsheet.query.tree import (
    ANY,
    DATE_FIELDS,
    VALUE_FIELDS,
    All,
    Node,
    Phrase,
    Prefix,
    Range,
    Term,
    Wildcard,
    conjunction,
    disjunction,
    glob_parts,
    negation,
    reduce_tree,
)
from tearsheet.query.words import cut, cut_query, fold, is_unspaced

MAX_LENGTH = 65_536
"""The longest query, in characters."""
MAX_LEAVES = 2_000
"""The most words, phrases and values in a query."""
MAX_DEPTH = 250
"""The deepest nesting of brackets."""
MAX_NESTING = 60
"""The deepest nesting of AND in OR in AND, without redundant brackets; engines have their own limits."""
MAX_WILDCARDS = 100
"""The most stars and question marks in a query."""
MAX_WILDCARDS_EACH = 10
"""The most stars and question marks in one word or address: an index works on them for a time that grows with their square."""
MAX_WILD_LENGTH = 500
"""The longest address with a star, in characters, for the same reason."""
MAX_OPEN_WILDCARDS = 5
"""The most values that begin with a star: an index has to search all addresses for each."""
MAX_SLOP = 1_000
MAX_MOMENT = 2**63 - 1
"""The last time of indexing that an index can compare with, in nanoseconds since 1970."""
_RANGE = re.compile(r"([\[{])\s*(\S+)\s+TO\s+([^\s\]}]+)\s*([\]}])")
_COMPARISON = re.compile(r"([<>]=?)\s*(\S+)")


@dataclass(slots=True)
class _Group:
    """The content of a pair of brackets, as far as it has been read."""

    position: int
    field: str
    negated: bool = False
    """Whether the bracket as a whole is negated."""
    alternatives: list[list[Node]] = dataclasses.field(default_factory=lambda: [[]])
    operator: Token | None = None
    """An operator that still needs its right side."""
    negate_next: bool = False
    plus: Token | None = None


def parse(text: str) -> Node:
    """The tree of a query. Raises QueryError, which knows the position."""
    if len(text) > MAX_LENGTH:
        raise QueryError(f"a query may have at most {MAX_LENGTH:,} characters; this one has {len(text):,}")
    tree = _Parser(text).run()
    if reduce_tree(tree, lambda leaf: 0, lambda node, depths: max(depths) + 1) > MAX_NESTING:
        raise QueryError(f"AND, OR and NOT may be nested {MAX_NESTING} deep; write this query with fewer brackets")
    check_cost(tree)
    return tree


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.groups = [_Group(0, ANY)]
        self.leaf_count = 0
        self.wildcards = 0
        self.open_wildcards = 0

    def run(self) -> Node:
        next_field: str | None = None
        for token in tokens(self.text):
            group = self.groups[-1]
            if next_field is not None and token.kind in (")", "AND", "OR", "field"):
                raise QueryError("a field needs something to look for", self.text, token.position)
            if token.kind == "field":
                next_field = token.text
            elif token.kind == "(":
                self._open(token, group.field if next_field is None else next_field)
                next_field = None
            elif token.kind == ")":
                self._close(token)
            elif token.kind in ("AND", "OR"):
                self._binary(group, token)
            elif token.kind in ("NOT", "+"):
                if next_field is not None:
                    raise QueryError("write the sign before the field, as in -title:word", self.text, token.position)
                self._unary(group, token)
            else:
                self._operand(self._leaf(token, group.field if next_field is None else next_field))
                next_field = None
        if len(self.groups) > 1:
            raise QueryError("this bracket is never closed", self.text, self.groups[-1].position)
        return self._finish(self.groups[0], len(self.text))

    # ------------------------------------------------------------------------------------------------- operators

    def _open(self, token: Token, field: str) -> None:
        if len(self.groups) > MAX_DEPTH:
            raise QueryError(f"brackets may be nested {MAX_DEPTH} deep", self.text, token.position)
        parent = self.groups[-1]
        group = _Group(token.position, field, parent.negate_next)
        parent.negate_next, parent.operator = False, None
        self.groups.append(group)

    def _close(self, token: Token) -> None:
        if len(self.groups) == 1:
            raise QueryError("this bracket was never opened", self.text, token.position)
        group = self.groups.pop()
        node = self._finish(group, token.position)
        self.groups[-1].alternatives[-1].append(negation(node) if group.negated else node)

    def _binary(self, group: _Group, token: Token) -> None:
        if group.operator is not None or not group.alternatives[-1]:
            raise QueryError(f"{token.text} needs something on its left side", self.text, token.position)
        group.operator = token
        if token.kind == "OR":
            group.alternatives.append([])

    def _unary(self, group: _Group, token: Token) -> None:
        if token.kind == "+":
            group.plus = group.plus or token
        else:
            group.negate_next = not group.negate_next
        group.operator = token

    def _operand(self, node: Node) -> None:
        group = self.groups[-1]
        group.alternatives[-1].append(negation(node) if group.negate_next else node)
        group.negate_next, group.operator = False, None

    def _finish(self, group: _Group, end: int) -> Node:
        if group.operator is not None:
            raise QueryError(
                f"{group.operator.text} needs something on its right side", self.text, group.operator.position
            )
        if not group.alternatives[0]:
            where = "the query is empty" if len(self.groups) == 1 and end == len(self.text) else "there is nothing here"
            raise QueryError(
                f"{where}; * finds every story", self.text, min(group.position, max(len(self.text) - 1, 0))
            )
        if group.plus is not None and len(group.alternatives) > 1:
            raise QueryError("+ has no meaning beside OR; use AND and brackets", self.text, group.plus.position)
        return disjunction(conjunction(parts) for parts in group.alternatives)

    # ---------------------------------------------------------------------------------------------------- leaves

    def _leaf(self, token: Token, field: str) -> Node:
        self._count_words(token, 1)
        if field in DATE_FIELDS:
            return self._range(token, field)
        if field in VALUE_FIELDS:
            return self._value(token, field)
        if token.kind == "word" and token.text in ("*", "*:*") and field == ANY:
            return All()
        return self._words(token, field)

    def _count_words(self, token: Token, more: int) -> None:
        self.leaf_count += more
        if self.leaf_count > MAX_LEAVES:
            raise QueryError(f"a query may have at most {MAX_LEAVES:,} words", self.text, token.position)

    def _words(self, token: Token, field: str) -> Node:
        wild = any(is_wild for is_wild, _ in glob_parts(token.text))
        if wild:
            return self._wild_words(token, field)
        words, open_end = cut_query("".join(character for _, character in glob_parts(token.text)))
        return self._phrase(token, field, words, open_end)

    def _phrase(self, token: Token, field: str, words: tuple[str, ...], open_end: bool) -> Node:
        if not words:
            raise QueryError("there is no word here", self.text, token.position)
        if len(words) == 1:
            return Prefix(field, words[0]) if open_end else Term(field, words[0])
        self._count_words(token, len(words) - 1)
        if token.slop > MAX_SLOP:
            raise QueryError(f"a distance may be at most {MAX_SLOP:,} words", self.text, token.position)
        if token.slop and open_end:
            raise QueryError("the last word of a phrase with a distance must be whole", self.text, token.position)
        return Phrase(field, words, token.slop, open_end)

    def _wild_words(self, token: Token, field: str) -> Node:
        """A word with `*` or `?`. In a phrase, only a star at the very end has a meaning."""
        self._count_wildcard(token)
        body = token.text.rstrip("*")
        if body != token.text and not any(is_wild for is_wild, _ in glob_parts(body)) and not body.endswith("\\"):
            plain = "".join(character for _, character in glob_parts(body))
            words = cut(plain)
            if words and is_unspaced(words[-1]):
                return self._phrase(token, field, *cut_query(plain))
            if not words or not fold(plain).endswith(words[-1]):
                raise QueryError("a star must follow the beginning of a word", self.text, token.position)
            if len(words) == 1 and len(words[0]) < 2:
                raise QueryError("at least two letters must come before a star", self.text, token.position)
            return self._phrase(token, field, tuple(words), True)
        if token.kind == "phrase":
            raise QueryError(
                "inside quotes a star can only end the last word; write \\* for a plain one", self.text, token.position
            )
        return Wildcard(field, self._word_glob(token))

    def _word_glob(self, token: Token) -> str:
        pieces = [character if is_wild else fold(character) for is_wild, character in glob_parts(token.text)]
        literal = "".join(piece for piece in pieces if piece not in ("*", "?"))
        if len(cut(literal)) != 1 or cut(literal)[0] != literal or is_unspaced(literal[:2]):
            raise QueryError("a word with * or ? must be a single word", self.text, token.position)
        if pieces[0] in ("*", "?") or len(literal) < 2:
            raise QueryError(
                "a word with * or ? must begin with a letter and have at least two", self.text, token.position
            )
        return "".join(pieces)

    def _value(self, token: Token, field: str) -> Node:
        if not token.text.strip() or not token.text.isprintable():
            raise QueryError(f"this is not a value of {field}", self.text, token.position)
        parts = [(wild and character == "*", character) for wild, character in glob_parts(token.text)]
        if self.text[token.position] not in QUOTES and any(wild for wild, _ in parts):
            return self._wild_value(token, field, parts)
        value = "".join(character for _, character in parts).strip()
        if field == "source_id":
            if not (value.isascii() and value.isdigit() and len(value) < 19):
                raise QueryError("a source's id is a number", self.text, token.position)
            return Term(field, str(int(value)))
        return Term(field, value if field == "url" else fold(value))

    def _wild_value(self, token: Token, field: str, parts: list[tuple[bool, str]]) -> Node:
        self._count_wildcard(token)
        if field != "url":
            raise QueryError(
                f"* cannot be used in {field}; name the values, with OR between them", self.text, token.position
            )
        if len(parts) > MAX_WILD_LENGTH:
            raise QueryError(
                f"an address with a star may have at most {MAX_WILD_LENGTH} characters; this one has {len(parts):,}",
                self.text,
                token.position,
            )
        if parts[0][0]:
            self.open_wildcards += 1
            if self.open_wildcards > MAX_OPEN_WILDCARDS or all(wild for wild, _ in parts):
                raise QueryError(
                    f"at most {MAX_OPEN_WILDCARDS} addresses may begin with a star, and each needs letters",
                    self.text,
                    token.position,
                )
        if [wild for wild, _ in parts].index(True) == len(parts) - 1:
            return Prefix(field, "".join(character for _, character in parts[:-1]))
        return Wildcard(field, "".join(_escape(wild, character) for wild, character in parts))

    def _count_wildcard(self, token: Token) -> None:
        here = sum(wild for wild, _ in glob_parts(token.text))
        if here > MAX_WILDCARDS_EACH:
            raise QueryError(
                f"a word or address may have at most {MAX_WILDCARDS_EACH} stars and question marks; this one has {here:,}",
                self.text,
                token.position,
            )
        self.wildcards += here
        if self.wildcards > MAX_WILDCARDS:
            raise QueryError(
                f"a query may have at most {MAX_WILDCARDS} stars and question marks", self.text, token.position
            )

    # ---------------------------------------------------------------------------------------------------- ranges

    def _range(self, token: Token, field: str) -> Node:
        if found := _RANGE.fullmatch(token.text):
            low = self._bound(token, field, found[2], found.start(2))
            high = self._bound(token, field, found[3], found.start(3))
            first = None if low is None else low[0] if found[1] == "[" else low[1] + 1
            last = None if high is None else high[1] if found[4] == "]" else high[0] - 1
        elif found := _COMPARISON.fullmatch(token.text):
            span = self._bound(token, field, found[2], found.start(2))
            if span is None:
                raise QueryError("a comparison needs a date", self.text, token.position)
            first = {">": span[1] + 1, ">=": span[0]}.get(found[1])
            last = {"<": span[0] - 1, "<=": span[1]}.get(found[1])
        else:
            span = self._bound(token, field, token.text, 0)
            first, last = span or (None, None)
        if field == "indexed_date":
            first = None if first is None else min(max(first, 0), MAX_MOMENT)
            last = None if last is None else max(min(last, MAX_MOMENT), -1)
        return Range(field, first, last)

    def _bound(self, token: Token, field: str, text: str, offset: int) -> tuple[int, int] | None:
        text = text.strip('"')
        if text == "*":
            return None
        try:
            return day_span(text) if field == "publication_date" else moment_span(text)
        except ValueError:
            form = "2024-01-31, 2024-01 or 2024"
            if field == "indexed_date":
                form += ", or 2024-01-31T12:00:00"
            raise QueryError(f"a date is written {form}", self.text, token.position + offset) from None


def _escape(wild: bool, character: str) -> str:
    return "\\" + character if not wild and character in "*?\\" else character
