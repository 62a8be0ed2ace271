"""Which stories a topic takes when it may not take all: those of the nearest iteration, in the order in which they were found.

Two limits say how many: the topic's size budget, and a cap for each source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from tearsheet.counts import how_many


class Found(NamedTuple):
    """One way in which a story was found: a seed, or a link of another story."""

    stories_id: str
    finder: int
    """The number of the story with the link; 0 for a seed."""
    place: int
    """The place of the link in that story, or of the seed among the seeds."""
    within: bool = False
    """Whether the link is within one source."""


class Waiting(NamedTuple):
    """A story that may be taken."""

    stories_id: str
    media: str
    self_linked: bool
    """Whether only links of its own source led to it."""


class Choice(NamedTuple):
    """The stories that are judged next, and those that their source has no room for."""

    taken: list[str]
    over_cap: list[str]


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


def self_linked(ways: Collection[Found]) -> set[str]:
    """The stories that only links of their own source led to."""
    return {way.stories_id for way in ways if way.within} - {way.stories_id for way in ways if not way.within}


def choose(waiting: Iterable[Waiting], room: int, cap: int, brought: Mapping[str, int]) -> Choice:
    """Which of the waiting stories, in their order, are judged next.

    No source brings more than `cap` stories by links within itself, or a trap with endless pages would fill the topic; `brought` is
    how many each has brought. What has no room only because of others that are still to be judged waits on.
    """
    choice, promised = Choice([], []), Counter(brought)
    for story in waiting:
        if story.self_linked and brought.get(story.media, 0) >= cap:
            choice.over_cap.append(story.stories_id)
        elif len(choice.taken) < room and (not story.self_linked or promised[story.media] < cap):
            promised[story.media] += story.self_linked
            choice.taken.append(story.stories_id)
    return choice


def said_of_budget(max_stories: int, left_out: int) -> str:
    """What a run says when its size budget left something out."""
    return f"the size budget of {how_many(max_stories, 'story')} is used up, {left_out:,} more over budget"
