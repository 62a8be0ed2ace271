"""Sources: which are duplicates of another, and when each is next free to be fetched from."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from tearsheet.engines.database import Database
from tearsheet.topics import tables
from tearsheet.topics.spider.dedupe import parent_media
from tearsheet.topics.spider.pace import wait_for_media


def set_duplicate_media(database: Database, media: str, parent: str | None) -> None:
    """Record that a source is a duplicate of another, which gets its stories. Raises MediaCycle."""
    with database.begin() as connection:
        known = dict(connection.execute(select(tables.media.c.media_id, tables.media.c.dup_media_id)).all())
        known[media] = parent
        parent_media(media, known)
        statement = database.insert(tables.media).values(media_id=media, name=media, dup_media_id=parent)
        connection.execute(statement.on_conflict_do_update(index_elements=["media_id"], set_={"dup_media_id": parent}))


def list_duplicate_media(database: Database) -> list[tuple[str, str]]:
    """The sources that are duplicates, each with the one that it duplicates."""
    media = tables.media
    with database.read() as connection:
        rows = connection.execute(
            select(media.c.media_id, media.c.dup_media_id)
            .where(media.c.dup_media_id.is_not(None))
            .order_by(media.c.media_id)
        )
        return [(media_id, parent) for media_id, parent in rows]


def parent_of(connection: Connection, media: str) -> str:
    """The source that gets the stories of another: the end of its chain of duplicates."""
    known: dict[str, str | None] = {}
    current: str | None = media
    while current is not None and current not in known:
        known[current] = connection.execute(
            select(tables.media.c.dup_media_id).where(tables.media.c.media_id == current)
        ).scalar()
        current = known[current]
    return parent_media(media, known)


def take_turn(database: Database, media: str, now: float, seconds: float) -> float:
    """Reserve the next fetch from a source: how many seconds from now it may start. `media_fetches` has the last one reserved."""
    if seconds <= 0:
        return 0.0
    fetches = tables.media_fetches
    with database.begin() as connection:
        # The insert locks the row in every database, so two workers cannot take the same turn.
        connection.execute(
            database.insert(fetches)
            .values(media_id=media, fetched_at=0.0)
            .on_conflict_do_update(index_elements=["media_id"], set_={"media_id": media})
        )
        last = connection.execute(select(fetches.c.fetched_at).where(fetches.c.media_id == media)).scalar_one()
        wait = wait_for_media(last, now, seconds)
        connection.execute(update(fetches).where(fetches.c.media_id == media).values(fetched_at=now + wait))
    return wait
