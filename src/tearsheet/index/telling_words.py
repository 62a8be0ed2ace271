"""Which words say something about a subject: not numbers, nor the articles and particles that every text is full of."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tearsheet.query import cut

_SHORTEST = 2


def is_telling(word: str) -> bool:
    """Whether a word, as the index splits it, says anything about a subject.

    A single character of a script without spaces is the end of a run; the pairs before it say the same and more.
    """
    return len(word) >= _SHORTEST and not word.isdecimal() and word not in common_words()


@cache
def common_words() -> frozenset[str]:
    """Words that say nothing about a subject, in the languages of most news, as the index splits them."""
    lines = files("tearsheet.index").joinpath("common_words.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in cut(line))
