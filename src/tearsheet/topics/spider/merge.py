"""Post-processing: sources and stories that are one are merged, with their links, and each merge is noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import zstandard
from sqlalchemy import Connection, delete, select, update

from tearsheet.engines.database import Database
from tearsheet.topics import model
from tearsheet.topics import tables as T  # noqa: N812 - a table of tables reads best short
from tearsheet.topics.spider.dedupe import TitledStory, group_duplicates, parent_media
from tearsheet.topics.store import chunks


@dataclass(slots=True, frozen=True)
class Merges:
    """How many stories were moved to another source, and how many were merged into another story."""

    moved: int
    merged: int


def merge_topic(database: Database, topic_id: int) -> Merges:
    """Move stories of duplicate sources to their parents, then merge duplicate stories. Doing it again changes nothing."""
    with database.begin() as connection:
        moved = _merge_media(database, connection, topic_id)
        merged = _merge_stories(database, connection, topic_id)
    return Merges(moved, merged)


def _members(connection: Connection, topic_id: int) -> Sequence[tuple[str, int, str, str, str | None]]:
    stories, web = T.topic_stories, T.web_stories
    return connection.execute(
        select(stories.c.stories_id, stories.c.iteration, web.c.media_id, web.c.title, web.c.publish_date)
        .join(web, web.c.stories_id == stories.c.stories_id)
        .where(stories.c.topics_id == topic_id, stories.c.state == model.IN)
        .order_by(stories.c.stories_id)
    ).all()


def _merge_media(database: Database, connection: Connection, topic_id: int) -> int:
    dup = dict(connection.execute(select(T.media.c.media_id, T.media.c.dup_media_id)).all())
    moved = 0
    for stories_id, _, media, _, _ in _members(connection, topic_id):
        parent = parent_media(media, dup)
        if parent == media:
            continue
        moved += 1
        connection.execute(database.insert(T.media).values(media_id=parent, name=parent).on_conflict_do_nothing())
        connection.execute(
            update(T.web_stories).where(T.web_stories.c.stories_id == stories_id).values(media_id=parent)
        )
        _note(database, connection, topic_id, stories_id, stories_id, f"moved from {media} to {parent}")
    return moved


def _merge_stories(database: Database, connection: Connection, topic_id: int) -> int:
    rows = {row[0]: row for row in _members(connection, topic_id)}
    titled = [
        TitledStory(id, media, date.fromisoformat(day) if day else None, title)
        for id, _, media, title, day in rows.values()
    ]
    merged = 0
    for group in group_duplicates(titled):
        # The story with the longest text is kept; of equals, the first by id.
        lengths = _text_lengths(connection, group)
        keep = min(group, key=lambda id: (-lengths[id], id))
        iteration = min(rows[id][1] for id in group)
        for lose in group:
            if lose != keep:
                _merge(database, connection, topic_id, lose, keep, f"same title: {rows[lose][3][:300]}")
                merged += 1
        connection.execute(
            update(T.topic_stories)
            .where(T.topic_stories.c.topics_id == topic_id, T.topic_stories.c.stories_id == keep)
            .values(iteration=iteration)
        )
    return merged


def _text_lengths(connection: Connection, ids: Sequence[str]) -> dict[str, int]:
    web = T.web_stories
    found = {}
    for some in chunks(ids):
        for id, text in connection.execute(select(web.c.stories_id, web.c.text).where(web.c.stories_id.in_(some))):
            found[id] = len(zstandard.decompress(text))
    return found


def _merge(database: Database, connection: Connection, topic_id: int, lose: str, keep: str, reason: str) -> None:
    """Links from and to the one that goes become links from and to the one that stays."""
    links = T.topic_links
    connection.execute(
        update(links).where(links.c.topics_id == topic_id, links.c.ref_stories_id == lose).values(ref_stories_id=keep)
    )
    outgoing = connection.execute(select(links).where(links.c.topics_id == topic_id, links.c.stories_id == lose)).all()
    for row in outgoing:
        values = dict(row._mapping) | {"stories_id": keep}
        connection.execute(database.insert(links).values(values).on_conflict_do_nothing())
    connection.execute(delete(links).where(links.c.topics_id == topic_id, links.c.stories_id == lose))
    connection.execute(
        update(T.topic_stories)
        .where(T.topic_stories.c.topics_id == topic_id, T.topic_stories.c.stories_id == lose)
        .values(state=model.MERGED, why=reason)
    )
    _note(database, connection, topic_id, lose, keep, reason)


def _note(database: Database, connection: Connection, topic_id: int, source: str, target: str, reason: str) -> None:
    connection.execute(
        database.insert(T.topic_merged_stories_map)
        .values(topics_id=topic_id, source_stories_id=source, target_stories_id=target, reason=reason)
        .on_conflict_do_update(
            index_elements=["topics_id", "source_stories_id"],
            set_={"target_stories_id": target, "reason": reason},
        )
    )
