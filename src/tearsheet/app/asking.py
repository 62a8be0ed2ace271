"""A question as the index gets it, with the collections that it names looked up in the catalogue of a data folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tearsheet.app.data_folder import has_engine
from tearsheet.errors import NotFoundError

if TYPE_CHECKING:
    from tearsheet.app.engines import Engines
    from tearsheet.engines.index import Index, IndexedStory
    from tearsheet.index import Asked, Question


def ask(engines: Engines, question: Question) -> Asked:
    """The question as the index gets it. Raises NotFoundError. The database is opened only to look up collections."""

    def catalogue(
        source_ids: Sequence[int], collections: Sequence[str], collection_ids: Sequence[int]
    ) -> tuple[set[str], set[int]]:
        from tearsheet.feeds.catalogue import members_of  # slow to import, and most questions name no collection

        return members_of(engines.database, source_ids, collections, collection_ids)

    return question.ask(catalogue, lambda topic: topic_scope(engines, topic))


def topic_scope(engines: Engines, topic: str) -> list[str]:
    """The ids of a topic's stories, in it now. Raises NotFoundError."""
    from tearsheet.topics import find_topic, story_ids  # slow to import, and few questions name a topic

    return story_ids(engines.database, find_topic(engines.database, topic).id)


def has_topic_index(engines: Engines) -> bool:
    """Whether stories of topics were indexed. No index is made to find out."""
    return has_engine(engines.settings, "engines.index", engines.topic_index_url)


def index_for(engines: Engines, question: Question) -> Index:
    """The index that answers a question. Raises NotFoundError if no story of a topic is indexed yet."""
    if not question.topic:
        return engines.index
    if not has_topic_index(engines):
        raise NotFoundError(
            f"no story of the topic {question.topic!r} can be searched yet: `tearsheet topic run` does that at its end, "
            "and `tearsheet index rebuild` for topics that are there"
        )
    return engines.topic_index


def story_by_id(engines: Engines, identifier: str) -> IndexedStory | None:
    """A story that can be searched: one that was collected, or one that only the spider of a topic fetched."""
    found = engines.index.get([identifier])[0]
    if found is None and has_topic_index(engines):
        found = engines.topic_index.get([identifier])[0]
    return found


def searchable_ids(engines: Engines, ids: Sequence[str]) -> set[str]:
    """Which of these stories can be searched: those that were collected, and those that spiders of topics fetched."""
    found = {story.id for story in engines.index.get(ids) if story is not None}
    if has_topic_index(engines):
        rest = [one for one in ids if one not in found]
        found |= {story.id for story in engines.topic_index.get(rest) if story is not None}
    return found


def has_feeds(engines: Engines) -> bool:
    """Whether there are feeds to collect from. No database is made to find out."""
    settings = engines.settings
    if settings.feeds.remote or not has_engine(settings, "engines.database", settings.engines.database):
        return bool(settings.feeds.remote)
    from tearsheet.feeds.catalogue import count_feeds  # slow to import, and asked only of an empty index

    return count_feeds(engines.database) > 0
