"""Stories leave the topics, with the links from and to them: all that the spider knows of them."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import tables


def addresses_in_topics(database: Database, keys: Collection[str]) -> list[str]:
    """Every address that led to the stories with these keys."""
    found: list[str] = []
    with database.read() as connection:
        for some in chunks(sorted(_story_ids(connection, keys))):
            rows = select(tables.story_urls.c.url).where(tables.story_urls.c.stories_id.in_(some))
            found += connection.execute(rows).scalars()
    return found


def addresses_of_media(database: Database, domain: str) -> list[str]:
    """The addresses of all spidered stories of a source."""
    web = tables.web_stories
    with database.read() as connection:
        return list(connection.execute(select(web.c.url).where(web.c.media_id == domain)).scalars())


def erase_from_topics(database: Database, keys: Collection[str], *, dry_run: bool = False) -> int:
    """Delete stories, by the keys of their addresses, from all topics; returns how many there are."""
    with database.read() as connection:
        ids = _story_ids(connection, keys)
        count = 0
        for some in chunks(sorted(ids)):
            held = select(func.count()).where(tables.web_stories.c.stories_id.in_(some))
            count += int(connection.execute(held).scalar_one())
    if not dry_run:
        with database.begin() as connection:
            for some in chunks(sorted(ids | set(keys))):
                _delete(connection, list(some))
    return count


def _story_ids(connection: Connection, keys: Collection[str]) -> set[str]:
    found = set(keys)
    for some in chunks(sorted(keys)):
        known = tables.story_urls
        found.update(connection.execute(select(known.c.stories_id).where(known.c.url_key.in_(some))).scalars())
    return found


def _delete(connection: Connection, some: list[str]) -> None:
    """Delete the rows that are about these stories or addresses. Both are known by the same kind of key."""
    for name in (
        "topic_jobs.item",
        "topic_post_urls.url_key",
        "topic_seed_urls.url_key topic_seed_urls.stories_id",
        "topic_fetch_urls.url_key topic_fetch_urls.stories_id",
        "topic_links.stories_id topic_links.url_key topic_links.ref_stories_id",
        "topic_decisions.key",
        "topic_judgements.stories_id",
        "topic_merged_stories_map.source_stories_id topic_merged_stories_map.target_stories_id",
        "topic_sentences.stories_id",
        "topic_stories.stories_id",
        "story_statistics.stories_id",
        "story_urls.url_key story_urls.stories_id",
        "unarchived_pages.stories_id",
        "web_stories.stories_id",
    ):
        table = getattr(tables, name.partition(".")[0])
        conditions: list[ColumnElement[bool]] = [table.c[column.partition(".")[2]].in_(some) for column in name.split()]
        connection.execute(delete(table).where(or_(*conditions)))
