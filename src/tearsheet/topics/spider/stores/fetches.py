"""Addresses that a topic fetches: pending until it is known what became of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, delete, select, update

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import model, tables
from tearsheet.topics.spider.stores.candidates import add_waiting
from tearsheet.urls import non_news_host


def add_fetches(
    database: Database, connection: Connection, topic_id: int, iteration: int, urls: Iterable[tuple[str, str, bool]]
) -> None:
    """Add addresses (key, url, assume_match) to be fetched, in order of their keys. What is known of one is not asked again."""
    rows = [
        {
            "topics_id": topic_id,
            "url_key": key,
            "url": url,
            "iteration": iteration,
            "state": model.PENDING,
            "message": "",
            "assume_match": assume_match,
        }
        for key, url, assume_match in sorted(urls)
    ]
    if rows:
        known, new = tables.topic_fetch_urls.c, database.insert(tables.topic_fetch_urls)
        reached = {name: new.excluded[name] for name in ("iteration", "assume_match")}
        connection.execute(
            new.on_conflict_do_update(
                index_elements=["topics_id", "url_key"], set_=reached, where=known.iteration == model.NOT_REACHED
            ),
            rows,
        )


def get_fetch(database: Database, topic_id: int, key: str) -> Row[Any] | None:
    """The row of an address that is, or was, to be fetched."""
    with database.read() as connection:
        return connection.execute(
            select(tables.topic_fetch_urls).where(
                tables.topic_fetch_urls.c.topics_id == topic_id, tables.topic_fetch_urls.c.url_key == key
            )
        ).one_or_none()


def finish_fetch(
    database: Database,
    topic_id: int,
    key: str,
    state: str,
    *,
    code: int | None = None,
    message: str = "",
    stories_id: str | None = None,
) -> None:
    """Record what became of an address; its story, if any, then waits to be added."""
    fetches = tables.topic_fetch_urls
    with database.begin() as connection:
        row = connection.execute(select(fetches).where(fetches.c.topics_id == topic_id, fetches.c.url_key == key)).one()
        if row.state != model.PENDING:
            return
        connection.execute(
            update(fetches)
            .where(fetches.c.topics_id == topic_id, fetches.c.url_key == key)
            .values(state=state, code=code, message=message[:500], stories_id=stories_id)
        )
        if stories_id is not None:
            add_waiting(database, connection, topic_id, row.iteration, [(stories_id, row.assume_match)])


def ask_again(
    connection: Connection, topic_id: int, states: Collection[str], keys: Collection[str] | None = None
) -> list[str]:
    """Forget what became of addresses that led to no story, so that the next run asks for them again; returns their keys.

    Of these addresses only, if some are given.
    """
    fetches = tables.topic_fetch_urls
    found: list[str] = []
    without_story = and_(fetches.c.topics_id == topic_id, fetches.c.state.in_(states), fetches.c.stories_id.is_(None))
    for some in [None] if keys is None else chunks(sorted(keys)):
        chosen = without_story if some is None else and_(without_story, fetches.c.url_key.in_(some))
        found += connection.execute(delete(fetches).where(chosen).returning(fetches.c.url_key)).scalars().all()
    return found


def forget_platforms(connection: Connection, topic_id: int) -> int:
    """Forget what became of addresses on platforms and of those not followed: they are looked at anew. Returns how many."""
    fetches, web = tables.topic_fetch_urls, tables.web_stories
    query = (
        select(fetches.c.url_key, fetches.c.url, fetches.c.state, web.c.url.label("led_to"))
        .select_from(fetches.outerjoin(web, web.c.stories_id == fetches.c.stories_id))
        .where(fetches.c.topics_id == topic_id)
    )
    keys = [
        row.url_key
        for row in connection.execute(query)
        if row.state == model.IGNORED or non_news_host(row.url) or non_news_host(row.led_to or row.url)
    ]
    for some in chunks(keys):
        connection.execute(delete(fetches).where(fetches.c.topics_id == topic_id, fetches.c.url_key.in_(some)))
    return len(keys)


def pending_addresses(topic_id: int) -> Select[tuple[str]]:
    """The keys of the addresses to be fetched."""
    fetches = tables.topic_fetch_urls
    return select(fetches.c.url_key.label("item")).where(
        fetches.c.topics_id == topic_id, fetches.c.state == model.PENDING
    )
