"""Stories leave the topics: what the spider knows of them, and their titles and addresses in snapshots.

A snapshot keeps the place of an erased story, so that its figures stay what they were; only what the story was called, where it
was and why it was taken is gone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator

import msgspec
import zstandard
from sqlalchemy import ColumnElement, Connection, delete, func, or_, select, update

from tearsheet.engines.database import Database
from tearsheet.topics import tables
from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.store import chunks

ERASED_TITLE = "(erased)"


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
        "topic_merged_stories_map.source_stories_id topic_merged_stories_map.target_stories_id",
        "topic_sentences.stories_id",
        "topic_stories.stories_id",
        "story_statistics.stories_id",
        "story_urls.url_key story_urls.stories_id",
        "web_stories.stories_id",
    ):
        table = getattr(tables, name.partition(".")[0])
        conditions: list[ColumnElement[bool]] = [table.c[column.partition(".")[2]].in_(some) for column in name.split()]
        connection.execute(delete(table).where(or_(*conditions)))


def erase_from_snapshots(database: Database, keys: Collection[str], *, dry_run: bool = False) -> int:
    """Take titles and addresses of stories out of all snapshots; returns how many snapshots name one."""
    wanted, count = set(keys), 0
    for number, frozen in _snapshots(database):
        named = [story.id for story in frozen.stories if story.id in wanted and story.title != ERASED_TITLE]
        count += bool(named)
        if named and not dry_run:
            _save(database, number, _without(frozen, wanted))
    return count


def _without(frozen: Frozen, keys: Collection[str]) -> Frozen:
    stories = tuple(
        msgspec.structs.replace(story, url="", title=ERASED_TITLE, why="") if story.id in keys else story
        for story in frozen.stories
    )
    return msgspec.structs.replace(frozen, stories=stories)


def _snapshots(database: Database) -> Iterator[tuple[int, Frozen]]:
    snapshots = tables.topic_snapshots
    with database.read() as connection:
        numbers = list(connection.execute(select(snapshots.c.id).order_by(snapshots.c.id)).scalars())
    for number in numbers:
        with database.read() as connection:
            data = connection.execute(select(snapshots.c.inputs).where(snapshots.c.id == number)).scalar()
        if data is not None:
            yield number, msgspec.json.decode(zstandard.decompress(data), type=Frozen)


def _save(database: Database, number: int, frozen: Frozen) -> None:
    data = msgspec.json.encode(frozen)
    values = {"inputs": zstandard.compress(data, 3), "digest": hashlib.sha256(data).hexdigest()}
    snapshots = tables.topic_snapshots
    with database.begin() as connection:
        connection.execute(update(snapshots).where(snapshots.c.id == number).values(values))
