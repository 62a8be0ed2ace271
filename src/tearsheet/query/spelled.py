"""Back from the words of a leaf to the way they are written: pairs of a script without blanks become runs again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tearsheet.query.words import is_unspaced


@dataclass(slots=True, frozen=True)
class Piece:
    """A word between blanks, or a run of characters of a script that writes none."""

    text: str
    unspaced: bool
    open_end: bool
    """Whether the text may go on directly behind it: a beginning of a word, or a part of a run."""


def spelled(words: Sequence[str], open_end: bool = False) -> Iterator[Piece]:
    """The pieces that a sequence of words was cut from."""
    run = ""
    for place, word in enumerate(words):
        last = place == len(words) - 1
        if not is_unspaced(word):
            yield Piece(word, False, open_end and last)
            continue
        run += word[0]
        if len(word) == 1:
            yield Piece(run, True, open_end and last)
            run = ""
        elif last:
            yield Piece(run + word[1], True, True)


def written(words: Sequence[str], open_end: bool = False) -> str:
    """The words as one text, with blanks where there are any; a star where a spaced word may go on."""
    text, before = "", None
    for piece in spelled(words, open_end):
        text += (" " if before and before.unspaced == piece.unspaced else "") + piece.text
        before = piece
    return text + "*" if before and before.open_end and not before.unspaced else text
