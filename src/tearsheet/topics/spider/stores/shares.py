"""Share counts of stories."""

from __future__ import annotations

from sqlalchemy import Select, delete, func, select

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


def save_failure(database: Database, stories_id: str, reason: str) -> None:
    """Record that there was no answer, and why: a row without the time of one."""
    with database.begin() as connection:
        connection.execute(
            database.insert(tables.story_statistics)
            .values(stories_id=stories_id, facebook_error=reason)
            .on_conflict_do_update(index_elements=["stories_id"], set_={"facebook_error": reason})
        )


def forget_failures(database: Database, topic_id: int) -> None:
    """Let the counts of a topic's stories be asked for again that were asked for in vain."""
    stories, statistics = tables.topic_stories, tables.story_statistics
    of_topic = select(stories.c.stories_id).where(stories.c.topics_id == topic_id)
    with database.begin() as connection:
        connection.execute(
            delete(statistics).where(
                statistics.c.facebook_collected_at.is_(None), statistics.c.stories_id.in_(of_topic)
            )
        )


def failures(database: Database, topic_id: int) -> tuple[int, str]:
    """For how many stories of the topic the counts were asked for in vain, and a reason."""
    stories, statistics = tables.topic_stories, tables.story_statistics
    query = (
        select(func.count(), func.min(statistics.c.facebook_error))
        .join(stories, stories.c.stories_id == statistics.c.stories_id)
        .where(
            stories.c.topics_id == topic_id,
            stories.c.state == model.IN,
            statistics.c.facebook_collected_at.is_(None),
        )
    )
    with database.read() as connection:
        count, reason = connection.execute(query).one()
    return count, reason or ""


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
