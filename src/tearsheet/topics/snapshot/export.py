"""A snapshot's figures as tables, and the map that is drawn of its sources."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tearsheet.topics.model import UNDATEABLE
from tearsheet.topics.snapshot.layout import lay_out
from tearsheet.topics.snapshot.palette import COLORS
from tearsheet.topics.snapshot.sharing import Sharing
from tearsheet.topics.snapshot.timespans import Figures, MediumCounts

STORY_COLUMNS = (
    "stories_id", "title", "url", "publish_date", "date_method", "title_method", "language", "media", "iteration", "why", "foci",
    "media_inlink_count", "inlink_count", "outlink_count", "facebook_share_count", "post_count", "author_count", "channel_count",
    "pagerank", "community",
)  # fmt: skip
MEDIUM_COLUMNS = (
    "media", "story_count", "media_inlink_count", "sum_media_inlink_count", "inlink_count", "outlink_count",
    "facebook_share_count", "post_count", "author_count", "channel_count", "pagerank", "community", "foci",
)  # fmt: skip
STORY_LINK_COLUMNS = ("source_stories_id", "ref_stories_id", "sentence")
MEDIUM_LINK_COLUMNS = ("source_media", "ref_media", "link_count")
PAGE_COLUMNS = ("url", "media", "stories_id", "source_count", "story_count")
POST_COLUMNS = ("post_id", "author", "channel", "publish_date", "story_count", "stories_ids")
COLUMN_TYPES = {
    **dict.fromkeys((*STORY_COLUMNS, *STORY_LINK_COLUMNS, *MEDIUM_LINK_COLUMNS, *PAGE_COLUMNS, *POST_COLUMNS), "text"),
    **dict.fromkeys(("other_media", "other_author", "other_channel"), "text"),
    **dict.fromkeys(("iteration", "community", "link_count", *MEDIUM_COLUMNS), "number"),
    **dict.fromkeys((name for name in STORY_COLUMNS if name.endswith("_count")), "number"),
    **dict.fromkeys(("source_count", "story_count", "page_count"), "number"),
    **dict.fromkeys(("media", "foci"), "text"),
    "pagerank": "real",
    "text": "text",
}
"""What each column of the tables has, also one that is empty."""
MAX_NODES = 5_000
"""How many sources a map shows: the most linked-to ones."""
NO_FOCUS = len(COLORS)
"""The number of the colour, grey, of sources that belong to no focus, and of all foci beyond those that have colours."""
_FULL_SIZE = 300
"""On maps with more sources than this, circles are smaller."""


Table = tuple[Sequence[str], list[tuple[Any, ...]]]
"""Columns and rows."""


def tables_of(figures: Figures) -> dict[str, Table]:
    """The four tables of a timespan: columns and rows by name."""
    stories = [
        (
            row.story.id, row.story.title, row.story.url, row.story.day.isoformat() if row.story.day else UNDATEABLE,
            row.story.date_method, row.story.title_method, row.story.language, row.story.media, row.story.iteration,
            row.story.why, ";".join(row.story.foci), row.media_inlink_count, row.inlink_count, row.outlink_count,
            row.facebook_share_count, *row.posts, row.pagerank, row.community,
        )
        for row in figures.stories
    ]  # fmt: skip
    counts = MEDIUM_COLUMNS[:-1]
    media = [(*(getattr(row, name) for name in counts), ";".join(row.foci)) for row in figures.media]
    return {
        "stories": (STORY_COLUMNS, stories),
        "media": (MEDIUM_COLUMNS, media),
        "story_links": (STORY_LINK_COLUMNS, list(figures.story_links)),
        "medium_links": (MEDIUM_LINK_COLUMNS, list(figures.medium_links)),
    }


def sharing_tables(sharing: Sharing, *, posts: bool) -> dict[str, Table]:
    """The tables of what was shared in a timespan, by name; with those of the posts, or without."""
    tables: dict[str, Table] = {
        "pages": (PAGE_COLUMNS, list(sharing.pages)),
        "media_sharing": (("media", "other_media", "page_count"), list(sharing.media_pairs)),
    }
    if posts:
        rows = [
            (post.id, post.author, post.channel, post.day.isoformat(), len(post.stories), ";".join(post.stories))
            for post in sharing.posts
        ]
        tables["posts"] = (POST_COLUMNS, rows)
        tables["authors"] = (("author", "post_count", "story_count"), list(sharing.authors))
        tables["authors_sharing"] = (("author", "other_author", "story_count"), list(sharing.author_pairs))
        tables["channels"] = (("channel", "post_count", "story_count"), list(sharing.channels))
        tables["channels_sharing"] = (("channel", "other_channel", "story_count"), list(sharing.channel_pairs))
    return tables


class MediaMap:
    """The sources of a timespan that are drawn, with their links and positions.

    Their colours stand for these foci, or for communities if none are given.
    """

    def __init__(self, figures: Figures, limit: int = MAX_NODES, foci: Sequence[str] = ()) -> None:
        self.foci = tuple(foci)
        self.media: list[MediumCounts] = list(figures.media[:limit])
        numbers = {row.media: number for number, row in enumerate(self.media)}
        self.edges: list[tuple[int, int, float]] = [
            (numbers[a], numbers[b], float(count))
            for a, b, count in figures.medium_links
            if a in numbers and b in numbers
        ]
        found = lay_out(len(self.media), self.edges, [row.community for row in self.media])
        self.positions, self.apart = found.positions, found.apart
        self.groups = [self._group(row) for row in self.media]
        """The number of each one's colour: that of its community, or of the first of `foci` that it belongs to."""
        self._largest = max([1, *(row.media_inlink_count for row in self.media)])
        self._scale: float = min(1.0, (_FULL_SIZE / max(len(self.media), 1)) ** 0.33)

    def _group(self, row: MediumCounts) -> int:
        if not self.foci:
            return row.community
        return next((self.foci.index(focus) for focus in row.foci if focus in self.foci), NO_FOCUS)

    def size(self, row: MediumCounts) -> float:
        """The radius of a source's circle: its area grows with the number of sources that link to it."""
        return round(self._scale * radius(row.media_inlink_count, self._largest), 2)


def radius(count: int, largest: int) -> float:
    """The radius of a circle whose area grows with a count."""
    return 4.0 + 26.0 * math.sqrt(count / largest)
