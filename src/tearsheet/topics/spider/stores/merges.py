"""Merges stories into another one; all within the transaction of `merge`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import zstandard
from sqlalchemy import Connection, select, update

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import model, tables
from tearsheet.topics.decisions import merged_sources


@dataclass(slots=True, frozen=True)
class Member:
    """A story that is in the topic."""

    id: str
    iteration: int
    media: str
    """The source that it counts for in this topic."""
    own_media: str
    title: str
    day: date | None


def members(connection: Connection, topic_id: int) -> list[Member]:
    """The stories that are in a topic, by id."""
    stories, web = tables.topic_stories, tables.web_stories
    rows = connection.execute(
        select(stories.c.stories_id, stories.c.iteration, web.c.media_id, web.c.title, web.c.publish_date)
        .join(web, web.c.stories_id == stories.c.stories_id)
        .where(stories.c.topics_id == topic_id, stories.c.state == model.IN)
        .order_by(stories.c.stories_id)
    )
    merged = merged_sources(connection, topic_id)
    return [
        Member(id, iteration, merged.get(media, media), media, title, date.fromisoformat(day) if day else None)
        for id, iteration, media, title, day in rows
    ]


def text_lengths(connection: Connection, ids: Sequence[str]) -> dict[str, int]:
    """How long the texts of stories are, in bytes."""
    web = tables.web_stories
    found = {}
    for chunk in chunks(ids):
        for id, text in connection.execute(select(web.c.stories_id, web.c.text).where(web.c.stories_id.in_(chunk))):
            found[id] = len(zstandard.decompress(text))
    return found


def merge_story(database: Database, connection: Connection, topic_id: int, lose: str, keep: str, reason: str) -> None:
    """Merge one story into another, with all that were merged into it. Its links stay as they are, and count for the other."""
    stories, merged = tables.topic_stories, tables.topic_merged_stories_map
    connection.execute(
        update(stories)
        .where(stories.c.topics_id == topic_id, stories.c.stories_id == lose)
        .values(state=model.MERGED, why=reason)
    )
    connection.execute(
        update(merged)
        .where(merged.c.topics_id == topic_id, merged.c.target_stories_id == lose)
        .values(target_stories_id=keep)
    )
    connection.execute(
        database.insert(merged)
        .values(topics_id=topic_id, source_stories_id=lose, target_stories_id=keep, reason=reason)
        .on_conflict_do_update(
            index_elements=["topics_id", "source_stories_id"], set_={"target_stories_id": keep, "reason": reason}
        )
    )


def set_iteration(connection: Connection, topic_id: int, stories_id: str, iteration: int) -> None:
    """Record how many links a story is away from the seeds."""
    stories = tables.topic_stories
    connection.execute(
        update(stories)
        .where(stories.c.topics_id == topic_id, stories.c.stories_id == stories_id)
        .values(iteration=iteration)
    )
