"""Links between the stories of a topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import and_, exists, select, update

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
) -> None:
    """Store a story's links, add what they lead to, and mark the story as spidered: all or nothing."""
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
    with database.begin() as connection:
        if rows:
            connection.execute(database.insert(tables.topic_links).on_conflict_do_nothing(), rows)
        add_fetches(database, connection, topic_id, iteration + 1, to_fetch)
        add_waiting(database, connection, topic_id, iteration + 1, to_add)
        connection.execute(
            update(tables.topic_stories)
            .where(tables.topic_stories.c.topics_id == topic_id, tables.topic_stories.c.stories_id == stories_id)
            .values(spidered=True, link_mine_error=error)
        )


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
