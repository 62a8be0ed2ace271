"""Drawing lots that everybody can draw again: an order of stories or links in which chance has put them, the same each time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from heapq import nsmallest
from typing import TypeVar

T = TypeVar("T")


def drawn(topic: str, things: Iterable[T], number: int, key: Callable[[T], str]) -> list[T]:
    """The first `number` things in the random order of a topic, known by their keys.

    The order depends on the name of the topic and on the keys alone. So the first of them are a random sample, the same one each
    time, and drawing more adds to it; things that come or go later leave the others in their order.
    """
    return nsmallest(number, things, key=lambda thing: _lot(topic, key(thing)))


def _lot(topic: str, key: str) -> bytes:
    return hashlib.sha256(f"{topic}\0{key}".encode("utf-8", "replace")).digest()
