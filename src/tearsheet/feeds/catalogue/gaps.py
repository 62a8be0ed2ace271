"""Gaps in what a source brings: days or weeks with far fewer stories than is usual for it.

A rule on plain numbers; `coverage.py` reads the numbers and says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

_REMEMBERED = 6
"""Of so many earlier days of the same weekday (or weeks), the middle one is what is usual."""
_LEAST_KNOWN = 2
LEAST_USUAL = 3.0
"""Where less than this is usual, nothing is missing when nothing comes."""
_FAR_FEWER = 0.25


@dataclass(slots=True, frozen=True)
class Gap:
    """Neighbouring steps, `first` to `last`, with `stories` where `usual` would be usual."""

    first: int
    last: int
    stories: int
    usual: float


def find_gaps(counts: Sequence[int], season: int) -> list[Gap]:
    """The gaps in counts of equal steps of time; a step is compared with those `season` steps apart, as Sundays with Sundays.

    What stands before the first story is not known, so it is no gap. An empty step inside a gap says nothing about what is
    usual: a source that fell silent stays a gap until it speaks again, but one that became slower is soon usual that way.
    """
    started = next((step for step, count in enumerate(counts) if count), len(counts))
    known: dict[int, list[int]] = {}
    gaps: list[Gap] = []
    for step in range(started, len(counts)):
        count = counts[step]
        before = known.setdefault(step % season, [])
        usual = float(median(before[-_REMEMBERED:])) if len(before) >= _LEAST_KNOWN else 0.0
        missing = usual >= LEAST_USUAL and count < usual * _FAR_FEWER
        if missing:
            if gaps and gaps[-1].last == step - 1:
                gap = gaps.pop()
                gaps.append(Gap(gap.first, step, gap.stories + count, gap.usual + usual))
            else:
                gaps.append(Gap(step, step, count, usual))
        if count or not missing:
            before.append(count)
    return gaps
