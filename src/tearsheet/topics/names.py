"""Names in a text: what is written with capitals where other words are not. No model and no list of names is asked.

So it finds people, places and organisations in languages that write only names with capitals; in German it finds all nouns, and
in scripts without capitals nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"[^\W\d_][\w’'-]*|[^\w\s]|\d+|[\n\r]")
"""A word, or something that no name goes across."""
_ENDS = frozenset('.!?…:|\n\r"“”„«»')
"""After these, the next word has a capital whatever it is."""
_POSSESSIVE = re.compile(r"(?:['’]s?|-)$")
_LONGEST = 5
"""Words of a name; more are a headline."""


@dataclass(slots=True, frozen=True)
class _Run:
    """Neighbouring words with capitals."""

    words: Sequence[str]
    begins: bool
    """Whether a sentence begins with it."""


def names_in(text: str) -> list[str]:
    """The names in a text, in order, each as often as it stands there.

    The first word of a sentence has a capital anyway. It belongs to a name if the text has it with a capital within a sentence,
    too; or if a word with a capital follows, and the text never has the first one without.
    """
    small: set[str] = set()
    runs = list(_runs(text, small))
    inside = {word for run in runs for word in (run.words[1:] if run.begins else run.words)}
    found = []
    for run in runs:
        words = run.words
        if run.begins and words[0] not in inside and (len(words) == 1 or words[0].lower() in small):
            words = words[1:]
        if 0 < len(words) <= _LONGEST:
            found.append(" ".join(words))
    return found


def _runs(text: str, small: set[str]) -> Iterator[_Run]:
    """The runs of words with capitals; words without are put into `small`."""
    words: list[str] = []
    begins = at_start = True
    for match in _TOKEN.finditer(text):
        token = match[0]
        word = _POSSESSIVE.sub("", token) if token[0].isalpha() else ""
        if len(word) > 1 and word[0].isupper():
            if not words:
                begins = at_start
            words.append(word)
        else:
            small.add(word)
        if words and words[-1] != token:  # a word without a capital, a mark, or the end of a possessive
            yield _Run(words, begins)
            words = []
        at_start = token in _ENDS or (at_start and not word)
    if words:
        yield _Run(words, begins)
