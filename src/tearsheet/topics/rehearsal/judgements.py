"""What people judged of a topic's matches. Each judgement is kept with its time; the last one on a story counts."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import insert, select

from tearsheet.clock import utc_now
from tearsheet.engines.database import Database
from tearsheet.topics.tables import topic_judgements


def keep_judgements(database: Database, topic_id: int, judged: Mapping[str, bool | None]) -> None:
    """Keep whether these stories belong to a topic; None says that somebody looked and could not tell."""
    now = utc_now()
    rows = [
        {"topics_id": topic_id, "stories_id": story, "belongs": belongs, "judged_at": now}
        for story, belongs in judged.items()
    ]
    if rows:
        with database.begin() as connection:
            connection.execute(insert(topic_judgements), rows)


def judgements_of(database: Database, topic_id: int) -> dict[str, bool | None]:
    """What holds of each story that was judged."""
    table = topic_judgements
    query = select(table.c.stories_id, table.c.belongs).where(table.c.topics_id == topic_id).order_by(table.c.id)
    with database.read() as connection:
        return dict(connection.execute(query).all())
