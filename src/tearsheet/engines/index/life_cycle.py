"""When an index on a search server is followed by another, and when an old one is removed.

The servers have such rules of their own (ISM, ILM), and we do not use them: they start a new index while the last one is still
written to and not refreshed, and a story could then be indexed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_DAY = 86_400.0


@dataclass(slots=True, frozen=True)
class LifeCycle:
    """What the settings say; 0 means no limit."""

    rollover_stories: int = 200_000_000
    rollover_bytes: int = 0
    rollover_days: float = 0.0
    keep_days: float = 0.0


@dataclass(slots=True, frozen=True)
class IndexPart:
    """One of the indices that together are the index."""

    name: str
    stories: int
    size: int
    """In bytes, without replicas."""
    created: float
    """In seconds since 1970."""


def is_full(life: LifeCycle, newest: IndexPart, now: float) -> bool:
    """Whether the index that is written to is to be followed by another. One without stories is not."""
    limits = (
        (newest.stories, life.rollover_stories),
        (newest.size, life.rollover_bytes),
        (now - newest.created, life.rollover_days * _DAY),
    )
    return newest.stories > 0 and any(most and value >= most for value, most in limits)


def kept_until(life: LifeCycle, parts: Sequence[IndexPart]) -> dict[str, float]:
    """When each of the indices, oldest first, may be removed: `keep_days` after the last story can have come into it.

    That is when the following one was made; the newest has no end.
    """
    if not life.keep_days:
        return {}
    return {part.name: following.created + life.keep_days * _DAY for part, following in pairwise(parts)}


def expired(life: LifeCycle, parts: Sequence[IndexPart], now: float) -> list[str]:
    """Which of the indices, oldest first, are to be removed."""
    return [name for name, until in kept_until(life, parts).items() if until <= now]
