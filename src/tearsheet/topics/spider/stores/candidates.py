"""Stories of a topic: found, waiting to be added, in it, left out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, Select, and_, exists, func, or_, select, update

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import model, tables
from tearsheet.topics.spider.stores.web_stories import story_of
from tearsheet.topics.spider.web_story import WebStory


@dataclass(slots=True, frozen=True)
class Candidate:
    """A story that the topic knows, with its content."""

    story: WebStory
    iteration: int
    state: str
    spidered: bool
    assume_match: bool


def add_waiting(
    database: Database, connection: Connection, topic_id: int, iteration: int, stories: Iterable[tuple[str, bool]]
) -> None:
    """Add stories (id, assume_match) as waiting to be added to the topic.

    In order of their ids, and after the addresses to fetch: two workers that write the same rows in different orders would
    deadlock.
    """
    rows = [
        {
            "topics_id": topic_id,
            "stories_id": stories_id,
            "iteration": iteration,
            "state": model.WAITING,
            "spidered": False,
            "why": "",
            "assume_match": assume_match,
        }
        for stories_id, assume_match in sorted(stories)
    ]
    if rows:
        connection.execute(database.insert(tables.topic_stories).on_conflict_do_nothing(), rows)


def get_candidate(database: Database, topic_id: int, stories_id: str) -> Candidate | None:
    """A story that the topic knows, whatever its state."""
    stories = tables.topic_stories
    with database.read() as connection:
        row = connection.execute(
            select(tables.web_stories, stories.c.iteration, stories.c.state, stories.c.spidered, stories.c.assume_match)
            .join(stories, stories.c.stories_id == tables.web_stories.c.stories_id)
            .where(stories.c.topics_id == topic_id, stories.c.stories_id == stories_id)
        ).one_or_none()
    return Candidate(story_of(row), row.iteration, row.state, row.spidered, row.assume_match) if row else None


def decide(database: Database, topic_id: int, stories_id: str, *, state: str, spidered: bool, why: str) -> None:
    """Take a story into the topic or leave it out, and record why."""
    stories = tables.topic_stories
    with database.begin() as connection:
        connection.execute(
            update(stories)
            .where(
                stories.c.topics_id == topic_id,
                stories.c.stories_id == stories_id,
                stories.c.state.in_((model.ADDING, model.WAITING)),
            )
            .values(state=state, why=why, spidered=spidered)
        )


def release(database: Database, topic_id: int, max_stories: int) -> bool:
    """Let the stories of the lowest iteration be added, once all of its pages have arrived. Returns whether the topic is full.

    A story that is added before another page of its iteration arrives might be judged by a sentence that turns out to be
    repeated. Waiting makes the result the same whatever order the pages arrive in. No more stories are released than the size
    budget has room for; and a topic is full only once its stories have been mined, so that no link between them is missing.
    """
    stories = tables.topic_stories
    of_topic = stories.c.topics_id == topic_id
    with database.begin() as connection:
        level = connection.execute(
            select(func.min(stories.c.iteration)).where(of_topic, stories.c.state == model.WAITING)
        ).scalar()
        if level is None or _is_unready(connection, topic_id, level):
            return False
        members = connection.execute(select(func.count()).where(of_topic, stories.c.state == model.IN)).scalar_one()
        if members >= max_stories:
            return connection.execute(stories_to_mine(topic_id).limit(1)).first() is None
        ids = list(
            connection.execute(
                select(stories.c.stories_id)
                .where(of_topic, stories.c.state == model.WAITING, stories.c.iteration == level)
                .order_by(stories.c.stories_id)
                .limit(max_stories - members)
            ).scalars()
        )
        for chunk in chunks(ids):
            connection.execute(
                update(stories).where(of_topic, stories.c.stories_id.in_(chunk)).values(state=model.ADDING)
            )
    return False


def _is_unready(connection: Connection, topic_id: int, level: int) -> bool:
    """Whether pages of this iteration are still to come, or stories that may lead to more of them are still being processed."""
    stories, fetches = tables.topic_stories, tables.topic_fetch_urls
    to_come = and_(fetches.c.topics_id == topic_id, fetches.c.state == model.PENDING, fetches.c.iteration <= level)
    mining = and_(stories.c.state == model.IN, stories.c.spidered.is_(False), stories.c.iteration < level)
    at_work = and_(stories.c.topics_id == topic_id, or_(stories.c.state == model.ADDING, mining))
    return bool(connection.execute(select(or_(exists().where(to_come), exists().where(at_work)))).scalar())


def stop_spidering(database: Database, topic_id: int, why: str) -> None:
    """Leave out everything that is not in the topic yet, and record why: for example, its size budget is used up."""
    stories, fetches, links = tables.topic_stories, tables.topic_fetch_urls, tables.topic_links
    with database.begin() as connection:
        connection.execute(
            update(stories)
            .where(stories.c.topics_id == topic_id, stories.c.state.in_((model.WAITING, model.ADDING)))
            .values(state=model.OUT, why=why)
        )
        connection.execute(
            update(stories).where(stories.c.topics_id == topic_id, stories.c.spidered.is_(False)).values(spidered=True)
        )
        connection.execute(
            update(fetches)
            .where(fetches.c.topics_id == topic_id, fetches.c.state == model.PENDING)
            .values(state=model.SKIPPED, message=why)
        )
        connection.execute(
            update(links).where(links.c.topics_id == topic_id, links.c.fetched.is_(False)).values(fetched=True)
        )


def known_candidates(database: Database, topic_id: int, ids: Collection[str]) -> set[str]:
    """Which of these stories the topic already knows, whatever became of them."""
    stories = tables.topic_stories
    found: set[str] = set()
    with database.read() as connection:
        for chunk in chunks(sorted(ids)):
            query = select(stories.c.stories_id).where(stories.c.topics_id == topic_id, stories.c.stories_id.in_(chunk))
            found.update(connection.execute(query).scalars())
    return found


def stories_to_add(topic_id: int) -> Select[tuple[str]]:
    """The stories to be judged."""
    stories = tables.topic_stories
    return select(stories.c.stories_id.label("item")).where(
        stories.c.topics_id == topic_id, stories.c.state == model.ADDING
    )


def stories_to_mine(topic_id: int) -> Select[tuple[str]]:
    """The stories of the topic whose links are to be mined."""
    stories = tables.topic_stories
    return select(stories.c.stories_id.label("item")).where(
        stories.c.topics_id == topic_id, stories.c.state == model.IN, stories.c.spidered.is_(False)
    )
