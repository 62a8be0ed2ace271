"""Whether the time that something takes grows with its input, and no faster."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
SIZES = (1, 2, 4, 8)
STEEPEST = 1.5
"""Time that grows with the input has a slope of 1 on a double logarithmic scale; with its square, 2."""
CLEAR = 1.25
"""A round that shows less needs no second: time that grows with the square looks so only if the smallest input took five times as
long as it should."""
NOISE = 0.0005
"""Seconds below which a measurement says nothing."""
_ROUNDS = 6


def assert_linear(work: Callable[[T], object], make: Callable[[int], T], count: int) -> None:
    """Compare the processor time for inputs of `count` parts and of two, four and eight times as many."""
    seconds = measured(work, [make(count * size) for size in SIZES])
    shown = ", ".join(f"{count * size}: {took:.4f} s" for size, took in zip(SIZES, seconds, strict=True))
    assert slope(seconds) < STEEPEST, f"time grows with the power {slope(seconds):.2f} of the input: {shown}"


def measured(work: Callable[[T], object], inputs: list[T]) -> list[float]:
    """The seconds of processor time that each input takes: the least of all rounds, in each of which all have their turn.

    There are as many rounds as it takes until the answer is clear, because a busy machine disturbs some of them.
    """
    best = [math.inf] * len(inputs)
    work(
        inputs[0]
    )  # what the first call alone has to do, as to import and to compile, would make the smallest look slow
    gc.disable()  # it looks at everything that other tests left, in the midst of ours
    try:
        for _ in range(_ROUNDS):
            for at, given in enumerate(inputs):
                started = time.process_time()
                work(given)
                best[at] = min(best[at], time.process_time() - started)
            if slope(best) < CLEAR:
                break
    finally:
        gc.enable()
    return best


def slope(seconds: list[float]) -> float:
    """The power of the input with which time grows: the line through all measurements, by least squares."""
    xs = [math.log(size) for size in SIZES]
    ys = [math.log(max(took, NOISE)) for took in seconds]
    middle_x, middle_y = sum(xs) / len(xs), sum(ys) / len(ys)
    across = sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True))
    return across / sum((x - middle_x) ** 2 for x in xs)
