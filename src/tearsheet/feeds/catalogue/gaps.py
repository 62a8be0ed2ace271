"""Gaps in the stories of a source: days or weeks with far fewer stories than usual.

A rule on plain numbers; `coverage.py` reads the numbers and says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

_REMEMBERED = 6
"""The usual number is the median of this many earlier days of the same weekday (or of weeks)."""
_LEAST_KNOWN = 2
LEAST_USUAL = 3.0
"""Where fewer than this is usual, an empty step is not a gap."""
_FAR_FEWER = 0.25


@dataclass(slots=True, frozen=True)
class Gap:
    """Consecutive steps, `first` to `last`, with `stories` where `usual` were to be expected."""

    first: int
    last: int
    stories: int
    usual: float


def find_gaps(counts: Sequence[int], season: int) -> list[Gap]:
    """The gaps in counts of equal steps of time; a step is compared with those `season` steps apart, as Sundays with Sundays.

    Nothing is known of the time before the first story, so it is not a gap. An empty step inside a gap says nothing about what is
    usual: a source that fell silent stays a gap until it is heard from again, but the pace of one that slowed down is soon usual.
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
