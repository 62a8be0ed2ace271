"""The figures of a snapshot: for each timespan the stories, sources and links in it, and their counts. Pure functions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tearsheet.topics.model import file_part
from tearsheet.topics.snapshot.frozen import Frozen, FrozenPost, FrozenStory
from tearsheet.topics.snapshot.network import communities, pagerank

Numbers = npt.NDArray[np.int64]


@dataclass(slots=True, frozen=True)
class Timespan:
    """A part of a topic: by time, and by focus where there is one."""

    period: str
    start: date | None
    end: date | None
    """Both days included; None for the overall timespan."""
    focus: str = ""

    def includes(self, day: date) -> bool:
        """Whether a day falls inside."""
        return self.start is None or self.end is None or self.start <= day <= self.end

    @property
    def name(self) -> str:
        """A name that can be part of a file name."""
        focus = file_part(self.focus)
        return self.days + (f"-{focus}" if focus else "")

    @property
    def days(self) -> str:
        """The part of the name that tells the time; timespans of several foci have it in common."""
        return f"{self.period}-{self.start}-{self.end}" if self.start else self.period


class PostCounts(NamedTuple):
    """The posts of a timespan that named a story's address: how many, by how many people, in how many channels."""

    posts: int = 0
    authors: int = 0
    channels: int = 0


@dataclass(slots=True, frozen=True)
class StoryCounts:
    """A story in a timespan. Only links between different sources count: a paper that cites itself says nothing."""

    story: FrozenStory
    media_inlink_count: int
    """Sources that link to it."""
    inlink_count: int
    outlink_count: int
    facebook_share_count: int | None
    posts: PostCounts
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
    post_count: int
    """A sum over the source's stories, like the counts around it."""
    author_count: int
    channel_count: int
    pagerank: float
    community: int
    foci: tuple[str, ...] = ()
    """The foci of its stories, that of the most stories first."""


@dataclass(slots=True, frozen=True)
class Figures:
    """All figures of a timespan, in a fixed order."""

    timespan: Timespan
    stories: tuple[StoryCounts, ...]
    media: tuple[MediumCounts, ...]
    story_links: tuple[tuple[str, str, str], ...]
    """From which story to which, and the sentence around the link."""
    medium_links: tuple[tuple[str, str, int], ...]


def timespans_of(frozen: Frozen) -> list[Timespan]:
    """The overall timespan, weeks (from Monday), months and custom timespans; then the same of each focus."""
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
    return found + [replace(timespan, focus=name) for name, _ in frozen.foci for timespan in found]


class Counting:
    """Counts the timespans of a frozen topic. What they all need is prepared once."""

    def __init__(self, frozen: Frozen) -> None:
        self.frozen = frozen
        stories = frozen.stories
        self._names = sorted({story.media for story in stories})
        number = {name: i for i, name in enumerate(self._names)}
        self._media = np.array([number[story.media] for story in stories], dtype=np.int64)
        self._day = np.array([story.day.toordinal() if story.day else 0 for story in stories], dtype=np.int64)
        links = np.array(frozen.links, dtype=np.int64).reshape(-1, 2)
        between = self._media[links[:, 0]] != self._media[links[:, 1]]
        self._source, self._target = links[between, 0], links[between, 1]
        self._sentences = dict(zip(frozen.links, frozen.sentences, strict=False))

    def figures(self, timespan: Timespan) -> Figures:
        """The figures of one timespan.

        A story belongs to it if its own day falls inside, or if a story of another source whose day falls inside links to it.
        A link counts if the linking story's day falls inside.
        """
        chosen = self.in_focus(timespan.focus)
        inside = self.dated_inside(timespan)
        counts = inside[self._source] & chosen[self._target]
        source, target = self._source[counts], self._target[counts]
        inside[target] = True
        return self._count(timespan, np.flatnonzero(inside), source, target)

    def in_focus(self, focus: str) -> npt.NDArray[np.bool_]:
        """Which stories belong to a focus; all of them without one."""
        if not focus:
            return np.ones(len(self._media), dtype=np.bool_)
        return np.array([focus in story.foci for story in self.frozen.stories], dtype=np.bool_)

    def dated_inside(self, timespan: Timespan) -> npt.NDArray[np.bool_]:
        """Which stories of a timespan's focus have their own day inside."""
        chosen = self.in_focus(timespan.focus)
        if timespan.start is None or timespan.end is None:
            return chosen
        return chosen & (timespan.start.toordinal() <= self._day) & (self._day <= timespan.end.toordinal())

    def _count(self, timespan: Timespan, members: Numbers, source: Numbers, target: Numbers) -> Figures:
        stories, all_media, media = self.frozen.stories, len(self._names), self._media
        present = np.unique(media[members])
        names = [self._names[i] for i in present.tolist()]
        pairs, weights = np.unique(media[source] * all_media + media[target], return_counts=True)
        medium_source = np.searchsorted(present, pairs // all_media)
        medium_target = np.searchsorted(present, pairs % all_media)
        edges = np.stack([medium_source, medium_target, weights], axis=1).astype(np.float64)
        groups = communities(len(names), edges)
        story_edges = [np.searchsorted(members, source), np.searchsorted(members, target), np.ones(len(source))]
        inlinks, outlinks, by_media = self._story_counts(source, target)
        rank = pagerank(len(members), np.stack(story_edges, axis=1))
        own_medium = np.searchsorted(present, media[members])
        # Stories are in order of their ids, so their numbers break ties as the ids would.
        order = np.lexsort((members, -inlinks[members], -by_media[members]))
        posts = self._post_counts(timespan)
        columns = zip(
            *(part[members[order]].tolist() for part in (by_media, inlinks, outlinks)),
            members[order].tolist(), order.tolist(), own_medium[order].tolist(), strict=True,
        )  # fmt: skip
        counted = [
            StoryCounts(
                stories[number],
                by,
                into,
                out,
                stories[number].facebook_shares,
                posts.get(number, PostCounts()),
                rank[row],
                groups[medium],
            )
            for by, into, out, number, row, medium in columns
        ]
        medium_links = tuple(
            (names[a], names[b], n)
            for a, b, n in zip(medium_source.tolist(), medium_target.tolist(), weights.tolist(), strict=True)
        )
        return Figures(
            timespan,
            tuple(counted),
            tuple(_count_media(names, counted, medium_links, pagerank(len(names), edges), groups)),
            tuple(
                (stories[a].id, stories[b].id, self._sentences.get((a, b), ""))
                for a, b in zip(source.tolist(), target.tolist(), strict=True)
            ),
            medium_links,
        )

    def _post_counts(self, timespan: Timespan) -> dict[int, PostCounts]:
        by_story: dict[int, list[FrozenPost]] = defaultdict(list)
        for post in self.frozen.posts:
            if timespan.includes(post.day):
                by_story[post.story].append(post)
        return {
            story: PostCounts(len(posts), len({post.author for post in posts}), len({post.channel for post in posts}))
            for story, posts in by_story.items()
        }

    def _story_counts(self, source: Numbers, target: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """For each story, the number of stories that link to it, of stories that it links to, and of sources that link to it."""
        count, all_media = len(self._media), max(1, len(self._names))
        by_media = np.unique(target * all_media + self._media[source]) // all_media
        return tuple(np.bincount(part, minlength=count) for part in (target, source, by_media))  # type: ignore[return-value]


def _count_media(
    names: list[str],
    counted: list[StoryCounts],
    medium_links: Iterable[tuple[str, str, int]],
    rank: list[float],
    groups: list[int],
) -> list[MediumCounts]:
    linking = Counter(target for _, target, _ in medium_links)
    number: Counter[str] = Counter()
    sums: dict[str, list[int]] = {name: [0] * 6 for name in names}
    shares: dict[str, int | None] = dict.fromkeys(names)
    foci: dict[str, Counter[str]] = {name: Counter() for name in names}
    for row in counted:
        name = row.story.media
        number[name] += 1
        foci[name].update(row.story.foci)
        for i, value in enumerate((row.media_inlink_count, row.inlink_count, row.outlink_count, *row.posts)):
            sums[name][i] += value
        if row.facebook_share_count is not None:
            shares[name] = (shares[name] or 0) + row.facebook_share_count
    rows = []
    for i, name in enumerate(names):
        by_media, into, out, posts, authors, channels = sums[name]
        rows.append(
            MediumCounts(
                name,
                number[name],
                linking[name],
                by_media,
                into,
                out,
                shares[name],
                posts,
                authors,
                channels,
                rank[i],
                groups[i],
                tuple(sorted(foci[name], key=lambda focus: (-foci[name][focus], focus))),
            )
        )
    return sorted(rows, key=lambda row: (-row.media_inlink_count, -row.story_count, row.media))
