"""The sentences that a topic's stories use, so that repeated ones can be left out."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import tables
from tearsheet.topics.spider.relevance import calendar_week
from tearsheet.topics.spider.web_story import WebStory


def keep_sentences(database: Database, topic_id: int, story: WebStory, iteration: int, prints: Sequence[int]) -> None:
    """Record which sentences a story uses."""
    week = calendar_week(story.day)
    rows = [
        {
            "topics_id": topic_id,
            "stories_id": story.id,
            "fingerprint": number,
            "media_id": story.media,
            "week": week,
            "iteration": iteration,
        }
        for number in sorted(set(prints))
    ]
    if not rows:
        return
    with database.begin() as connection:
        for chunk in chunks(rows, 100):
            connection.execute(database.insert(tables.topic_sentences).values(list(chunk)).on_conflict_do_nothing())


def other_users(
    database: Database, topic_id: int, story: WebStory, iteration: int, prints: Sequence[int]
) -> dict[int, set[str]]:
    """Which other stories of the same source and week, up to this iteration, use these sentences: ids by fingerprint."""
    used: dict[int, set[str]] = {}
    sentences = tables.topic_sentences
    with database.read() as connection:
        for chunk in chunks(sorted(set(prints))):
            rows = connection.execute(
                select(sentences.c.fingerprint, sentences.c.stories_id).where(
                    sentences.c.topics_id == topic_id,
                    sentences.c.media_id == story.media,
                    sentences.c.week == calendar_week(story.day),
                    sentences.c.fingerprint.in_(chunk),
                    sentences.c.stories_id != story.id,
                    sentences.c.iteration <= iteration,
                )
            )
            for number, other in rows:
                used.setdefault(number, set()).add(other)
    return used
