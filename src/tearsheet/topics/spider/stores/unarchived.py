"""Pages of topics on their way into the archive. They stay in the database until their file is safe."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import zstandard
from sqlalchemy import Connection, Select, delete, func, select, update

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import model, tables
from tearsheet.topics.spider.stores.web_stories import story_of
from tearsheet.topics.spider.web_story import WebStory


@dataclass(slots=True, frozen=True)
class UnarchivedPage:
    """A page that a spider fetched and a topic took, with the story that was made of it."""

    story: WebStory
    html: bytes
    fetched: bytes
    """How it was fetched, as `keeping.note_fetched` wrote it."""


def count_unarchived(database: Database, topic_id: int) -> int:
    """How many pages of a topic are still to be archived."""
    with database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(_taken(topic_id).subquery())).scalar_one())


def unarchived_pages(database: Database, topic_id: int, after: str, limit: int) -> list[UnarchivedPage]:
    """Some of the pages of a topic that are still to be archived, by id, above an id."""
    web, waiting = tables.web_stories, tables.unarchived_pages
    query = (
        select(web, waiting.c.fetched)
        .join(waiting, waiting.c.stories_id == web.c.stories_id)
        .where(web.c.stories_id.in_(_taken(topic_id)), web.c.stories_id > after)
        .order_by(web.c.stories_id)
        .limit(limit)
    )
    with database.read() as connection:
        rows = connection.execute(query).all()
    return [UnarchivedPage(story_of(row), zstandard.decompress(row.page or b""), row.fetched) for row in rows]


def note_archived(database: Database, ids: Collection[str]) -> None:
    """Record that the pages of these stories are safe in the archive: from now on they are only there."""
    web = tables.web_stories
    with database.begin() as connection:
        for some in chunks(sorted(ids)):
            connection.execute(update(web).where(web.c.stories_id.in_(some)).values(page=None))
            _forget(connection, some)


def note_unfit(database: Database, ids: Collection[str]) -> None:
    """Record that the pages of these stories are not archived: they stay in the database."""
    with database.begin() as connection:
        for some in chunks(sorted(ids)):
            _forget(connection, some)


def _forget(connection: Connection, ids: Collection[str]) -> None:
    waiting = tables.unarchived_pages
    connection.execute(delete(waiting).where(waiting.c.stories_id.in_(ids)))


def _taken(topic_id: int) -> Select[tuple[str]]:
    """The stories of a topic, also those that were merged into others, whose pages are not archived.

    A page whose links are still to be mined stays where every machine that helps can read it.
    """
    stories, waiting = tables.topic_stories, tables.unarchived_pages
    return (
        select(waiting.c.stories_id)
        .join(stories, stories.c.stories_id == waiting.c.stories_id)
        .where(
            stories.c.topics_id == topic_id, stories.c.state.in_((model.IN, model.MERGED)), stories.c.spidered.is_(True)
        )
    )
