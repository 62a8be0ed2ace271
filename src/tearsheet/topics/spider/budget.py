"""Which stories a topic takes when it may not take all: those of the nearest iteration, in the order in which they were found."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from tearsheet.counts import how_many


class Found(NamedTuple):
    """One way in which a story was found: a seed, or a link of another story."""

    stories_id: str
    finder: int
    """The number of the story with the link; 0 for a seed."""
    place: int
    """The place of the link in that story, or of the seed among the seeds."""


def order_of_discovery(stories: Collection[str], ways: Iterable[Found]) -> list[str]:
    """Stories of one iteration by the first way in which each was found; those that no way leads to come last.

    Neither the order in which pages arrived nor the number of workers matters, because the numbers of finders were given by this
    same rule. Stories that were found in one place, as by addresses that lead to one another, are in order of their ids.
    """
    first: dict[str, tuple[int, int]] = {}
    for way in ways:
        if way.stories_id not in first or (way.finder, way.place) < first[way.stories_id]:
            first[way.stories_id] = (way.finder, way.place)
    return sorted(stories, key=lambda id: (id not in first, first.get(id, ()), id))


def said_of_budget(max_stories: int, left_out: int) -> str:
    """What a run says when its size budget left something out."""
    return f"the size budget of {how_many(max_stories, 'story')} is used up, {left_out:,} more over budget"
