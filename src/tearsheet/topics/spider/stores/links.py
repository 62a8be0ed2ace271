"""Links between the stories of a topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import and_, delete, exists, select, update

from tearsheet.engines.database import Database
from tearsheet.foreign_text import storable
from tearsheet.topics import model, tables
from tearsheet.topics.spider.links import MinedLink
from tearsheet.topics.spider.routing import Route
from tearsheet.topics.spider.stores.candidates import add_waiting
from tearsheet.topics.spider.stores.fetches import add_fetches


@dataclass(slots=True, frozen=True)
class RoutedLink:
    """A link in a story, and what follows for it."""

    link: MinedLink
    route: Route
    stories_id: str | None = None
    """The story that it leads to, if that is known."""


def save_links(
    database: Database,
    topic_id: int,
    stories_id: str,
    iteration: int,
    links: Sequence[RoutedLink],
    error: str | None = None,
    *,
    mined: bool = True,
) -> None:
    """Store a story's links, add what they lead to, and mark the story as spidered: all or nothing.

    They take the place of those that were known of it. Without `mined` its page could not be read.
    """
    rows = [
        {
            "topics_id": topic_id,
            "stories_id": stories_id,
            "url_key": routed.link.key,
            "url": routed.link.url,
            "kind": routed.link.kind,
            "fetched": routed.stories_id is not None,
            "ref_stories_id": routed.stories_id,
            "place": place,
            "sentence": storable(routed.link.sentence),
        }
        for place, routed in enumerate(links)
    ]
    to_fetch = [(one.link.key, one.link.url, False) for one in links if one.route is Route.FETCH_LINK]
    to_add = {(one.stories_id, False) for one in links if one.stories_id and one.route is Route.ADD_STORY}
    own = and_(tables.topic_links.c.topics_id == topic_id, tables.topic_links.c.stories_id == stories_id)
    with database.begin() as connection:
        connection.execute(delete(tables.topic_links).where(own))
        if rows:
            connection.execute(database.insert(tables.topic_links).on_conflict_do_nothing(), rows)
        add_fetches(database, connection, topic_id, iteration + 1, to_fetch)
        add_waiting(database, connection, topic_id, iteration + 1, to_add)
        connection.execute(
            update(tables.topic_stories)
            .where(tables.topic_stories.c.topics_id == topic_id, tables.topic_stories.c.stories_id == stories_id)
            .values(spidered=True, mined=mined, link_mine_error=error)
        )


def known_links(database: Database, topic_id: int, stories_id: str) -> list[MinedLink]:
    """The links of a story that was mined, as they stand in it."""
    links = tables.topic_links
    query = select(links).where(links.c.topics_id == topic_id, links.c.stories_id == stories_id)
    with database.read() as connection:
        return [
            MinedLink(row.url, row.url_key, row.kind, sentence=row.sentence)
            for row in connection.execute(query.order_by(links.c.place, links.c.url_key))
        ]


def resolve_links(database: Database, topic_id: int) -> None:
    """Mark links as fetched once their address has a result."""
    links, fetches = tables.topic_links, tables.topic_fetch_urls
    same = and_(fetches.c.topics_id == links.c.topics_id, fetches.c.url_key == links.c.url_key)
    done = and_(same, fetches.c.state != model.PENDING)
    with database.begin() as connection:
        connection.execute(
            update(links)
            .where(links.c.topics_id == topic_id, links.c.fetched.is_(False), exists(select(1).where(done)))
            .values(fetched=True, ref_stories_id=select(fetches.c.stories_id).where(same).scalar_subquery())
        )
