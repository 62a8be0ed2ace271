"""What all jobs of the spider share."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from tearsheet.archive import Erased
from tearsheet.clock import Clock, wall_clock
from tearsheet.engines.database import Database
from tearsheet.engines.index import Index
from tearsheet.errors import NotFoundError
from tearsheet.fetch import PoliteClient
from tearsheet.settings import TopicSettings
from tearsheet.story import Story
from tearsheet.topics import model
from tearsheet.topics.decisions import merged_sources
from tearsheet.topics.model import Topic
from tearsheet.topics.spider.relevance import fingerprint, raw_test, split_sentences
from tearsheet.topics.spider.stores import sentences, web_stories
from tearsheet.topics.spider.web_story import WebStory, story_of_index
from tearsheet.topics.store import find_topic
from tearsheet.work import KeepingStage, Reader


class PageFetcher(Protocol):
    """The fetcher stage of the pipeline, with robots.txt, politeness and retries."""

    async def process(self, story: Story) -> Story:
        """Fill in the page."""
        ...


@dataclass(slots=True)
class Tools:
    """What the jobs use."""

    database: Database
    index: Index
    fetcher: PageFetcher
    client: PoliteClient
    reader: Reader
    settings: TopicSettings
    archived: Callable[[str], tuple[bytes, str | None] | None]
    """Reads the page and charset of an indexed story from the archive."""
    clock: Clock = wall_clock
    hold_seconds: float = 20.0
    """How long the items of a dead worker stay held; a live one renews its hold long before."""
    archiver: KeepingStage | None = None
    """Archives the pages that topics take; None when only the database keeps them."""
    pages_in_file: int = 5_000
    """How many pages make an archive file while a run goes on."""
    make_searchable: Callable[[Topic], bool] | None = None
    """Has searches find the stories of a topic; False when somebody else does the same for another, so that it is tried again."""
    holder: str = field(default_factory=lambda: uuid.uuid4().hex)
    """The name under which this process holds items; each process that runs topics has its own."""

    def topic_at_work(self, topic_id: int) -> Topic | None:
        """The topic, if it is running. Jobs of one that has ended, failed or been deleted have nothing to do."""
        try:
            topic = find_topic(self.database, topic_id)
        except NotFoundError:
            return None
        return topic if topic.state in model.AT_WORK else None

    def erased(self, keys: Collection[str]) -> bool:
        """Whether one of these keys is that of an erased address."""
        return bool(Erased(self.database).among(keys))

    def match(self, keys: Sequence[str]) -> dict[str, str]:
        """Which addresses belong to known stories, spidered or collected: stories_id by key."""
        found = web_stories.match_stories(self.database, keys)
        missing = [key for key in keys if key not in found]
        for key, story in zip(missing, self.index.get(missing) if missing else [], strict=True):
            if story is not None:
                web_stories.save_story(self.database, story_of_index(story), None, None, [])
                found[key] = story.id
        return found

    def note_candidate(self, topic: Topic, stories_id: str, iteration: int) -> None:
        """Record the sentences of a known story that becomes a candidate of the topic."""
        story = web_stories.get_story(self.database, stories_id)
        if story is not None:
            self.note_sentences(topic, story, iteration)

    def as_counted(self, topic: Topic, story: WebStory) -> WebStory:
        """A story with the source that it counts for in this topic."""
        with self.database.read() as connection:
            merged = merged_sources(connection, topic.id)
        return replace(story, media=merged.get(story.media, story.media))

    def note_sentences(self, topic: Topic, story: WebStory, iteration: int) -> None:
        """Record the sentences that contain words of the query; others cannot change the verdict.

        A story that cannot be relevant is not one of the topic's, so it makes no sentence a repeated one. Otherwise it would matter
        whether its page is known already, from another topic or an earlier query, or is rejected when it is fetched.
        """
        test = raw_test(topic.query)
        if not test("\n".join((story.title, story.description, story.text)), story.url):
            return
        story = self.as_counted(topic, story)
        prints = [fingerprint(sentence) for sentence in split_sentences(story.text) if test.touches(sentence)]
        sentences.keep_sentences(self.database, topic.id, story, iteration, prints)
