"""Snapshots in the database: a topic's stories and links, frozen. The same stories and links freeze to the same bytes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date, datetime
from shlex import quote
from typing import Any

import msgspec
import zstandard
from sqlalchemy import Connection, Row, Select, and_, select, update

from tearsheet.clock import utc_now
from tearsheet.engines.database import Database
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.topics import model, tables
from tearsheet.topics.decisions import merged_sources
from tearsheet.topics.methods import keep_record, load_record, record_now
from tearsheet.topics.model import Topic, simplest
from tearsheet.topics.snapshot.focusing import in_foci
from tearsheet.topics.snapshot.frozen import Frozen, FrozenPost, FrozenStory
from tearsheet.topics.snapshot.linked_pages import linked_pages

_ROWS = 10_000
"""How many rows are read at a time: a topic may have millions of links."""


@dataclass(slots=True, frozen=True)
class SnapshotInfo:
    """A stored snapshot."""

    id: int
    topics_id: int
    note: str
    digest: str
    created_at: datetime


def freeze(database: Database, topic: Topic) -> Frozen:
    """The stories and links of a topic as they are now."""
    with database.read() as connection:
        addresses, merged = _addresses(connection, topic.id), merged_sources(connection, topic.id)
        rows = connection.execute(_members(topic), execution_options={"yield_per": _ROWS})
        frozen = sorted(
            (_story(row, addresses, merged.get(row.media_id, row.media_id)) for row in rows),
            key=lambda story: story.id,
        )
        numbers = {story.id: number for number, story in enumerate(frozen)}
        found = _links(connection, topic.id, numbers)
        posts = _posts(connection, topic.id, numbers)
        pages = linked_pages(connection, topic.id, frozen, numbers, _kept(connection, topic.id), merged)
    found_now = Frozen(
        topic=topic.name,
        query=topic.query,
        start=topic.start,
        end=topic.end,
        timespans=topic.timespans,
        foci=(),
        stories=tuple(frozen),
        links=tuple(sorted(found)),
        posts=posts,
        sentences=tuple(sentence for _, sentence in sorted(found.items())),
        pages=pages,
    )
    return in_foci(database, found_now, topic.foci)


def _members(topic: Topic) -> Select[Any]:
    """The stories of a topic, without their pages and texts."""
    stories, web, statistics = tables.topic_stories, tables.web_stories, tables.story_statistics
    return (
        select(
            *(column for column in web.c if column.name not in ("page", "text")),
            stories.c.iteration,
            stories.c.why,
            statistics.c.facebook_share_count,
        )
        .join(stories, stories.c.stories_id == web.c.stories_id)
        .outerjoin(statistics, statistics.c.stories_id == web.c.stories_id)
        .where(stories.c.topics_id == topic.id, stories.c.state == model.IN)
    )


def _addresses(connection: Connection, topic_id: int) -> dict[str, set[str]]:
    """Every form in which the address of each story was written."""
    found: dict[str, set[str]] = {}
    for table in (tables.topic_links, tables.topic_seed_urls):
        query = (
            select(table.c.url_key, table.c.url)
            .join(tables.topic_stories, tables.topic_stories.c.stories_id == table.c.url_key)
            .where(table.c.topics_id == topic_id, tables.topic_stories.c.topics_id == topic_id)
        )
        for key, url in connection.execute(query, execution_options={"yield_per": _ROWS}):
            found.setdefault(key, set()).add(url)
    return found


def _links(connection: Connection, topic_id: int, numbers: dict[str, int]) -> dict[tuple[int, int], str]:
    """The links between these stories, each with its sentence. Of several links from one to another, the first one counts.

    The links of a merged story, and those to it, count for the story that was kept, after its own.
    """
    kept = _kept(connection, topic_id)
    links = tables.topic_links
    rows = connection.execute(
        select(links.c.stories_id, links.c.ref_stories_id, links.c.sentence)
        .where(links.c.topics_id == topic_id, links.c.ref_stories_id.is_not(None))
        .order_by(links.c.stories_id, links.c.place, links.c.url_key),
        execution_options={"yield_per": _ROWS},
    )
    own: dict[tuple[int, int], str] = {}
    taken_over: dict[tuple[int, int], str] = {}
    for a, b, sentence in rows:
        source, target = kept.get(a, a), kept.get(b, b)
        if source in numbers and target in numbers and source != target:
            found = own if source == a else taken_over
            found.setdefault((numbers[source], numbers[target]), sentence)
    return taken_over | own


def _kept(connection: Connection, topic_id: int) -> dict[str, str]:
    """The story that was kept of each merged one."""
    merged = tables.topic_merged_stories_map
    query = select(merged.c.source_stories_id, merged.c.target_stories_id).where(merged.c.topics_id == topic_id)
    return dict(connection.execute(query).all())


def _posts(connection: Connection, topic_id: int, numbers: dict[str, int]) -> tuple[FrozenPost, ...]:
    """The posts with the stories that their addresses led to. A merged story counts as the one that was kept."""
    posts, urls, known = tables.topic_posts, tables.topic_post_urls, tables.story_urls
    kept = _kept(connection, topic_id)
    rows = connection.execute(
        select(known.c.stories_id, posts.c.post_id, posts.c.author, posts.c.channel, posts.c.publish_date)
        .join(urls, urls.c.url_key == known.c.url_key)
        .join(posts, and_(posts.c.topics_id == urls.c.topics_id, posts.c.post_id == urls.c.post_id))
        .where(urls.c.topics_id == topic_id)
    )
    found = {
        (numbers[story], post): FrozenPost(numbers[story], post, author, channel, date.fromisoformat(day))
        for story, post, author, channel, day in ((kept.get(row[0], row[0]), *row[1:]) for row in rows)
        if story in numbers
    }
    return tuple(post for _, post in sorted(found.items()))


def _story(row: Row[Any], addresses: dict[str, set[str]], media: str) -> FrozenStory:
    """The story of a row; `media` is the source that it counts for in this topic."""
    return FrozenStory(
        id=row.stories_id,
        url=simplest([row.url, *addresses.get(row.stories_id, ())]),
        media=media,
        title=row.title,
        title_method=row.title_method,
        day=date.fromisoformat(row.publish_date) if row.publish_date else None,
        date_method=row.date_method,
        language=row.language,
        iteration=row.iteration,
        why=row.why,
        facebook_shares=row.facebook_share_count,
    )


def save_snapshot(
    database: Database,
    topic: Topic,
    run: str = "",
    note: str = "",
    *,
    max_self_linked: int | None = None,
    stories_of: int | None = None,
) -> int:
    """Freeze a topic and store the result, with how it came about; returns its id.

    With a `run`, also completes the topic, in the same transaction. `max_self_linked` is the cap that its sources had. `stories_of`
    names a snapshot whose stories and links are taken, in place of those of now, with the foci of now. Raises
    UsageError for a topic that was corrected and not run since: its stories are not those that it is defined to have.
    """
    snapshots = tables.topic_snapshots
    if topic.corrected and not run and stories_of is None:
        raise UsageError(
            f"corrections of {topic.name!r} wait for its next run: `tearsheet topic run {quote(topic.name)}` takes a snapshot too"
        )
    frozen, record = None, None
    if stories_of is not None:
        frozen = in_foci(database, load_snapshot(database, topic, stories_of), topic.foci)
        record = load_record(database, stories_of)
    data = msgspec.json.encode(frozen or freeze(database, topic))
    record = record or record_now(database, topic, max_self_linked, ends_run=bool(run))
    with database.begin() as connection:
        if run:
            of_topic = tables.topics.c.id == topic.id
            connection.execute(update(tables.topics).where(of_topic).values(state=model.COMPLETED))
            known = connection.execute(
                select(snapshots.c.id).where(snapshots.c.topics_id == topic.id, snapshots.c.run == run)
            ).scalar()
            if known is not None:
                return int(known)
        result = connection.execute(
            snapshots.insert().values(
                topics_id=topic.id,
                run=run,
                note=note,
                inputs=zstandard.compress(data, 3),
                digest=hashlib.sha256(data).hexdigest(),
                created_at=utc_now(),
            )
        )
        assert result.inserted_primary_key is not None
        number = int(result.inserted_primary_key[0])
        keep_record(connection, number, topic.id, record)
        return number


def list_snapshots(database: Database, topic_id: int) -> list[SnapshotInfo]:
    """The snapshots of a topic, oldest first."""
    snapshots = tables.topic_snapshots
    with database.read() as connection:
        rows = connection.execute(
            select(snapshots.c.id, snapshots.c.topics_id, snapshots.c.note, snapshots.c.digest, snapshots.c.created_at)
            .where(snapshots.c.topics_id == topic_id)
            .order_by(snapshots.c.id)
        ).all()
    return [SnapshotInfo(*row) for row in rows]


def load_snapshot(database: Database, topic: Topic, snapshot_id: int | None = None) -> Frozen:
    """A snapshot by its id, or the newest. Raises NotFoundError."""
    snapshots = tables.topic_snapshots
    query = select(snapshots.c.inputs).where(snapshots.c.topics_id == topic.id)
    if snapshot_id is not None:
        query = query.where(snapshots.c.id == snapshot_id)
    with database.read() as connection:
        data = connection.execute(query.order_by(snapshots.c.id.desc()).limit(1)).scalar()
    if data is None:
        if snapshot_id is None:
            raise NotFoundError(f"the topic {topic.name!r} has no snapshot yet; `tearsheet topic run` makes one")
        raise NotFoundError(
            f"the topic {topic.name!r} has no snapshot {snapshot_id}; `tearsheet topic status` lists those that it has"
        )
    return msgspec.json.decode(zstandard.decompress(data), type=Frozen)
