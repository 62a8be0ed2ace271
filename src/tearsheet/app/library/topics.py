"""The topics of a data folder: who links to whom, as lists of dataclasses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from tearsheet.app.library.rows import Rows
from tearsheet.errors import NotFoundError
from tearsheet.topics import store
from tearsheet.topics.snapshot import (
    Counting,
    Figures,
    MediumCounts,
    SnapshotInfo,
    StoryCounts,
    list_snapshots,
    load_snapshot,
    timespans_of,
)

if TYPE_CHECKING:
    from tearsheet.engines.database import Database
    from tearsheet.topics import Topic

OVERALL = "overall"


@dataclass(slots=True, frozen=True)
class TopicStory:
    """A story of a topic. Only links between different sources count; fields are named as in the exported tables."""

    stories_id: str
    """The id of the story in the index."""
    title: str
    url: str
    publish_date: date | None
    date_method: str
    title_method: str
    language: str
    media: str
    """The domain of its source."""
    iteration: int
    """After how many links it was found; 0 for a seed."""
    why: str
    """Why it belongs to the topic."""
    foci: tuple[str, ...]
    media_inlink_count: int
    """Sources that link to it."""
    inlink_count: int
    outlink_count: int
    facebook_share_count: int | None
    post_count: int
    author_count: int
    channel_count: int
    pagerank: float
    community: int


@dataclass(slots=True, frozen=True)
class StoryLink:
    """A link from one story to another of another source, by their ids."""

    source_stories_id: str
    ref_stories_id: str
    sentence: str
    """The sentence around the link; empty where it is not known."""


@dataclass(slots=True, frozen=True)
class MediumLink:
    """How many stories of one source link to stories of another."""

    source_media: str
    ref_media: str
    link_count: int


class TopicTables:
    """The tables of one topic. Each is that of the newest snapshot, or of the one whose id is given, and of one timespan.

    Timespans are `overall`, each week and each month, those that the topic was created with, and each of them for each focus;
    `timespans()` names them.
    """

    def __init__(self, database: Database, topic: Topic) -> None:
        self.topic = topic
        """How the topic is defined: its name, query, days and state."""
        self._database = database
        self._countings: dict[int | None, Counting] = {}
        self._figures: dict[tuple[int | None, str], Figures] = {}

    def snapshots(self) -> list[SnapshotInfo]:
        """The snapshots of the topic, oldest first."""
        return list_snapshots(self._database, self.topic.id)

    def timespans(self, *, snapshot: int | None = None) -> list[str]:
        """The names of the timespans."""
        return [timespan.name for timespan in timespans_of(self._counting(snapshot).frozen)]

    def stories(self, timespan: str = OVERALL, *, snapshot: int | None = None) -> Rows[TopicStory]:
        """The stories, those first that most sources link to. Raises `NotFoundError`, as all of these do."""
        return Rows(TopicStory, map(_story, self._of(timespan, snapshot).stories))

    def links(self, timespan: str = OVERALL, *, snapshot: int | None = None) -> Rows[StoryLink]:
        """The links between the stories."""
        return Rows(StoryLink, (StoryLink(*link) for link in self._of(timespan, snapshot).story_links))

    def media(self, timespan: str = OVERALL, *, snapshot: int | None = None) -> Rows[MediumCounts]:
        """The sources, those first that most other sources link to, each with its community."""
        return Rows(MediumCounts, self._of(timespan, snapshot).media)

    def media_links(self, timespan: str = OVERALL, *, snapshot: int | None = None) -> Rows[MediumLink]:
        """The links between the sources: the network of which a map is drawn."""
        return Rows(MediumLink, (MediumLink(*row) for row in self._of(timespan, snapshot).medium_links))

    def _counting(self, snapshot: int | None) -> Counting:
        if snapshot not in self._countings:
            self._countings[snapshot] = Counting(load_snapshot(self._database, self.topic, snapshot))
        return self._countings[snapshot]

    def _of(self, name: str, snapshot: int | None) -> Figures:
        if (snapshot, name) not in self._figures:
            counting = self._counting(snapshot)
            known = {timespan.name: timespan for timespan in timespans_of(counting.frozen)}
            if name not in known:
                raise NotFoundError(f"there is no timespan {name!r}; there are {', '.join(known)}")
            self._figures[snapshot, name] = counting.figures(known[name])
        return self._figures[snapshot, name]

    def __repr__(self) -> str:
        return f"<topic {self.topic.name!r}: {self.topic.state}>"


class Topics:
    """The topics of a data folder by name: `topics["floods"]`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __getitem__(self, name: str) -> TopicTables:
        return TopicTables(self._database, store.find_topic(self._database, name))

    def __iter__(self) -> Iterator[str]:
        return (topic.name for topic in store.list_topics(self._database))

    def __len__(self) -> int:
        return len(store.list_topics(self._database))

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def __repr__(self) -> str:
        return f"<topics {list(self)}>"


def _story(row: StoryCounts) -> TopicStory:
    story = row.story
    return TopicStory(
        story.id, story.title, story.url, story.day, story.date_method, story.title_method, story.language, story.media,
        story.iteration, story.why, story.foci, row.media_inlink_count, row.inlink_count, row.outlink_count,
        row.facebook_share_count, *row.posts, row.pagerank, row.community,
    )  # fmt: skip
