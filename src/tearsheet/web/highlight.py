"""Marks the words of a text that a query asked for, and finds the passage with most of them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import re2
from markupsafe import Markup, escape

from tearsheet.query import (
    Leaf,
    Phrase,
    Prefix,
    Query,
    Term,
    Wildcard,
    cut,
    fold,
    glob_parts,
    is_separator,
    is_unspaced,
    leaves,
)

PASSAGE = 260
"""The length of a passage in characters."""
_BEFORE = 60
_SCANNED = 30_000
"""How many characters of a text are searched. If the only match comes later, the start of the text is shown."""
_LONGEST_PHRASE = 12
"""How many words of a phrase are compared; a longer one is marked as far as that."""
_PIECE = re.compile(r"\S+")
_WORD_FIELDS = {"": ("title", "text"), "article_title": ("title",), "text_content": ("text",)}

Span = tuple[int, int]


class _Blanked(dict[int, str]):
    """Maps separators to spaces and other characters to themselves, so that every text keeps its length."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        result = " " if fold(character) and is_separator(character) else character
        self[code] = result
        return result


_blanked = _Blanked()


@dataclass(slots=True)
class _Phrases:
    """Phrases that begin with the same word. Each place of a text is compared with all of them at once, by their lengths."""

    whole: dict[int, set[tuple[str, ...]]] = field(default_factory=dict)
    open_end: dict[tuple[str, ...], set[str]] = field(default_factory=dict)
    """How the last word of a phrase may begin, by the words before it."""

    def add(self, phrase: Phrase) -> None:
        words = phrase.words[:_LONGEST_PHRASE]
        if phrase.open_end and words == phrase.words:
            self.open_end.setdefault(words[:-1], set()).add(words[-1])
        else:
            self.whole.setdefault(len(words), set()).add(words)

    def lengths_at(self, words: Sequence[str], position: int) -> Iterator[int]:
        """How many words each phrase has that is at this position."""
        for count, phrases in self.whole.items():
            if tuple(words[position : position + count]) in phrases:
                yield count
        for before, starts in self.open_end.items():
            last = position + len(before)
            if last < len(words) and words[last].startswith(tuple(starts)) and tuple(words[position:last]) == before:
                yield len(before) + 1


@dataclass(slots=True)
class Highlighter:
    """What to mark in one field."""

    words: set[str] = field(default_factory=set)
    starts: set[str] = field(default_factory=set)
    globs: set[str] = field(default_factory=set)
    """Patterns of whole words."""
    phrases: dict[str, _Phrases] = field(default_factory=dict)
    """By their first words."""
    _known: dict[str, bool] = field(default_factory=dict)
    """Whether words that were met are marked: most are met again, in this text or the next."""

    def spans(self, text: str) -> list[Span]:
        """The positions of the marked words, in order and without overlap."""
        if not (self.words or self.starts or self.phrases or self.globs):
            return []
        words = list(words_with_positions(text[:_SCANNED]))
        wanted = self._wanted({word for word, _, _ in words})
        found = [(start, end) for word, start, end in words if wanted[word]]
        if self.phrases:
            found += self._phrase_spans(words)
        return merged(found)

    def _wanted(self, words: set[str]) -> dict[str, bool]:
        starts = tuple(self.starts)
        glob = re2.compile("|".join(f"(?:{pattern})" for pattern in self.globs)) if self.globs else None
        for word in words - self._known.keys():
            self._known[word] = (
                word in self.words or word.startswith(starts) or (glob is not None and bool(glob.fullmatch(word)))
            )
        return self._known

    def _phrase_spans(self, words: Sequence[tuple[str, int, int]]) -> Iterator[Span]:
        plain = [word for word, _, _ in words]
        for position, word in enumerate(plain):
            phrases = self.phrases.get(word)
            for count in phrases.lengths_at(plain, position) if phrases else ():
                yield words[position][1], words[position + count - 1][2]


def highlighters(query: Query) -> dict[str, Highlighter]:
    """What a query marks in the `title` and in the `text`. What it excludes is not marked."""
    made = {"title": Highlighter(), "text": Highlighter()}
    for leaf in leaves(query.tree, negated=False):
        for name in _WORD_FIELDS.get(getattr(leaf, "field", None) or "", ()) if _is_word_leaf(leaf) else ():
            _add(made[name], leaf)
    return made


def _is_word_leaf(leaf: Leaf) -> bool:
    return isinstance(leaf, Term | Phrase | Prefix | Wildcard) and leaf.field in _WORD_FIELDS


def _add(marks: Highlighter, leaf: Leaf) -> None:
    if isinstance(leaf, Term):
        marks.words.add(leaf.word)
    elif isinstance(leaf, Prefix):
        marks.starts.add(leaf.start)
    elif isinstance(leaf, Wildcard):
        marks.globs.add(_glob_pattern(leaf.glob))
    elif isinstance(leaf, Phrase) and leaf.slop:
        marks.words.update(leaf.words)
    elif isinstance(leaf, Phrase):
        marks.phrases.setdefault(leaf.words[0], _Phrases()).add(leaf)


def _glob_pattern(glob: str) -> str:
    wild = {"*": ".*", "?": "."}
    return "".join(wild[part] if is_wild else re2.escape(part) for is_wild, part in glob_parts(glob))


def words_with_positions(text: str) -> Iterator[tuple[str, int, int]]:
    """The words of a text, as an index sees them, with their start and end."""
    for piece in _PIECE.finditer(text.translate(_blanked)):
        words = cut(piece[0])
        if len(words) == 1 and not is_unspaced(words[0]):
            yield words[0], piece.start(), piece.end()
        elif any(is_unspaced(word) for word in words):
            yield from _unspaced_words(piece[0], piece.start())
        else:
            yield from ((word, piece.start(), piece.end()) for word in words)


def _unspaced_words(piece: str, offset: int) -> Iterator[tuple[str, int, int]]:
    """The words of a piece in a script without spaces: each character forms a word with its neighbour.

    Folding makes some rare characters longer; positions never go past the end because of that.
    """
    position, length = 0, len(piece)
    for word in cut(piece):
        start, end = min(position, length), min(position + len(word), length)
        yield word, offset + start, offset + end
        position += 1 if is_unspaced(word) else len(word)


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same spans in order and without overlaps."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def mark(text: str, spans: Sequence[Span], start: int = 0, end: int | None = None) -> Markup:
    """A part of a text, escaped, with the spans in `<mark>`."""
    end = len(text) if end is None else end
    parts, position = [], start
    for first, last in spans:
        if last <= start or first >= end:
            continue
        first, last = max(first, position), min(last, end)
        parts += [escape(text[position:first]), Markup("<mark>{}</mark>").format(text[first:last])]
        position = last
    parts.append(escape(text[position:end]))
    return Markup("").join(parts)


def passage(text: str, spans: Sequence[Span], length: int = PASSAGE) -> Markup:
    """The passage with most marks."""
    if not spans:
        return mark(text, (), 0, _word_end(text, length)) + ("…" if len(text) > length else "")
    starts = [span[0] for span in spans]
    best = max(
        range(len(spans)), key=lambda position: bisect_left(starts, starts[position] + length - _BEFORE) - position
    )
    start = max(0, starts[best] - _BEFORE)
    if start:
        blank = text.find(" ", start, starts[best])
        start = blank + 1 if blank >= 0 else start
    end = _word_end(text, start + length)
    lead, tail = ("…" if start else ""), ("…" if end < len(text) else "")
    return Markup("{}{}{}").format(lead, mark(text, spans, start, end), tail)


def _word_end(text: str, position: int) -> int:
    if position >= len(text):
        return len(text)
    blank = text.rfind(" ", max(0, position - 40), position + 1)
    return blank if blank > 0 else position
