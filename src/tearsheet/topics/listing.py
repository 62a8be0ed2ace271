"""What became of each page that a topic came across: in, out or undecided, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, and_, func, select

from tearsheet.engines.database import Database
from tearsheet.topics import model, tables
from tearsheet.topics.decisions import merged_sources
from tearsheet.topics.model import Topic

IN, OUT, UNDECIDED = "in", "out", "undecided"
STATUSES = (IN, OUT, UNDECIDED)
_OF_STATE = {
    model.IN: IN,
    model.OUT: OUT,
    model.MERGED: OUT,
    model.OVER_BUDGET: OUT,
    model.OVER_CAP: OUT,
    model.NO_MATCH: OUT,
    model.IGNORED: OUT,
}
"""What a state means; in every other one nothing is decided, because the page was not read yet or could not be."""
_WHY = {
    model.WAITING: "waits to be judged",
    model.ADDING: "waits to be judged",
    model.PENDING: "waits to be fetched",
    model.NO_MATCH: "the page holds no match for the query",
}


@dataclass(slots=True, frozen=True)
class ListedStory:
    """A page that a topic came across."""

    status: str
    """`in`, `out` or `undecided`."""
    url: str
    source: str
    title: str
    publish_date: str | None
    iteration: int
    """How many links it is away from the seeds."""
    state: str
    why: str
    links: int = 0
    """How many stories link to it."""


def list_stories(database: Database, topic: Topic) -> list[ListedStory]:
    """All pages of a topic: those that are in it, those that are out, those that are undecided; the nearest to the seeds first."""
    found = [*_stories(database, topic), *_without_story(database, topic)]
    return sorted(found, key=lambda one: (STATUSES.index(one.status), one.iteration, one.url))


def _stories(database: Database, topic: Topic) -> Iterator[ListedStory]:
    stories, web, merges = tables.topic_stories, tables.web_stories, tables.topic_merged_stories_map
    kept = web.alias()
    merged = and_(merges.c.topics_id == stories.c.topics_id, merges.c.source_stories_id == stories.c.stories_id)
    shown = ("stories_id", "url", "media_id", "title", "publish_date")
    query = (
        select(*(web.c[name] for name in shown), stories.c.iteration, stories.c.state, stories.c.why, kept.c.url.label("kept"))
        .select_from(
            stories.join(web, web.c.stories_id == stories.c.stories_id)
            .outerjoin(merges, merged)
            .outerjoin(kept, kept.c.stories_id == merges.c.target_stories_id)
        )
        .where(stories.c.topics_id == topic.id, stories.c.state != model.KNOWN)
    )  # fmt: skip
    with database.read() as connection:
        sources = merged_sources(connection, topic.id)
        linking = _linking(connection, topic.id, tables.topic_links.c.ref_stories_id)
        rows = connection.execute(query).all()
    for row in rows:
        source = sources.get(row.media_id, row.media_id)
        yield ListedStory(
            _OF_STATE.get(row.state, UNDECIDED), row.url, source, row.title, row.publish_date, row.iteration, row.state,
            _why_of_story(row), linking.get(row.stories_id, 0),
        )  # fmt: skip


def _why_of_story(row: Any) -> str:
    if row.state == model.MERGED:
        return f"merged into {row.kept}: {row.why}"
    return row.why or _WHY.get(row.state, "")


def _without_story(database: Database, topic: Topic) -> Iterator[ListedStory]:
    """The addresses that led to no story, or to none yet."""
    fetches = tables.topic_fetch_urls
    query = select(fetches).where(
        fetches.c.topics_id == topic.id, fetches.c.stories_id.is_(None), fetches.c.iteration != model.NOT_REACHED
    )
    with database.read() as connection:
        linking = _linking(connection, topic.id, tables.topic_links.c.url_key)
        rows = connection.execute(query).all()
    for row in rows:
        why = row.message or _WHY.get(row.state, row.state)
        status = _OF_STATE.get(row.state, UNDECIDED)
        yield ListedStory(status, row.url, "", "", None, row.iteration, row.state, why, linking.get(row.url_key, 0))


def _linking(connection: Connection, topic_id: int, target: Column[Any]) -> dict[str, int]:
    """How many stories link to each story, or to each address."""
    links = tables.topic_links.c
    count = func.count(links.stories_id.distinct())
    query = select(target, count).where(links.topics_id == topic_id, target.is_not(None)).group_by(target)
    return dict(connection.execute(query).all())
