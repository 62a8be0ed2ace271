"""Notes how the stories of a topic were found: in which order, and whether only their own source led to them."""

from __future__ import annotations

from sqlalchemy import Connection, and_, bindparam, func, select, update

from tearsheet.topics import model, tables
from tearsheet.topics.decisions import merged_sources
from tearsheet.topics.spider.budget import Found, order_of_discovery, self_linked


def number_found(connection: Connection, topic_id: int, level: int) -> None:
    """Number the waiting stories of an iteration that have no number, after those that have one.

    To be called when all pages of the iteration have arrived: only then is it known which way to a story was the first.
    """
    stories = tables.topic_stories
    unnumbered = set(
        connection.execute(
            select(stories.c.stories_id).where(
                stories.c.topics_id == topic_id,
                stories.c.state == model.WAITING,
                stories.c.iteration == level,
                stories.c.found.is_(None),
            )
        ).scalars()
    )
    if not unnumbered:
        return
    ways = _links_to(connection, topic_id, level) if level else _seeds_to(connection, topic_id)
    from_within = self_linked(ways)
    last = connection.execute(select(func.max(stories.c.found)).where(stories.c.topics_id == topic_id)).scalar() or 0
    connection.execute(
        update(stories)
        .where(stories.c.topics_id == topic_id, stories.c.stories_id == bindparam("story"))
        .values(found=bindparam("number"), self_linked=bindparam("within")),
        [
            {"story": id, "number": number, "within": id in from_within}
            for number, id in enumerate(order_of_discovery(unnumbered, ways), start=last + 1)
        ],
    )


def _seeds_to(connection: Connection, topic_id: int) -> list[Found]:
    """The seeds with the stories that they led to: their own, a known one with their address, or the one that was fetched."""
    seeds, known, fetches = tables.topic_seed_urls, tables.story_urls, tables.topic_fetch_urls
    fetched = and_(fetches.c.topics_id == seeds.c.topics_id, fetches.c.url_key == seeds.c.url_key)
    rows = connection.execute(
        select(func.coalesce(seeds.c.stories_id, fetches.c.stories_id, known.c.stories_id), seeds.c.place)
        .select_from(seeds.outerjoin(known, known.c.url_key == seeds.c.url_key).outerjoin(fetches, fetched))
        .where(seeds.c.topics_id == topic_id)
    )
    return [Found(id, 0, place) for id, place in rows if id is not None]


def _links_to(connection: Connection, topic_id: int, level: int) -> list[Found]:
    """The links of the iteration before with the stories that they led to."""
    stories, links, fetches = tables.topic_stories, tables.topic_links, tables.topic_fetch_urls
    own = and_(links.c.topics_id == stories.c.topics_id, links.c.stories_id == stories.c.stories_id)
    fetched = and_(fetches.c.topics_id == links.c.topics_id, fetches.c.url_key == links.c.url_key)
    led_to = func.coalesce(links.c.ref_stories_id, fetches.c.stories_id)
    finder, target = tables.web_stories.alias(), tables.web_stories.alias()
    merged = merged_sources(connection, topic_id)
    rows = connection.execute(
        select(target.c.stories_id, stories.c.found, links.c.place, finder.c.media_id, target.c.media_id)
        .select_from(
            stories.join(links, own)
            .outerjoin(fetches, fetched)
            .join(finder, finder.c.stories_id == stories.c.stories_id)
            .join(target, target.c.stories_id == led_to)
        )
        .where(
            stories.c.topics_id == topic_id,
            stories.c.iteration == level - 1,
            stories.c.state.in_((model.IN, model.MERGED)),
        )
    )
    return [
        Found(id, found or 0, place, merged.get(source, source) == merged.get(linked, linked))
        for id, found, place, source, linked in rows
    ]
