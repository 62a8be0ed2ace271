"""Share counts of stories."""

from __future__ import annotations

from sqlalchemy import Select, func, select

from tearsheet.clock import utc_now
from tearsheet.engines.database import Database
from tearsheet.topics import model, tables
from tearsheet.topics.spider.facebook import Shares


def save_shares(database: Database, stories_id: str, shares: Shares) -> None:
    """Store the counts of a story."""
    values = {
        "facebook_share_count": shares.shares,
        "facebook_comment_count": shares.comments,
        "facebook_reaction_count": shares.reactions,
        "facebook_collected_at": utc_now(),
        "facebook_error": shares.error,
    }
    with database.begin() as connection:
        connection.execute(
            database.insert(tables.story_statistics)
            .values(stories_id=stories_id, **values)
            .on_conflict_do_update(index_elements=["stories_id"], set_=values)
        )


def has_shares(database: Database, stories_id: str) -> bool:
    """Whether the counts of a story have been asked for."""
    statistics = tables.story_statistics
    with database.read() as connection:
        return (
            connection.execute(
                select(func.count()).where(
                    statistics.c.stories_id == stories_id, statistics.c.facebook_collected_at.is_not(None)
                )
            ).scalar_one()
            > 0
        )


def stories_without_shares(topic_id: int) -> Select[tuple[str]]:
    """Stories of the topic that have no statistics yet."""
    stories, statistics = tables.topic_stories, tables.story_statistics
    return (
        select(stories.c.stories_id.label("item"))
        .select_from(stories.outerjoin(statistics, statistics.c.stories_id == stories.c.stories_id))
        .where(stories.c.topics_id == topic_id, stories.c.state == model.IN, statistics.c.stories_id.is_(None))
    )


def count_without_shares(database: Database, topic_id: int) -> int:
    """How many stories of the topic have no statistics yet."""
    with database.read() as connection:
        return connection.execute(
            select(func.count()).select_from(stories_without_shares(topic_id).subquery())
        ).scalar_one()
