"""The figures of a snapshot: for each timespan the stories, sources and links in it, and their counts. Pure functions."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta

from tearsheet.topics.network import communities, pagerank
from tearsheet.topics.snapshot_store import Frozen, FrozenStory

PERIODS = ("overall", "weekly", "monthly", "custom")


@dataclass(slots=True, frozen=True)
class Timespan:
    """A part of a topic: by time, and by focus where there is one."""

    period: str
    start: date | None
    end: date | None
    """Both days included; None for the overall timespan."""
    focus: str = ""

    @property
    def name(self) -> str:
        """A name that can be part of a file's."""
        days = f"-{self.start}-{self.end}" if self.start else ""
        focus = "".join(c if c.isalnum() else "-" for c in self.focus)
        return f"{self.period}{days}" + (f"-{focus}" if focus else "")


@dataclass(slots=True, frozen=True)
class StoryCounts:
    """A story in a timespan. Links count between different sources only: a paper that cites itself says nothing."""

    story: FrozenStory
    media_inlink_count: int
    """Sources that link to it."""
    inlink_count: int
    outlink_count: int
    facebook_share_count: int | None
    pagerank: float
    community: int


@dataclass(slots=True, frozen=True)
class MediumCounts:
    """A source in a timespan."""

    media: str
    story_count: int
    media_inlink_count: int
    """Sources that link to it."""
    sum_media_inlink_count: int
    inlink_count: int
    outlink_count: int
    facebook_share_count: int | None
    pagerank: float
    community: int


@dataclass(slots=True, frozen=True)
class Figures:
    """All figures of a timespan, in a fixed order."""

    timespan: Timespan
    stories: tuple[StoryCounts, ...]
    media: tuple[MediumCounts, ...]
    story_links: tuple[tuple[str, str], ...]
    medium_links: tuple[tuple[str, str, int], ...]


def timespans_of(frozen: Frozen) -> list[Timespan]:
    """The overall timespan, the weeks (from Monday), the months, the custom ones; then the overall one of each focus."""
    days = [story.day for story in frozen.stories if story.day]
    found = [Timespan("overall", None, None)]
    if days:
        first, last = frozen.start or min(days), frozen.end or max(days)
        monday = first - timedelta(days=first.weekday())
        while monday <= last:
            found.append(Timespan("weekly", monday, monday + timedelta(days=6)))
            monday += timedelta(days=7)
        month = first.replace(day=1)
        while month <= last:
            following = (month + timedelta(days=32)).replace(day=1)
            found.append(Timespan("monthly", month, following - timedelta(days=1)))
            month = following
    found += [Timespan("custom", start, end) for start, end in frozen.timespans]
    return found + [Timespan("overall", None, None, name) for name, _ in frozen.foci]


def all_figures(frozen: Frozen, workers: int = 4) -> list[Figures]:
    """The figures of all timespans, computed side by side."""
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda timespan: figures(frozen, timespan), timespans_of(frozen)))


def figures(frozen: Frozen, timespan: Timespan) -> Figures:
    """The figures of one timespan.

    A story belongs to it by its own day, or because a story of another source that has its day in it links to it. A link counts
    when the story that makes it is dated inside.
    """
    stories = frozen.stories
    chosen = [timespan.focus in story.foci if timespan.focus else True for story in stories]
    inside = [ok and _is_inside(story, timespan) for ok, story in zip(chosen, stories, strict=True)]
    links = [(a, b) for a, b in frozen.links if inside[a] and chosen[b] and stories[a].media != stories[b].media]
    members = sorted({number for number, ok in enumerate(inside) if ok} | {b for _, b in links})
    return _count(frozen, timespan, members, links)


def _is_inside(story: FrozenStory, timespan: Timespan) -> bool:
    if timespan.start is None or timespan.end is None:
        return True
    return story.day is not None and timespan.start <= story.day <= timespan.end


def _count(frozen: Frozen, timespan: Timespan, members: list[int], links: list[tuple[int, int]]) -> Figures:
    stories = frozen.stories
    inlinks: Counter[int] = Counter(b for _, b in links)
    outlinks: Counter[int] = Counter(a for a, _ in links)
    by_media = Counter(b for b, _ in {(b, stories[a].media) for a, b in links})
    medium_links = Counter((stories[a].media, stories[b].media) for a, b in links)
    names = sorted({stories[number].media for number in members})
    place = {number: i for i, number in enumerate(members)}
    rank = pagerank(len(members), [(place[a], place[b], 1.0) for a, b in links])
    medium_place = {name: i for i, name in enumerate(names)}
    edges = [(medium_place[a], medium_place[b], float(n)) for (a, b), n in sorted(medium_links.items())]
    medium_rank = pagerank(len(names), edges)
    groups = communities(len(names), edges)
    of_medium = {name: groups[i] for i, name in enumerate(names)}
    counted = [
        StoryCounts(
            stories[number],
            by_media[number],
            inlinks[number],
            outlinks[number],
            stories[number].facebook_shares,
            rank[place[number]],
            of_medium[stories[number].media],
        )
        for number in members
    ]
    counted.sort(key=lambda row: (-row.media_inlink_count, -row.inlink_count, row.story.id))
    media = _count_media(names, counted, medium_links, medium_rank, of_medium)
    story_links = sorted((stories[a].id, stories[b].id) for a, b in links)
    return Figures(
        timespan,
        tuple(counted),
        tuple(media),
        tuple(story_links),
        tuple((a, b, n) for (a, b), n in sorted(medium_links.items())),
    )


def _count_media(
    names: list[str],
    counted: list[StoryCounts],
    medium_links: Counter[tuple[str, str]],
    rank: list[float],
    of_medium: dict[str, int],
) -> list[MediumCounts]:
    linking = Counter(target for _, target in medium_links)
    number: Counter[str] = Counter()
    sums: dict[str, list[int]] = {name: [0, 0, 0] for name in names}
    shares: dict[str, int | None] = dict.fromkeys(names)
    for row in counted:
        name = row.story.media
        number[name] += 1
        for i, value in enumerate((row.media_inlink_count, row.inlink_count, row.outlink_count)):
            sums[name][i] += value
        if row.facebook_share_count is not None:
            shares[name] = (shares[name] or 0) + row.facebook_share_count
    rows = [
        MediumCounts(
            name,
            number[name],
            linking[name],
            sums[name][0],
            sums[name][1],
            sums[name][2],
            shares[name],
            rank[i],
            of_medium[name],
        )
        for i, name in enumerate(names)
    ]
    return sorted(rows, key=lambda row: (-row.media_inlink_count, -row.story_count, row.media))
