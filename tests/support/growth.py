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
NOISE = 0.0005
"""Seconds below which a measurement says nothing."""
_ROUNDS = 3


def assert_linear(work: Callable[[T], object], make: Callable[[int], T], count: int) -> None:
    """Compare the processor time for inputs of `count` parts and of two, four and eight times as many."""
    seconds = measured(work, [make(count * size) for size in SIZES])
    if slope(seconds) >= STEEPEST:  # a busy machine can disturb one round, not two
        seconds = [
            min(pair) for pair in zip(seconds, measured(work, [make(count * size) for size in SIZES]), strict=True)
        ]
    shown = ", ".join(f"{count * size}: {took:.4f} s" for size, took in zip(SIZES, seconds, strict=True))
    assert slope(seconds) < STEEPEST, f"time grows with the power {slope(seconds):.2f} of the input: {shown}"


def measured(work: Callable[[T], object], inputs: list[T]) -> list[float]:
    """The seconds of processor time that each input takes: the least of several rounds, in each of which all have their turn."""
    best = [math.inf] * len(inputs)
    gc.disable()  # it looks at everything that other tests left, in the midst of ours
    try:
        for _ in range(_ROUNDS):
            for at, given in enumerate(inputs):
                started = time.process_time()
                work(given)
                best[at] = min(best[at], time.process_time() - started)
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
