"""The seeds of a topic: addresses, stories from the index and posts; and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import date
from typing import Any

from sqlalchemy import Connection, Row, and_, delete, exists, func, select, update

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import model, tables
from tearsheet.topics.decisions import included_pages
from tearsheet.topics.model import INDEX, POST, Seed
from tearsheet.topics.spider.addresses import clean_url, url_key
from tearsheet.topics.spider.posts import Post
from tearsheet.topics.spider.stores.candidates import add_waiting
from tearsheet.topics.spider.stores.fetches import add_fetches, ask_again
from tearsheet.urls import BadURL


def add_seeds(database: Database, topic_id: int, seeds: Iterable[Seed]) -> tuple[int, list[str]]:
    """Add seeds, in order; known ones keep their places.

    Returns how many are new or taken up again, and what was not a valid address. A known seed is taken up again when it is now said
    to match, or when its page could not be had: it is asked for again. What was spidered already is then worked out anew.
    """
    rows: dict[str, dict[str, Any]] = {}
    refused = []
    for seed in seeds:
        url = clean_url(seed.url)
        try:
            key = url_key(url or "")
        except BadURL:
            refused.append(seed.url)
            continue
        rows.setdefault(key, _row(topic_id, key, str(url), seed))
    changed = 0
    with database.begin() as connection:
        for chunk in chunks(_placed(connection, topic_id, rows.values()), 100):
            again = _take_up_again(connection, topic_id, chunk)
            statement = database.insert(tables.topic_seed_urls).values(list(chunk)).on_conflict_do_nothing()
            changed += max(0, connection.execute(statement).rowcount) + again
        if changed:
            _work_out_anew(connection, topic_id)
    return changed, refused


def _row(topic_id: int, key: str, url: str, seed: Seed) -> dict[str, Any]:
    return {
        "topics_id": topic_id,
        "url_key": key,
        "url": url,
        "stories_id": seed.stories_id,
        "source": seed.source,
        "assume_match": seed.assume_match,
        "processed": False,
    }


def _placed(connection: Connection, topic_id: int, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of seeds with places after those that there are."""
    seeds = tables.topic_seed_urls
    last = connection.execute(select(func.max(seeds.c.place)).where(seeds.c.topics_id == topic_id)).scalar() or 0
    return [{**row, "place": place} for place, row in enumerate(rows, start=last + 1)]


def _take_up_again(connection: Connection, topic_id: int, rows: Sequence[dict[str, Any]]) -> int:
    """Take up known seeds that people name once more; the index names its own each time. Returns how many that changes."""
    seeds = tables.topic_seed_urls
    named = [row["url_key"] for row in rows if row["source"] != INDEX]
    assumed = [row["url_key"] for row in rows if row["assume_match"]]
    of_topic = seeds.c.topics_id == topic_id
    known = set(connection.execute(select(seeds.c.url_key).where(of_topic, seeds.c.url_key.in_(named))).scalars())
    doubted = select(seeds.c.url_key).where(of_topic, seeds.c.url_key.in_(assumed), seeds.c.assume_match.is_(False))
    changed = set(connection.execute(doubted).scalars())
    connection.execute(update(seeds).where(of_topic, seeds.c.url_key.in_(changed)).values(assume_match=True))
    for row in rows:
        if row["url_key"] in known:  # it stays a seed when the index no longer has it
            own = and_(of_topic, seeds.c.url_key == row["url_key"], seeds.c.source == INDEX)
            connection.execute(update(seeds).where(own).values(source=row["source"]))
    changed |= set(ask_again(connection, topic_id, model.NOT_HAD, named)) & known
    changed |= set(ask_again(connection, topic_id, (*model.NOT_HAD, model.NO_MATCH), assumed)) & known
    return len(changed)


def _work_out_anew(connection: Connection, topic_id: int) -> None:
    """Have the next run begin with all seeds once more, if earlier ones were spidered without these."""
    seeds, topics = tables.topic_seed_urls, tables.topics
    begun = exists().where(seeds.c.topics_id == topic_id, seeds.c.processed)
    connection.execute(update(topics).where(topics.c.id == topic_id, begun).values(corrected=True))


def replace_index_seeds(database: Database, connection: Connection, topic_id: int, new: Iterable[Seed]) -> None:
    """Put other stories of the index in the place of those that a topic was seeded with."""
    seeds = tables.topic_seed_urls
    of_topic = seeds.c.topics_id == topic_id
    query = select(seeds.c.url_key, seeds.c.source).where(of_topic).order_by(seeds.c.place, seeds.c.url_key)
    held = [(row.url_key, row.source == INDEX) for row in connection.execute(query)]
    first = next((number for number, (_, of_index) in enumerate(held) if of_index), len(held))
    before, after = ([key for key, of_index in part if not of_index] for part in (held[:first], held[first:]))
    others = {*before, *after}
    rows = {(key := url_key(seed.url)): _row(topic_id, key, seed.url, seed) for seed in new}
    fresh = [row for key, row in rows.items() if key not in others]
    connection.execute(delete(seeds).where(of_topic, seeds.c.source == INDEX))
    placed = [{**row, "place": place} for place, row in enumerate(fresh, start=len(before) + 1)]
    for chunk in chunks(placed, 100):
        connection.execute(database.insert(seeds).values(list(chunk)).on_conflict_do_nothing())
    places = [*enumerate(before, start=1), *enumerate(after, start=len(before) + len(fresh) + 1)]
    for place, key in places:
        connection.execute(update(seeds).where(of_topic, seeds.c.url_key == key).values(place=place))


def count_index_seeds(connection: Connection, topic_id: int) -> int:
    """How many seeds of a topic are from the index."""
    seeds = tables.topic_seed_urls
    of_index = select(func.count()).where(seeds.c.topics_id == topic_id, seeds.c.source == INDEX)
    return int(connection.execute(of_index).scalar_one())


def forget_posts(connection: Connection, topic_id: int, is_about: Callable[[str, date], bool]) -> int:
    """Forget the posts that a topic is not about, by their content and day, with the seeds that no other post named.

    Returns how many there were.
    """
    posts, urls, seeds = tables.topic_posts, tables.topic_post_urls, tables.topic_seed_urls
    rows = connection.execute(
        select(posts.c.post_id, posts.c.content, posts.c.publish_date).where(posts.c.topics_id == topic_id)
    )
    gone = [row.post_id for row in rows if not is_about(row.content, date.fromisoformat(row.publish_date))]
    for chunk in chunks(gone):
        for table in (posts, urls):
            connection.execute(delete(table).where(table.c.topics_id == topic_id, table.c.post_id.in_(chunk)))
    named = select(urls.c.url_key).where(urls.c.topics_id == topic_id)
    if gone:
        of_posts = and_(seeds.c.topics_id == topic_id, seeds.c.source == POST)
        connection.execute(delete(seeds).where(of_posts, seeds.c.url_key.not_in(named)))
    return len(gone)


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
    seeds, _ = add_seeds(database, topic_id, [Seed(row["url"], None, POST) for row in urls])
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
    """How many seeds a topic has, whatever became of them; pages that people took in are seeds of the next run."""
    seeds = tables.topic_seed_urls
    with database.read() as connection:
        included = {page.key for page in included_pages(connection, topic_id)}
        known = set(connection.execute(select(seeds.c.url_key).where(seeds.c.topics_id == topic_id)).scalars())
        return len(known | included)


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
    to_fetch: Sequence[tuple[str, str, bool]],
    keys: Sequence[str],
) -> None:
    """Record what becomes of seeds: stories (id, assume_match) that wait to be added, and addresses to be fetched.

    The addresses come with their keys and whether they are said to match.
    """
    with database.begin() as connection:
        add_fetches(database, connection, topic_id, 0, to_fetch)
        add_waiting(database, connection, topic_id, 0, to_add)
        for chunk in chunks(keys):
            connection.execute(
                update(tables.topic_seed_urls)
                .where(tables.topic_seed_urls.c.topics_id == topic_id, tables.topic_seed_urls.c.url_key.in_(chunk))
                .values(processed=True)
            )
