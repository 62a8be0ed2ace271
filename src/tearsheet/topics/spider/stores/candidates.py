"""Stories of a topic: found, waiting to be added, in it, left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, Select, and_, case, delete, exists, func, or_, select, update

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import model, tables
from tearsheet.topics.decisions import merged_sources
from tearsheet.topics.spider.budget import Waiting, choose
from tearsheet.topics.spider.stores.discovery import number_found
from tearsheet.topics.spider.stores.web_stories import story_of
from tearsheet.topics.spider.web_story import WebStory
from tearsheet.topics.store import put_off


@dataclass(slots=True, frozen=True)
class Candidate:
    """A story that the topic knows, with its content."""

    story: WebStory
    iteration: int
    state: str
    spidered: bool
    assume_match: bool
    mined: bool
    """Whether its links are known from an earlier definition of the topic."""


def add_waiting(
    database: Database, connection: Connection, topic_id: int, iteration: int, stories: Iterable[tuple[str, bool]]
) -> None:
    """Add stories (id, assume_match) as waiting to be added to the topic, unless they have been routed already.

    A story that is found again before it is judged counts from where it is nearest, and as said to match if any way to it says so.
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
    if not rows:
        return
    known, new = tables.topic_stories.c, database.insert(tables.topic_stories)
    again, nearer = known.state == model.KNOWN, new.excluded.iteration < known.iteration
    statement = new.on_conflict_do_update(
        index_elements=["topics_id", "stories_id"],
        set_={
            "state": model.WAITING,
            "iteration": case((or_(again, nearer), new.excluded.iteration), else_=known.iteration),
            "assume_match": case((again, new.excluded.assume_match), else_=or_(known.assume_match, new.excluded.assume_match)),
        },
        where=or_(again, known.state == model.WAITING),
    )  # fmt: skip
    connection.execute(statement, rows)


def get_candidate(database: Database, topic_id: int, stories_id: str) -> Candidate | None:
    """A story that the topic knows, whatever its state."""
    stories = tables.topic_stories
    with database.read() as connection:
        row = connection.execute(
            select(
                tables.web_stories,
                *(stories.c[name] for name in ("iteration", "state", "spidered", "assume_match", "mined")),
            )
            .join(stories, stories.c.stories_id == tables.web_stories.c.stories_id)
            .where(stories.c.topics_id == topic_id, stories.c.stories_id == stories_id)
        ).one_or_none()
    if row is None:
        return None
    return Candidate(story_of(row), row.iteration, row.state, row.spidered, row.assume_match, row.mined)


def decide(database: Database, topic_id: int, stories_id: str, *, state: str, spidered: bool, why: str) -> None:
    """Take a story into the topic or leave it out, and record why. If its links are not followed, none is kept."""
    stories, links = tables.topic_stories, tables.topic_links
    own = and_(stories.c.topics_id == topic_id, stories.c.stories_id == stories_id)
    with database.begin() as connection:
        decided = connection.execute(
            update(stories)
            .where(own, stories.c.state.in_((model.ADDING, model.WAITING)))
            .values(state=state, why=why, spidered=spidered)
        )
        if decided.rowcount and spidered:
            connection.execute(update(stories).where(own, stories.c.mined).values(mined=False))
            connection.execute(delete(links).where(links.c.topics_id == topic_id, links.c.stories_id == stories_id))


def release(database: Database, topic_id: int, max_stories: int, max_self_linked: int) -> None:
    """Let the stories of the lowest iteration be added, once all of its pages have arrived, and no more than there is room for.

    A story that is added before another page of its iteration arrives might be judged by a sentence that turns out to be
    repeated, or take the place of one that was found before it. Waiting makes the result the same whatever order the pages arrive
    in. What is found once the topic is full is left out; but the links of its own stories are still followed, so that none
    between them is missing.
    """
    stories = tables.topic_stories
    of_topic = stories.c.topics_id == topic_id
    waiting = and_(of_topic, stories.c.state == model.WAITING)
    with database.begin() as connection:
        level = connection.execute(select(func.min(stories.c.iteration)).where(waiting)).scalar()
        if level is None:
            return
        taken = stories.c.state.in_((model.IN, model.MERGED))
        room = max_stories - connection.execute(select(func.count()).where(of_topic, taken)).scalar_one()
        if room <= 0:
            why = f"found beyond the size budget of {max_stories:,} stories"
            connection.execute(update(stories).where(waiting).values(state=model.OVER_BUDGET, spidered=True, why=why))
            return
        if _is_unready(connection, topic_id, level):
            return
        number_found(connection, topic_id, level)
        choice = choose(_waiting(connection, topic_id, level), room, max_self_linked, _brought(connection, topic_id))
        for chunk in chunks(choice.taken):
            connection.execute(
                update(stories).where(of_topic, stories.c.stories_id.in_(chunk)).values(state=model.ADDING)
            )
        why = f"its source has brought {max_self_linked:,} stories by links within itself"
        for chunk in chunks(choice.over_cap):
            left_out = {"state": model.OVER_CAP, "spidered": True, "why": why}
            connection.execute(update(stories).where(of_topic, stories.c.stories_id.in_(chunk)).values(left_out))


def _waiting(connection: Connection, topic_id: int, level: int) -> list[Waiting]:
    """The waiting stories of an iteration, in the order in which they were found."""
    stories, web = tables.topic_stories, tables.web_stories
    rows = connection.execute(
        select(stories.c.stories_id, web.c.media_id, stories.c.self_linked)
        .join(web, web.c.stories_id == stories.c.stories_id)
        .where(stories.c.topics_id == topic_id, stories.c.state == model.WAITING, stories.c.iteration == level)
        .order_by(stories.c.found)
    )
    merged = merged_sources(connection, topic_id)
    return [Waiting(id, merged.get(media, media), within) for id, media, within in rows]


def _brought(connection: Connection, topic_id: int) -> dict[str, int]:
    """How many stories of the topic each source has brought by links within itself."""
    stories, web = tables.topic_stories, tables.web_stories
    rows = connection.execute(
        select(web.c.media_id, func.count())
        .join(stories, stories.c.stories_id == web.c.stories_id)
        .where(
            stories.c.topics_id == topic_id,
            stories.c.state.in_((model.IN, model.MERGED)),
            stories.c.self_linked,
        )
        .group_by(web.c.media_id)
    )
    merged, brought = merged_sources(connection, topic_id), Counter[str]()
    for media, count in rows:
        brought[merged.get(media, media)] += count
    return brought


def _is_unready(connection: Connection, topic_id: int, level: int) -> bool:
    """Whether pages of this iteration are still to come, or stories that may lead to more of them are still being processed.

    What was put off is not waited for.
    """
    stories, fetches = tables.topic_stories, tables.topic_fetch_urls
    to_come = and_(
        fetches.c.topics_id == topic_id,
        fetches.c.state == model.PENDING,
        fetches.c.iteration <= level,
        fetches.c.url_key.not_in(put_off(topic_id, model.FETCH_LINK)),
    )
    mining = and_(
        stories.c.state == model.IN,
        stories.c.spidered.is_(False),
        stories.c.iteration < level,
        stories.c.stories_id.not_in(put_off(topic_id, model.MINE_STORY)),
    )
    at_work = and_(stories.c.topics_id == topic_id, or_(stories.c.state == model.ADDING, mining))
    return bool(connection.execute(select(or_(exists().where(to_come), exists().where(at_work)))).scalar())


def known_candidates(database: Database, topic_id: int, ids: Collection[str]) -> set[str]:
    """Which of these stories the topic has routed already, whatever became of them."""
    stories = tables.topic_stories
    found: set[str] = set()
    with database.read() as connection:
        for chunk in chunks(sorted(ids)):
            of_topic = and_(stories.c.topics_id == topic_id, stories.c.state != model.KNOWN)
            query = select(stories.c.stories_id).where(of_topic, stories.c.stories_id.in_(chunk))
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
