"""The addresses that became no story of a topic without being read as one, each with the reason."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from tearsheet.engines.database import Database
from tearsheet.topics import model, tables


@dataclass(slots=True, frozen=True)
class LeftOut:
    """An address that a topic does without."""

    url: str
    state: str
    """`ignored`: not followed; `request failed` or `error`: followed in vain."""
    reason: str
    iteration: int
    links: int
    """How many stories link to it."""


def list_left_out(database: Database, topic_id: int) -> list[LeftOut]:
    """The addresses that are not followed, and those that could not be fetched, the most linked of each kind first."""
    fetches, links = tables.topic_fetch_urls, tables.topic_links
    linking = (
        select(links.c.url_key, func.count().label("stories"))
        .where(links.c.topics_id == topic_id)
        .group_by(links.c.url_key)
        .subquery()
    )
    stories = func.coalesce(linking.c.stories, 0)
    query = (
        select(fetches.c.url, fetches.c.state, fetches.c.message, fetches.c.iteration, stories)
        .select_from(fetches.outerjoin(linking, linking.c.url_key == fetches.c.url_key))
        .where(fetches.c.topics_id == topic_id)
        .where(fetches.c.state.in_((model.IGNORED, model.REQUEST_FAILED, model.ERROR)))
        .order_by(fetches.c.state, stories.desc(), fetches.c.url)
    )
    with database.read() as connection:
        return [LeftOut(*row) for row in connection.execute(query)]
