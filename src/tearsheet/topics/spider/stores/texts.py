"""The stories of a topic with their texts, however they came into it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import tables
from tearsheet.topics.spider.stores.web_stories import story_of
from tearsheet.topics.spider.web_story import WebStory


def stories_with_texts(database: Database, ids: Sequence[str]) -> list[WebStory]:
    """Stories by id, in order; those that are not there, as they were erased, are left out."""
    web, found = tables.web_stories, dict[str, WebStory]()
    with database.read() as connection:
        for some in chunks(sorted(ids)):
            for row in connection.execute(select(web).where(web.c.stories_id.in_(some))):
                found[row.stories_id] = story_of(row)
    return [found[id] for id in ids if id in found]
