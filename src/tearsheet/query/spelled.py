"""From the words of a leaf back to how they are written: pairs of a script without spaces become runs again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tearsheet.query.words import is_unspaced


@dataclass(slots=True, frozen=True)
class Piece:
    """A word between spaces, or a run of characters of a script without spaces."""

    text: str
    unspaced: bool
    open_end: bool
    """Whether the text may continue directly after it: it is a prefix of a word, or part of a run."""


def spelled(words: Sequence[str], open_end: bool = False) -> Iterator[Piece]:
    """The pieces that a sequence of words came from."""
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
    """The words as one text, with spaces where the script has them; a star where a spaced word may continue."""
    text, before = "", None
    for piece in spelled(words, open_end):
        text += (" " if before and before.unspaced == piece.unspaced else "") + piece.text
        before = piece
    return text + "*" if before and before.open_end and not before.unspaced else text
