"""Who shares what: sources that link to the same pages, and people and channels whose posts name the same stories.

Two of them are joined by the number of pages that both have. A page that very many share joins none of them: everybody knows
it, so it says nothing about any two. Pure functions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tearsheet.topics.model import LEAST_SHARED
from tearsheet.topics.snapshot.frozen import Frozen, FrozenPost
from tearsheet.topics.snapshot.timespans import Counting, Timespan

MOST_SHARING = 1_000
"""How many may share a page that joins them."""
MOST_PAIRS = 100_000
"""How many pairs a network of sharing has: the strongest. Nobody can read more, and they would take minutes to group."""
_BATCH = 4_000_000
"""Pairs that are counted at a time."""


class Pair(NamedTuple):
    """Two that share pages, in alphabetical order, and how many."""

    first: str
    second: str
    shared: int


class Pairs(NamedTuple):
    """Who is joined, in alphabetical order, and what was left out."""

    pairs: tuple[Pair, ...] = ()
    shared_by_too_many: int = 0
    """Pages that joined nobody because more than `MOST_SHARING` share them."""
    weaker: int = 0
    """Pairs beyond `MOST_PAIRS`."""


class PageCounts(NamedTuple):
    """A page that several other sources link to."""

    url: str
    media: str
    stories_id: str | None
    """Its id, if it is a story of the topic."""
    source_count: int
    story_count: int
    """Stories that link to it."""


class PostRow(NamedTuple):
    """A post and the stories that it named."""

    id: str
    author: str
    channel: str
    day: date
    stories: tuple[str, ...]


class SharerCounts(NamedTuple):
    """Somebody who posted, or a channel that was posted in."""

    name: str
    post_count: int
    story_count: int
    """Stories that the posts named."""


@dataclass(slots=True, frozen=True)
class Sharing:
    """What was shared in a timespan, in a fixed order."""

    pages: tuple[PageCounts, ...]
    media_pairs: tuple[Pair, ...]
    posts: tuple[PostRow, ...]
    authors: tuple[SharerCounts, ...]
    author_pairs: tuple[Pair, ...]
    channels: tuple[SharerCounts, ...]
    channel_pairs: tuple[Pair, ...]
    shared_by_too_many: int
    """Pages and stories that joined nobody because more than `MOST_SHARING` share them."""
    weaker_pairs_left_out: int
    """Pairs beyond the `MOST_PAIRS` of each network."""


def sharing_of(counting: Counting, timespan: Timespan, least: int = LEAST_SHARED) -> Sharing:
    """What was shared in a timespan: links of stories that are dated inside, and posts of those days.

    With a focus: links of its stories, wherever they lead, and posts that name its stories.
    """
    frozen = counting.frozen
    linking = counting.dated_inside(timespan)
    pages = sorted(_pages(frozen, linking), key=lambda page: (-len(page.media), -len(page.stories), page.url, page.id))
    posts = _posts(counting, timespan)
    by_author, by_channel = _sharers(posts, lambda post: post.author), _sharers(posts, lambda post: post.channel)
    media = pairs_of([page.media for page in pages], least)
    authors, channels = pairs_of(_by_story(by_author), least), pairs_of(_by_story(by_channel), least)
    return Sharing(
        tuple(page.counts() for page in pages if len(page.media) > 1),
        media.pairs,
        tuple(_post_rows(frozen, posts)),
        _sharer_counts(by_author),
        authors.pairs,
        _sharer_counts(by_channel),
        channels.pairs,
        sum(one.shared_by_too_many for one in (media, authors, channels)),
        sum(one.weaker for one in (media, authors, channels)),
    )


def pairs_of(pages: Iterable[Collection[str]], least: int) -> Pairs:
    """Each two that share at least so many pages. A page is given by those who share it.

    Of more than `MOST_PAIRS` the strongest are taken, and of equal ones the first in the alphabet.
    """
    shared = [page for page in pages if len(page) > 1]
    kept = [page for page in shared if len(page) <= MOST_SHARING]
    names = sorted(set(chain.from_iterable(kept)))
    number = {name: i for i, name in enumerate(names)}
    keys, counts = _count_pairs([sorted(number[name] for name in page) for page in kept], len(names))
    enough = np.flatnonzero(counts >= least)
    strongest = np.sort(enough[np.argsort(-counts[enough], kind="stable")][:MOST_PAIRS])
    pairs = (
        Pair(names[key // len(names)], names[key % len(names)], count)
        for key, count in zip(keys[strongest].tolist(), counts[strongest].tolist(), strict=True)
    )
    return Pairs(tuple(pairs), len(shared) - len(kept), len(enough) - len(strongest))


Numbers = npt.NDArray[np.int64]


def _count_pairs(pages: Sequence[Sequence[int]], names: int) -> tuple[Numbers, Numbers]:
    """The numbers of each pair in one (first × names + second), sorted, and how many pages have both."""
    keys, counts = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    waiting: list[Numbers] = []
    size = 0
    for place, page in enumerate(pages, 1):
        members = np.array(page, dtype=np.int64)
        first, second = np.triu_indices(len(members), 1)
        waiting.append(members[first] * names + members[second])
        size += len(first)
        if size >= _BATCH or place == len(pages):
            new, times = np.unique(np.concatenate(waiting), return_counts=True)
            both, where = np.unique(np.concatenate([keys, new]), return_inverse=True)
            counts = np.bincount(where, np.concatenate([counts, times])).astype(np.int64)
            keys, waiting, size = both, [], 0
    return keys, counts


@dataclass(slots=True, frozen=True)
class _Page:
    id: str
    url: str
    own_media: str
    in_topic: bool
    stories: tuple[int, ...]
    media: frozenset[str]
    """Sources that link to it."""

    def counts(self) -> PageCounts:
        stories_id = self.id if self.in_topic else None
        return PageCounts(self.url, self.own_media, stories_id, len(self.media), len(self.stories))


def _pages(frozen: Frozen, linking: npt.NDArray[np.bool_]) -> Iterable[_Page]:
    """Every page, story of the topic or not, with the stories of other sources that link to it in a timespan."""
    stories = frozen.stories
    linked_by: dict[int, list[int]] = defaultdict(list)
    for source, target in frozen.links:
        if linking[source] and stories[source].media != stories[target].media:
            linked_by[target].append(source)
    for target, sources in linked_by.items():
        story = stories[target]
        yield _page_of(frozen, story.id, story.url, story.media, sources, in_topic=True)
    for page in frozen.pages:
        yield _page_of(frozen, page.id, page.url, page.media, [s for s in page.linked_by if linking[s]], in_topic=False)


def _page_of(frozen: Frozen, id_: str, url: str, media: str, sources: Sequence[int], *, in_topic: bool) -> _Page:
    return _Page(id_, url, media, in_topic, tuple(sources), frozenset(frozen.stories[s].media for s in sources))


def _posts(counting: Counting, timespan: Timespan) -> list[FrozenPost]:
    chosen = counting.in_focus(timespan.focus)
    return [post for post in counting.frozen.posts if chosen[post.story] and timespan.includes(post.day)]


def _post_rows(frozen: Frozen, posts: Iterable[FrozenPost]) -> Iterable[PostRow]:
    named: dict[str, list[FrozenPost]] = defaultdict(list)
    for post in posts:
        named[post.id].append(post)
    rows = (
        PostRow(
            id_, some[0].author, some[0].channel, some[0].day, tuple(frozen.stories[post.story].id for post in some)
        )
        for id_, some in named.items()
    )
    return sorted(rows, key=lambda row: (row.day, row.id))


def _sharers(posts: Iterable[FrozenPost], name_of: Callable[[FrozenPost], str]) -> dict[str, list[FrozenPost]]:
    found: dict[str, list[FrozenPost]] = defaultdict(list)
    for post in posts:
        found[name_of(post)].append(post)
    return found


def _by_story(sharers: Mapping[str, Iterable[FrozenPost]]) -> list[set[str]]:
    """The names of those who named each story."""
    found: dict[int, set[str]] = defaultdict(set)
    for name, posts in sharers.items():
        for post in posts:
            found[post.story].add(name)
    return [found[story] for story in sorted(found)]


def _sharer_counts(sharers: Mapping[str, Sequence[FrozenPost]]) -> tuple[SharerCounts, ...]:
    rows = (
        SharerCounts(name, len({post.id for post in posts}), len({post.story for post in posts}))
        for name, posts in sharers.items()
    )
    return tuple(sorted(rows, key=lambda row: (-row.story_count, -row.post_count, row.name)))
