"""Split a query into tokens: words, phrases, values, ranges, operators and brackets, each with its position."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tearsheet.query.errors import QueryError
from tearsheet.query.tree import DATE_FIELDS, FIELD_NAMES, VALUE_FIELDS

QUOTES = '"\u201c\u201d\u201e\u201f\uff02\u00ab\u00bb'
"""Straight, curly and full-width double quotes: any of them opens and any closes."""
_FIELD = re.compile(r"([A-Za-z_]{2,}):\s*")
_SLOP = re.compile(r"~(\d{0,9})")
_RANGE = re.compile(r"([\[{])\s*(\S+)\s+TO\s+([^\s\]}]+)\s*([\]}])")
_COMPARISON = re.compile(r"([<>]=?)\s*([^\s()]+)")
_OPERATORS = {"AND": "AND", "OR": "OR", "NOT": "NOT", "&&": "AND", "||": "OR"}


@dataclass(slots=True, frozen=True)
class Token:
    """One token. `text` still holds its backslashes, so that an escaped star can be told from a wildcard."""

    kind: str
    """`word`, `phrase`, `value`, `range`, `field`, `AND`, `OR`, `NOT`, `+`, `(`, `)`."""
    text: str
    position: int
    slop: int = 0


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a query. Raises QueryError."""
    return _Lexer(text).run()


class _Lexer:
    """Walks through a query once, from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.fields: list[str] = []
        """For each open bracket, the field before it."""
        self.field = ""
        """The field of the next token, if it was just named."""

    def run(self) -> Iterator[Token]:
        text = self.text
        while True:
            while self.position < len(text) and text[self.position].isspace():
                self.position += 1
            if self.position >= len(text):
                return
            yield self._next()

    def _next(self) -> Token:
        field, self.field = self.field or (self.fields[-1] if self.fields else ""), ""
        start, character = self.position, self.text[self.position]
        if character in "()":
            return self._bracket(character, field)
        if token := self._field(field in VALUE_FIELDS):
            return token
        if operator := self._operator(character):
            return operator
        if character in QUOTES:
            return self._phrase(field)
        if field in DATE_FIELDS:
            return self._date()
        if character in "[{":
            raise QueryError(
                "a range needs a date field before it, as in publication_date:[2024-01-01 TO *]", self.text, start
            )
        return self._word(field)

    def _bracket(self, character: str, field: str) -> Token:
        token = Token(character, character, self.position)
        if character == "(":
            self.fields.append(field)
        elif self.fields:
            self.fields.pop()
        self.position += 1
        return token

    def _field(self, in_value: bool) -> Token | None:
        """The name of a field and its colon. A colon that ends an unknown word, or is inside a value, is just a colon."""
        found = _FIELD.match(self.text, self.position)
        if not found:
            return None
        name, end = found[1], found.end()
        if name not in FIELD_NAMES:
            if in_value or found[0][-1] != ":" or end == len(self.text):
                return None
            known = ", ".join(FIELD_NAMES)
            problem = f"there is no field {name!r}; fields are {known}; put text with a colon in quotes"
            raise QueryError(problem, self.text, self.position)
        if end == len(self.text):
            raise QueryError("nothing follows this field", self.text, self.position)
        token = Token("field", FIELD_NAMES[name], self.position)
        self.field = FIELD_NAMES[name]
        self.position = end
        return token

    def _operator(self, character: str) -> Token | None:
        start = self.position
        for sign, kind in _OPERATORS.items():
            end = start + len(sign)
            if self.text.startswith(sign, start) and (end >= len(self.text) or self._ends_word(self.text[end])):
                self.position = end
                return Token(kind, sign, start)
        follows = start + 1 < len(self.text) and not self.text[start + 1].isspace() and self.text[start + 1] != ")"
        if character in "+-!" and follows:
            self.position += 1
            return Token("+" if character == "+" else "NOT", character, start)
        return None

    @staticmethod
    def _ends_word(character: str) -> bool:
        return character.isspace() or character in "()" or character in QUOTES

    def _phrase(self, field: str) -> Token:
        start = self.position
        end = start + 1
        while end < len(self.text) and self.text[end] not in QUOTES:
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise QueryError("this quote is never closed", self.text, start)
        self.position = end + 1
        slop = 0
        if found := _SLOP.match(self.text, self.position):
            if not found[1]:
                raise QueryError('a distance needs a number, as in "a b"~5', self.text, self.position)
            slop = int(found[1])
            self.position = found.end()
        self._refuse_boost()
        kind = "value" if field in VALUE_FIELDS else "range" if field in DATE_FIELDS else "phrase"
        if slop and kind != "phrase":
            raise QueryError("a distance is only for words of the title or text", self.text, self.position)
        return Token(kind, self.text[start + 1 : end], start, slop)

    def _date(self) -> Token:
        start = self.position
        if found := _RANGE.match(self.text, start) or _COMPARISON.match(self.text, start):
            self.position = found.end()
            return Token("range", found[0], start)
        if self.text[start] in "[{":
            raise QueryError("a range is written [2024-01-01 TO 2024-01-31]; * stands for no limit", self.text, start)
        while (
            self.position < len(self.text)
            and not self.text[self.position].isspace()
            and self.text[self.position] not in "()"
        ):
            self.position += 1
        return Token("range", self.text[start : self.position], start)

    def _word(self, field: str) -> Token:
        """A bare word, or a bare value, which may contain paired brackets."""
        text, start, open_brackets = self.text, self.position, 0
        is_value = field in VALUE_FIELDS
        while self.position < len(text):
            character = text[self.position]
            if character == "\\":
                if self.position + 1 >= len(text):
                    raise QueryError("nothing follows this backslash", text, self.position)
                self.position += 2
                continue
            if character.isspace() or character in QUOTES:
                break
            if character in "()":
                open_brackets += 1 if character == "(" else -1
                if not is_value or open_brackets < 0:
                    break
            if not is_value and character in "~^":
                self._refuse_boost()
                raise QueryError(
                    "similar words (~) cannot be searched for; a star finds longer ones, and a distance needs quotes",
                    text,
                    self.position,
                )
            self.position += 1
        self.position = min(self.position, len(text))
        return Token("value" if is_value else "word", text[start : self.position], start)

    def _refuse_boost(self) -> None:
        if self.text.startswith("^", self.position):
            raise QueryError("weights (^) are not part of this language", self.text, self.position)
