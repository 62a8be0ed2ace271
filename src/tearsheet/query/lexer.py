"""Cut a query into tokens: words, phrases, values, ranges, operators and brackets, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tearsheet.query.errors import QueryError
from tearsheet.query.tree import DATE_FIELDS, FIELD_NAMES, VALUE_FIELDS

QUOTES = '"\u201c\u201d\u201e\u201f\uff02\u00ab\u00bb'
"""Straight, curly and full-width double quotes: any of them opens, any of them closes."""
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
        self.place = 0
        self.fields: list[str] = []
        """For each open bracket, the field that stands before it."""
        self.field = ""
        """The field that the next token belongs to, when it was named just now."""

    def run(self) -> Iterator[Token]:
        text = self.text
        while True:
            while self.place < len(text) and text[self.place].isspace():
                self.place += 1
            if self.place >= len(text):
                return
            yield self._next()

    def _next(self) -> Token:
        field, self.field = self.field or (self.fields[-1] if self.fields else ""), ""
        start, character = self.place, self.text[self.place]
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
        token = Token(character, character, self.place)
        if character == "(":
            self.fields.append(field)
        elif self.fields:
            self.fields.pop()
        self.place += 1
        return token

    def _field(self, in_value: bool) -> Token | None:
        """The name of a field and its colon. A colon that ends an unknown word, or stands in a value, is only a colon."""
        found = _FIELD.match(self.text, self.place)
        if not found:
            return None
        name, end = found[1], found.end()
        if name not in FIELD_NAMES:
            if in_value or found[0][-1] != ":" or end == len(self.text):
                return None
            known = ", ".join(FIELD_NAMES)
            problem = f"there is no field {name!r}; fields are {known}; put text with a colon in quotes"
            raise QueryError(problem, self.text, self.place)
        if end == len(self.text):
            raise QueryError("nothing follows this field", self.text, self.place)
        token = Token("field", FIELD_NAMES[name], self.place)
        self.field = FIELD_NAMES[name]
        self.place = end
        return token

    def _operator(self, character: str) -> Token | None:
        start = self.place
        for sign, kind in _OPERATORS.items():
            end = start + len(sign)
            if self.text.startswith(sign, start) and (end >= len(self.text) or self._ends_word(self.text[end])):
                self.place = end
                return Token(kind, sign, start)
        follows = start + 1 < len(self.text) and not self.text[start + 1].isspace() and self.text[start + 1] != ")"
        if character in "+-!" and follows:
            self.place += 1
            return Token("+" if character == "+" else "NOT", character, start)
        return None

    @staticmethod
    def _ends_word(character: str) -> bool:
        return character.isspace() or character in "()" or character in QUOTES

    def _phrase(self, field: str) -> Token:
        start = self.place
        end = start + 1
        while end < len(self.text) and self.text[end] not in QUOTES:
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise QueryError("this quote is never closed", self.text, start)
        self.place = end + 1
        slop = 0
        if found := _SLOP.match(self.text, self.place):
            if not found[1]:
                raise QueryError('a distance needs a number, as in "a b"~5', self.text, self.place)
            slop = int(found[1])
            self.place = found.end()
        self._refuse_boost()
        kind = "value" if field in VALUE_FIELDS else "range" if field in DATE_FIELDS else "phrase"
        if slop and kind != "phrase":
            raise QueryError("a distance is only for words of the title or text", self.text, self.place)
        return Token(kind, self.text[start + 1 : end], start, slop)

    def _date(self) -> Token:
        start = self.place
        if found := _RANGE.match(self.text, start) or _COMPARISON.match(self.text, start):
            self.place = found.end()
            return Token("range", found[0], start)
        if self.text[start] in "[{":
            raise QueryError("a range is written [2024-01-01 TO 2024-01-31]; * stands for no limit", self.text, start)
        while self.place < len(self.text) and not self.text[self.place].isspace() and self.text[self.place] not in "()":
            self.place += 1
        return Token("range", self.text[start : self.place], start)

    def _word(self, field: str) -> Token:
        """A bare word, or a bare value, which may hold brackets in pairs."""
        text, start, open_brackets = self.text, self.place, 0
        is_value = field in VALUE_FIELDS
        while self.place < len(text):
            character = text[self.place]
            if character == "\\":
                if self.place + 1 >= len(text):
                    raise QueryError("nothing follows this backslash", text, self.place)
                self.place += 2
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
                    "a similar word (~) cannot be looked for; a star finds longer ones, and a distance needs quotes",
                    text,
                    self.place,
                )
            self.place += 1
        self.place = min(self.place, len(text))
        return Token("value" if is_value else "word", text[start : self.place], start)

    def _refuse_boost(self) -> None:
        if self.text.startswith("^", self.place):
            raise QueryError("weights (^) are not part of this language", self.text, self.place)
