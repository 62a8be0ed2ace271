"""Shares as people read them: in percent, with as many digits as a small one needs."""

from __future__ import annotations

from math import floor, log10

_MOST_DIGITS = 12


class Share(float):
    """A fraction of a whole, which people read in percent and programs as it is."""


def in_percent(share: float) -> str:
    """A share in percent: one digit after the point, for small shares two that say something. Only nothing is `0 %`."""
    percent = 100 * share
    if percent == 0:
        return "0 %"
    digits = 1 if abs(percent) >= 1 else min(1 - floor(log10(abs(percent))), _MOST_DIGITS)
    return f"{percent:,.{digits}f} %"
