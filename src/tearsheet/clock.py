"""Time, passed in as a value: a decision asks its clock, and a test hands it another one."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], float]
"""Seconds since 1970-01-01 UTC."""

wall_clock: Clock = time.time


def utc_now(clock: Clock = wall_clock) -> datetime:
    """The time as an aware UTC datetime."""
    return datetime.fromtimestamp(clock(), UTC)
