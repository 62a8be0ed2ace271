"""Keeps an answer for a while, longer the more it cost, so that many viewers cost no more than one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

from tearsheet.clock import Clock

T = TypeVar("T")
TIMES_ITS_COST = 10.0


class Remembered(Generic[T]):
    """One answer, recomputed once ten times the time it took to compute has passed."""

    def __init__(self, clock: Clock = monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._value: T | None = None
        self._until = float("-inf")

    def get(self, make: Callable[[], T]) -> T:
        """The answer; callers that arrive while it is being computed wait for it."""
        with self._lock:
            begun = self._clock()
            if self._value is None or begun >= self._until:
                self._value = make()
                ended = self._clock()
                self._until = ended + TIMES_ITS_COST * (ended - begun)
            return self._value
