"""Turns at something expensive: a few at a time, a few more that wait for them, and the rest are told to come back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tearsheet.engines.index.deadline import seconds_left
from tearsheet.errors import BusyError


class Turns:
    """At most `running` turns at a time; at most `waiting` threads wait for one, for `seconds` or what is left of them."""

    def __init__(self, running: int, waiting: int, seconds: float) -> None:
        self._free = threading.Semaphore(running)
        self._places = threading.Semaphore(running + waiting)
        self._seconds = seconds

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and keep it for the block. Raises BusyError."""
        if not self._places.acquire(blocking=False):
            raise _busy()
        try:
            if not self._free.acquire(timeout=seconds_left(self._seconds)):
                raise _busy()
            try:
                yield
            finally:
                self._free.release()
        finally:
            self._places.release()


def _busy() -> BusyError:
    return BusyError("too many expensive searches are running; try again in a few seconds, or ask for less at once")
