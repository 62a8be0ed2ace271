"""The seeds of a topic: addresses, stories from the index and posts; and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import Row, func, select, update

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import tables
from tearsheet.topics.model import Seed
from tearsheet.topics.spider.addresses import clean_url, url_key
from tearsheet.topics.spider.posts import Post
from tearsheet.topics.spider.stores.candidates import add_waiting
from tearsheet.topics.spider.stores.fetches import add_fetches
from tearsheet.urls import BadURL


def add_seeds(database: Database, topic_id: int, seeds: Iterable[Seed]) -> tuple[int, list[str]]:
    """Add seeds, in order; known ones stay as they are. Returns how many are new, and what was not a valid address."""
    rows: dict[str, dict[str, Any]] = {}
    refused = []
    for seed in seeds:
        url = clean_url(seed.url)
        try:
            key = url_key(url or "")
        except BadURL:
            refused.append(seed.url)
            continue
        rows.setdefault(
            key,
            {
                "topics_id": topic_id,
                "url_key": key,
                "url": url,
                "stories_id": seed.stories_id,
                "source": seed.source,
                "assume_match": seed.assume_match,
                "processed": False,
            },
        )
    added = 0
    places = tables.topic_seed_urls.c.place
    with database.begin() as connection:
        known = select(func.max(places)).where(tables.topic_seed_urls.c.topics_id == topic_id)
        last = connection.execute(known).scalar() or 0
        for place, row in enumerate(rows.values(), start=last + 1):
            row["place"] = place
        for chunk in chunks(rows.values(), 100):
            statement = database.insert(tables.topic_seed_urls).values(list(chunk)).on_conflict_do_nothing()
            added += max(0, connection.execute(statement).rowcount)
    return added, refused


def add_posts(database: Database, topic_id: int, posts: Iterable[Post]) -> tuple[int, int]:
    """Add posts, and the addresses in them as seeds. Returns how many of each are new."""
    with_urls = [(post, _keyed(post.urls)) for post in posts]
    rows: list[dict[str, Any]] = [
        {"topics_id": topic_id, "post_id": post.id, "author": post.author, "channel": post.channel,
         "publish_date": post.day.isoformat(), "content": post.content}
        for post, _ in with_urls
    ]  # fmt: skip
    urls: list[dict[str, Any]] = [
        {"topics_id": topic_id, "post_id": post.id, "url_key": key, "url": url}
        for post, keyed in with_urls
        for key, url in keyed.items()
    ]
    seeds, _ = add_seeds(database, topic_id, [Seed(row["url"], None, "post") for row in urls])
    added = 0
    with database.begin() as connection:
        for table, items in ((tables.topic_posts, rows), (tables.topic_post_urls, urls)):
            for chunk in chunks(items, 100):
                done = connection.execute(database.insert(table).values(list(chunk)).on_conflict_do_nothing())
                added += max(0, done.rowcount) if table is tables.topic_posts else 0
    return added, seeds


def _keyed(urls: Iterable[str]) -> dict[str, str]:
    found = {}
    for url in urls:
        with suppress(BadURL):
            found[url_key(url)] = url
    return found


def count_seeds(database: Database, topic_id: int) -> int:
    """How many seeds a topic has, whatever became of them."""
    seeds = tables.topic_seed_urls
    with database.read() as connection:
        return int(connection.execute(select(func.count()).where(seeds.c.topics_id == topic_id)).scalar_one())


def unprocessed_seeds(database: Database, topic_id: int, limit: int) -> list[Row[Any]]:
    """Seeds that have not been routed, in a fixed order."""
    seeds = tables.topic_seed_urls
    with database.read() as connection:
        return list(
            connection.execute(
                select(seeds)
                .where(seeds.c.topics_id == topic_id, seeds.c.processed.is_(False))
                .order_by(seeds.c.url_key)
                .limit(limit)
            )
        )


def route_seeds(
    database: Database,
    topic_id: int,
    to_add: Sequence[tuple[str, bool]],
    to_fetch: Sequence[Row[Any]],
    keys: Sequence[str],
) -> None:
    """Record what becomes of seeds: stories (id, assume_match) that wait to be added, and addresses to be fetched."""
    with database.begin() as connection:
        add_fetches(
            database, connection, topic_id, 0, [(seed.url_key, seed.url, seed.assume_match) for seed in to_fetch]
        )
        add_waiting(database, connection, topic_id, 0, to_add)
        for chunk in chunks(keys):
            connection.execute(
                update(tables.topic_seed_urls)
                .where(tables.topic_seed_urls.c.topics_id == topic_id, tables.topic_seed_urls.c.url_key.in_(chunk))
                .values(processed=True)
            )
