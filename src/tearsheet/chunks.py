"""Some items at a time: what a statement, a request or the memory can take at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
IN_ONE_STATEMENT = 500
"""Values that every database takes in one statement."""


def chunks(items: Iterable[T], size: int = IN_ONE_STATEMENT) -> Iterator[list[T]]:
    """The items in order, in lists of `size`; only the last may be shorter."""
    waiting = iter(items)
    while chunk := list(islice(waiting, size)):
        yield chunk
