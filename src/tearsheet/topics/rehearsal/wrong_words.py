"""Which words the wrong matches have and the right ones have not, and what an exclusion of some would do to those judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tearsheet.topics.telling_words import TellingWord, telling_words

_LEAST = 2
"""A word of a single story tells of that story alone."""
_MOST_WORDS = 3

Words = Collection[str]
"""The words of one story."""


@dataclass(slots=True, frozen=True)
class Exclusion:
    """A clause that would leave wrong matches out, and no right one of those that were judged."""

    clause: str
    leaves_out: int
    """So many of the wrong ones."""


def words_of_wrong(wrong: Sequence[Words], right: Sequence[Words]) -> list[TellingWord]:
    """The words, from what speaks most for a wrong match to what speaks most for a right one; stories are what is counted."""
    counts = [Counter(word for words in stories for word in set(words)) for stories in (wrong, right)]
    return telling_words(counts[0], counts[1], at_least=_LEAST)


def exclusion_hint(wrong: Sequence[Words], right: Sequence[Words], rows: Sequence[TellingWord]) -> Exclusion | None:
    """A hint at a NOT, of words that several wrong stories have and no right one; None if there are no such words.

    Word by word, the one is taken that leaves out most of what is still there; of equals, the more telling one.
    """
    usable = [row.word for row in rows if row.first >= _LEAST and not row.second] if right else []
    left, chosen = [set(words) for words in wrong], list[str]()
    while usable and left and len(chosen) < _MOST_WORDS:
        best = max(usable, key=lambda word: sum(word in words for words in left))  # of equals, the first
        if not any(best in words for words in left):
            break
        chosen.append(best)
        left = [words for words in left if best not in words]
    if not chosen:
        return None
    clause = f"NOT {chosen[0]}" if len(chosen) == 1 else f"NOT ({' OR '.join(chosen)})"
    return Exclusion(clause, len(wrong) - len(left))
