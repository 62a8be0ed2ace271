"""Moves stories to another source and merges them into another story; all within the transaction of `merge`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import zstandard
from sqlalchemy import Connection, delete, select, update

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import model, tables


@dataclass(slots=True, frozen=True)
class Member:
    """A story that is in the topic."""

    id: str
    iteration: int
    media: str
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
    return [
        Member(id, iteration, media, title, date.fromisoformat(day) if day else None)
        for id, iteration, media, title, day in rows
    ]


def duplicate_media(connection: Connection) -> dict[str, str | None]:
    """For every source, the one that it is a duplicate of."""
    return dict(connection.execute(select(tables.media.c.media_id, tables.media.c.dup_media_id)).all())


def text_lengths(connection: Connection, ids: Sequence[str]) -> dict[str, int]:
    """How long the texts of stories are, in bytes."""
    web = tables.web_stories
    found = {}
    for chunk in chunks(ids):
        for id, text in connection.execute(select(web.c.stories_id, web.c.text).where(web.c.stories_id.in_(chunk))):
            found[id] = len(zstandard.decompress(text))
    return found


def move_story(database: Database, connection: Connection, topic_id: int, story: Member, parent: str) -> None:
    """Move a story to the source that its own is a duplicate of."""
    web = tables.web_stories
    connection.execute(database.insert(tables.media).values(media_id=parent, name=parent).on_conflict_do_nothing())
    connection.execute(update(web).where(web.c.stories_id == story.id).values(media_id=parent))
    _note(database, connection, topic_id, story.id, story.id, f"moved from {story.media} to {parent}")


def merge_story(database: Database, connection: Connection, topic_id: int, lose: str, keep: str, reason: str) -> None:
    """Merge one story into another, which takes over its links."""
    links = tables.topic_links
    connection.execute(
        update(links).where(links.c.topics_id == topic_id, links.c.ref_stories_id == lose).values(ref_stories_id=keep)
    )
    outgoing = connection.execute(select(links).where(links.c.topics_id == topic_id, links.c.stories_id == lose)).all()
    for row in outgoing:
        values = dict(row._mapping) | {"stories_id": keep}
        connection.execute(database.insert(links).values(values).on_conflict_do_nothing())
    connection.execute(delete(links).where(links.c.topics_id == topic_id, links.c.stories_id == lose))
    stories = tables.topic_stories
    connection.execute(
        update(stories)
        .where(stories.c.topics_id == topic_id, stories.c.stories_id == lose)
        .values(state=model.MERGED, why=reason)
    )
    _note(database, connection, topic_id, lose, keep, reason)


def set_iteration(connection: Connection, topic_id: int, stories_id: str, iteration: int) -> None:
    """Record how many links a story is away from the seeds."""
    stories = tables.topic_stories
    connection.execute(
        update(stories)
        .where(stories.c.topics_id == topic_id, stories.c.stories_id == stories_id)
        .values(iteration=iteration)
    )


def _note(database: Database, connection: Connection, topic_id: int, source: str, target: str, reason: str) -> None:
    connection.execute(
        database.insert(tables.topic_merged_stories_map)
        .values(topics_id=topic_id, source_stories_id=source, target_stories_id=target, reason=reason)
        .on_conflict_do_update(
            index_elements=["topics_id", "source_stories_id"],
            set_={"target_stories_id": target, "reason": reason},
        )
    )
