"""Sources: when each is next free to be fetched from."""

from __future__ import annotations

from sqlalchemy import select, update

from tearsheet.engines.database import Database
from tearsheet.topics import tables
from tearsheet.topics.spider.pace import wait_for_media


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
