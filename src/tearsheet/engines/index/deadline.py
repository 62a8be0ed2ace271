"""The deadline of a question to the index, and what is told when it has passed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tearsheet.errors import TooSlow
from tearsheet.query import Query, expensive_part

QUERY_SECONDS = 2.0
"""The default of the setting `engines.query_seconds`."""
_LEAST_SECONDS = 0.001
SETTING = "engines.query_seconds"
_began: ContextVar[float | None] = ContextVar("began", default=None)
"""When the first of the questions that have one deadline together was asked."""


@contextmanager
def one_deadline() -> Iterator[None]:
    """Questions in this block, and their waits for a turn, have the time of one question together: somebody waits for them all."""
    if _began.get() is not None:
        yield
        return
    token = _began.set(time.monotonic())
    try:
        yield
    finally:
        _began.reset(token)


def seconds_left(seconds: float) -> float:
    """How much of a time that is allowed for a question is left for this one; never quite nothing, and 0 means any time."""
    began = _began.get()
    return seconds if began is None or not seconds else max(began + seconds - time.monotonic(), _LEAST_SECONDS)


def too_slow(query: Query, seconds: float, why: str = "") -> TooSlow:
    """The error for a query that was stopped. `why` says what happened, if not that the time was up."""
    problem = why or f"took longer than {seconds:g} s ({SETTING}) and was stopped"
    return TooSlow(f"this query {problem}; it has {expensive_part(query.tree)}, or allow more time")
