"""Which words tell two groups of texts apart, and how surely: counts of words in, words in order of their weight out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

SURE = 1.96
"""A word with a `z` beyond this, on either side, would differ that much by chance in one case of twenty."""


@dataclass(slots=True, frozen=True)
class TellingWord:
    """A word, and how much more often one group has it than the other."""

    word: str
    first: int
    """How often the first group has it."""
    second: int
    log_odds: float
    """The logarithm of the ratio of the word's odds in the two groups: above 0 it speaks for the first, below for the second."""
    z: float
    """`log_odds` by its standard error: what is rare has a small one, however large its ratio."""


def telling_words(first: Mapping[str, int], second: Mapping[str, int], *, at_least: int = 1) -> list[TellingWord]:
    """The words of two groups, from what speaks most for the first group to what speaks most for the second.

    What is counted is up to the caller: occurrences, or texts that have the word, which keeps one long text from deciding. The
    weight is the log-odds ratio with an informative Dirichlet prior (Monroe, Colaresi and Quinn, *Fightin' Words*, 2008). The prior
    is the words of both groups together, and weighs as much as the smaller group: a word that only one group has gets
    no infinite odds, and common words that both use alike need no stop list. Words of which there are fewer than `at_least`
    in both together are left out of the answer, not of the sums. Equal weights are in the order of the alphabet.
    """
    totals = sum(first.values()), sum(second.values())
    both = {word: count for word in first.keys() | second.keys() if (count := first.get(word, 0) + second.get(word, 0))}
    if not all(totals) or len(both) < 2:
        return []  # without words on one side, or with one word on both, nothing can be told
    weight = min(totals)
    share = weight / sum(totals)
    found = []
    for word, together in both.items():
        if together < at_least:
            continue
        prior, counts = together * share, (first.get(word, 0), second.get(word, 0))
        odds = [_log_odds(count + prior, total + weight) for count, total in zip(counts, totals, strict=True)]
        error = math.sqrt(sum(1 / (count + prior) for count in counts))
        found.append(TellingWord(word, *counts, odds[0] - odds[1], (odds[0] - odds[1]) / error))
    return sorted(found, key=lambda row: (-row.z, row.word))


def _log_odds(count: float, total: float) -> float:
    return math.log(count / (total - count))
