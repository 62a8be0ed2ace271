"""How a topic came about: its definition, what was found and left out at each step, and what people decided.

It is kept with each snapshot, so that what is said of an old one stays true. No page is named in it, so nothing in it has to be
erased with a story.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec


class Decided(msgspec.Struct, frozen=True):
    """Decisions of one kind for one reason."""

    kind: str
    reason: str
    count: int
    what: str = ""
    """The sources, or the part of the definition, that they are about; of pages only the number is kept."""


class Record(msgspec.Struct, frozen=True):
    """How a topic had come about at one moment."""

    taken_at: datetime
    version: str
    """Of Tearsheet."""
    topic: str
    query: str
    explained: str
    """Query, dates, sources and collections of the seeds in English, without a full stop."""
    max_iterations: int
    max_stories: int
    max_self_linked: int | None
    """How many stories one source might bring by links within itself; None if that is not known."""
    seconds_per_media_fetch: float
    created_at: datetime
    runs: tuple[datetime, ...]
    """When runs were completed."""
    seeds: dict[str, int]
    """By where they come from: `index`, `url`, `csv` or `post`."""
    assumed: int
    """How many of them belong to the topic whatever their text says."""
    posts: int
    asked: dict[str, int]
    """Addresses by what became of them: the states of `topic_fetch_urls`."""
    stories: dict[str, int]
    """Stories by what became of them: the states of `topic_stories`."""
    left_out: dict[str, int]
    """Those that were judged and do not belong: `no match`, `outside dates`, `by hand`, `error` or `other`."""
    iterations: dict[int, int]
    """How many stories of the topic each iteration brought."""
    put_off: int
    """Addresses and stories that waited for another try."""
    decided: tuple[Decided, ...]

    def plain(self) -> Any:
        """The same in dictionaries and lists, for JSON."""
        return msgspec.to_builtins(self)
