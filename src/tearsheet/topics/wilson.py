"""How sure a share is that was counted in a random sample."""

from __future__ import annotations

import math

_Z = 1.959964
"""Of a normal distribution, 95 % lies within so many standard deviations."""


def wilson(count: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (E. B. Wilson, 1927); from 0 to 1 if nothing was counted.

    Unlike the one that adds and subtracts a standard error, it holds for small samples and for shares near 0 and 1.
    """
    if not of:
        return 0.0, 1.0
    share, square = count / of, _Z**2 / of
    middle, width = share + square / 2, _Z * math.sqrt(share * (1 - share) / of + square / (4 * of))
    low, high = (middle - width) / (1 + square), (middle + width) / (1 + square)
    return (low if count else 0.0), (high if count < of else 1.0)
