"""The texts of a topic's stories, as they were read from their pages: what foci are matched with, and words counted in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import zstandard
from sqlalchemy import select

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import tables


@dataclass(slots=True, frozen=True)
class StoryText:
    """What a story says, besides its title."""

    id: str
    url: str
    publish_date: str | None
    description: str
    text: str

    @property
    def said(self) -> str:
        """The text, with the page's own description before it."""
        return f"{self.description}\n\n{self.text}"


def texts_of(database: Database, ids: Iterable[str]) -> Iterator[StoryText]:
    """The texts of these stories, in their order. Stories that have been erased have none."""
    web = tables.web_stories
    columns = (web.c.stories_id, web.c.url, web.c.publish_date, web.c.description, web.c.text)
    for some in chunks(ids):
        with database.read() as connection:
            rows = connection.execute(select(*columns).where(web.c.stories_id.in_(some)))
            found = {row.stories_id: row for row in rows}
        for row in (found[id_] for id_ in some if id_ in found):
            text = zstandard.decompress(row.text).decode("utf-8")
            yield StoryText(row.stories_id, row.url, row.publish_date, row.description, text)


def texts_by_id(database: Database, ids: Iterable[str]) -> dict[str, str]:
    """The texts of these stories by their ids, without descriptions."""
    return {one.id: one.text for one in texts_of(database, ids)}
