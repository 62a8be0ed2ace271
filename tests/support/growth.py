"""Whether the time that something takes grows with its input, and no faster."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 4
BOUND = 12
"""Four times the input takes four times as long when time grows linearly, and sixteen times when it grows with the square."""
NOISE = 0.005
"""Seconds below which a measurement says nothing."""


def assert_linear(work: Callable[[str], object], make: Callable[[int], str], count: int) -> None:
    """Compare the processor time for inputs of `count` and of four times as many parts; each is the best of several."""
    small, large = _seconds(work, make(count)), _seconds(work, make(TIMES * count))
    assert large < BOUND * max(small, NOISE), f"{count}: {small:.4f} s, {TIMES * count}: {large:.4f} s"


def _seconds(work: Callable[[str], object], text: str) -> float:
    best = float("inf")
    for _ in range(5):
        started = time.process_time()
        work(text)
        best = min(best, time.process_time() - started)
    return best
