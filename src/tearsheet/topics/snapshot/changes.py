"""What changed between two snapshots of a topic: stories, links, and the communities of sources. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.snapshot.timespans import Counting, Figures, Timespan

ENTERED, LEFT, GAINED, LOST, MOVED = "entered", "left", "gained link", "lost link", "moved community"


@dataclass(slots=True, frozen=True)
class Change:
    """One difference between two snapshots."""

    change: str
    """`entered`, `left`, `gained link`, `lost link` or `moved community`."""
    subject: str
    """The address of a story, of the one with the link, or the source that moved."""
    before: str = ""
    """The community that it was in, named by its source that most others link to."""
    after: str = ""
    """The community that it is in; of a link, the address that it leads to."""
    title: str = ""


def changes_between(before: Frozen, after: Frozen) -> list[Change]:
    """What is different in the second snapshot: stories, then links, then sources, each in order of their names."""
    return [*_stories(before, after), *_links(before, after), *_moved(before, after)]


def _stories(before: Frozen, after: Frozen) -> Iterator[Change]:
    old, new = ({story.id: story for story in frozen.stories} for frozen in (before, after))
    for change, own, other in ((ENTERED, new, old), (LEFT, old, new)):
        only = (own[id] for id in own.keys() - other.keys())
        yield from sorted((Change(change, story.url, title=story.title) for story in only), key=lambda one: one.subject)


def _links(before: Frozen, after: Frozen) -> Iterator[Change]:
    old, new = ({(f.stories[a].id, f.stories[b].id) for a, b in f.links} for f in (before, after))
    url = {story.id: story.url for frozen in (before, after) for story in frozen.stories}
    for change, links in ((GAINED, new - old), (LOST, old - new)):
        changes = (Change(change, url[a], after=url[b]) for a, b in links)
        yield from sorted(changes, key=lambda one: (one.subject, one.after))


def _moved(before: Frozen, after: Frozen) -> Iterator[Change]:
    overall = Timespan("overall", None, None)
    old, new = (Counting(frozen).figures(overall) for frozen in (before, after))
    communities = [{medium.media: medium.community for medium in figures.media} for figures in (old, new)]
    same = same_communities(*communities)
    named = _names(old), _names(new)
    for source in sorted(communities[0].keys() & communities[1].keys()):
        was, is_now = communities[0][source], communities[1][source]
        if same.get(was) != is_now:
            yield Change(MOVED, source, named[0][was], named[1][is_now])


def same_communities(before: Mapping[str, int], after: Mapping[str, int]) -> dict[int, int]:
    """Which community of one snapshot is which of the other: those with most sources in common, each for one only.

    Their numbers say nothing, as they go by size. Ties go to the larger community, which has the lower number.
    """
    common = Counter((before[source], after[source]) for source in before.keys() & after.keys())
    same: dict[int, int] = {}
    taken: set[int] = set()
    for (old, new), _ in sorted(common.items(), key=lambda one: (-one[1], one[0])):
        if old not in same and new not in taken:
            same[old] = new
            taken.add(new)
    return same


def _names(figures: Figures) -> dict[int, str]:
    """The source of each community that most others link to: sources are in that order."""
    names: dict[int, str] = {}
    for medium in figures.media:
        names.setdefault(medium.community, medium.media)
    return names
