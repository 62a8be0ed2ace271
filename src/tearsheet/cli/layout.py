"""How rows are laid out for people: a table if it fits, or else a block of lines for each row.

No address is ever broken or cut, however narrow the terminal is: it could be neither copied nor clicked. Other text is wrapped
between words.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from tearsheet.cli.pieces import Line, Piece
from tearsheet.terminal import cells, is_address

_GAP = "  "
_LEAST_TEXT = 24
"""The narrowest last column that is still read with ease."""
_LEAST_BLOCK = 20
_LONG = 100
"""In a file or a pipe, a value that is longer stands out of its column: filling up all other rows would hide what they say."""


def rows_as_lines(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int | None) -> Iterator[Line]:
    """Rows of clean text within `width` columns; None means that there is no limit, as in a file or a pipe.

    Without headings, rows are facts of one thing, each with its name: they stay a table, in which an address is not broken.
    """
    columns = [[cells(value) for value in column] for column in zip(headings, *rows, strict=True)]
    if width is None:
        yield from _table(
            headings, rows, [max(n for n in column if n <= _LONG or n == column[0]) for column in columns], None
        )
        return
    widths = [max(column) for column in columns]
    total = sum(widths) + len(_GAP) * (len(widths) - 1)
    room = width - (total - widths[-1])
    if total <= width:
        yield from _table(headings, rows, widths, None)
    elif room >= _LEAST_TEXT and (not any(headings) or not any(is_address(row[-1]) for row in rows)):
        yield from _table(headings, rows, [*widths[:-1], room], room)
    else:
        yield from _blocks(headings, rows, width)


def _table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int], last: int | None
) -> Iterator[Line]:
    """A line for each row; the last column is wrapped at `last` columns, if that is given."""
    if any(headings):
        yield [Piece(_GAP.join(_padded(headings, widths)).rstrip(), "bold")]
    indent = " " * (sum(widths[:-1]) + len(_GAP) * (len(widths) - 1))
    for row in rows:
        first, *more = _wrapped(row[-1], last) if last else [row[-1]]
        yield _linked(_padded([*row[:-1], first], widths))
        for text in more:
            yield [Piece(indent + text)]


def _padded(values: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The values, each but the last filled up with blanks."""
    filled = [value + " " * (width - cells(value)) for value, width in zip(values[:-1], widths, strict=False)]
    return [*filled, values[-1]]


def _linked(values: Sequence[str]) -> Line:
    pieces: list[Piece] = []
    for number, value in enumerate(values):
        text = value.rstrip()
        gap = value[len(text) :] + (_GAP if number < len(values) - 1 else "")
        pieces += [Piece(text, link=is_address(text)), Piece(gap)]
    return pieces


def _blocks(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[Line]:
    """Each row as lines of a heading and its value, with an empty line between two rows."""
    label = max(map(cells, headings))
    room = max(width - label - len(_GAP), _LEAST_BLOCK)
    for number, row in enumerate(rows):
        if number:
            yield []
        for heading, value in zip(headings, row, strict=True):
            for line, text in enumerate(_wrapped(value, room)):
                name = heading if line == 0 else ""
                filled = name + " " * (label - cells(name)) + _GAP if label else ""
                yield [Piece(filled, "dim"), Piece(text, link=is_address(text))]


def _wrapped(text: str, width: int) -> list[str]:
    """The text in lines that break between words; a word that is too long, as an address is, stays whole."""
    if cells(text) <= width:
        return [text]
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def story_lines(title: str, facts: Sequence[str], url: str, width: int | None) -> Iterator[Line]:
    """One story: its title, what is known of it, and its address on a line of its own."""
    for text in _wrapped(title or "(without a title)", width) if width else [title or "(without a title)"]:
        yield [Piece(text, "bold")]
    about = " · ".join(fact for fact in facts if fact)
    for text in _wrapped(about, width) if width else [about]:
        yield [Piece(text, "dim")]
    yield [Piece(url, link=True)]
