"""Topics in the database: their definitions, states and progress. The spider's statements are in `spider.stores`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from sqlalchemy import Column, Connection, Row, Select, and_, func, select, update

from tearsheet.clock import utc_now
from tearsheet.engines.database import Database
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.feeds.catalogue import members_of
from tearsheet.near_names import did_you_mean
from tearsheet.topics import model, tables
from tearsheet.topics.definition import check_definition
from tearsheet.topics.foci import foci_text, read_foci
from tearsheet.topics.model import NewTopic, Progress, Topic, seed_question


def create_topic(database: Database, new: NewTopic, default_seconds: float) -> Topic:
    """Store a topic.

    Raises QueryError for a query that cannot be parsed, UsageError when the name is taken or the definition makes no sense,
    NotFoundError for a collection that does not exist.
    """
    check_definition(new)
    seed_question(new).ask(partial(members_of, database))
    if new.seconds_per_media_fetch is None:
        new = replace(new, seconds_per_media_fetch=default_seconds)
    values = stored_definition(new) | {
        "state": model.CREATED,
        "message": "",
        "run": "",
        "seeded": False,
        "created_at": utc_now(),
    }
    with database.begin() as connection:
        result = connection.execute(database.insert(tables.topics).values(values).on_conflict_do_nothing())
        if not result.rowcount:
            raise UsageError(f"there is a topic {new.name!r} already; choose another name")
    return find_topic(database, new.name)


def stored_definition(new: NewTopic) -> dict[str, Any]:
    """A definition as it stands in the table."""
    return {
        "name": new.name,
        "query": new.query,
        "start_date": new.start.isoformat() if new.start else None,
        "end_date": new.end.isoformat() if new.end else None,
        "domains": json.dumps(sorted(new.domains)),
        "collections": json.dumps(sorted(new.collections)),
        "max_iterations": new.max_iterations,
        "max_stories": new.max_stories,
        "seconds_per_media_fetch": new.seconds_per_media_fetch,
        "foci": foci_text(new.foci),
        "timespans": json.dumps([[first.isoformat(), last.isoformat()] for first, last in new.timespans]),
        "platforms": new.platforms,
    }


def find_topic(database: Database, name: str | int) -> Topic:
    """A topic by name or id. Raises NotFoundError."""
    column = tables.topics.c.id if isinstance(name, int) else tables.topics.c.name
    with database.read() as connection:
        row = connection.execute(select(tables.topics).where(column == name)).one_or_none()
        names = connection.execute(select(tables.topics.c.name)).scalars().all() if row is None else ()
    if row is None:
        hint = did_you_mean(str(name), names, "`tearsheet topic list` lists them")
        raise NotFoundError(f"there is no topic {name!r}; {hint}")
    return _topic(row)


def list_topics(database: Database) -> list[Topic]:
    """All topics by name."""
    with database.read() as connection:
        return [_topic(row) for row in connection.execute(select(tables.topics).order_by(tables.topics.c.name))]


def story_ids(database: Database, topic_id: int) -> list[str]:
    """The ids of a topic's stories, as in the index."""
    stories = tables.topic_stories.c
    query = select(stories.stories_id).where(stories.topics_id == topic_id, stories.state == model.IN)
    with database.read() as connection:
        return list(connection.execute(query.order_by(stories.stories_id)).scalars())


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _topic(row: Row[Any]) -> Topic:
    return Topic(
        id=row.id,
        name=row.name,
        query=row.query,
        start=_day(row.start_date),
        end=_day(row.end_date),
        domains=tuple(json.loads(row.domains)),
        collections=tuple(json.loads(row.collections)),
        max_iterations=row.max_iterations,
        max_stories=row.max_stories,
        seconds_per_media_fetch=row.seconds_per_media_fetch,
        foci=read_foci(row.foci),
        timespans=tuple((date.fromisoformat(a), date.fromisoformat(b)) for a, b in json.loads(row.timespans)),
        platforms=row.platforms,
        state=row.state,
        message=row.message,
        run=row.run,
        seeded=row.seeded,
        corrected=row.corrected,
    )


def set_state(
    database: Database,
    topic_id: int,
    state: str | None = None,
    message: str | None = None,
    *,
    only_from: Sequence[str] = (),
    **more: Any,
) -> bool:
    """Record a topic's state, message or other columns; with `only_from`, only if its state is one of these. Returns if so."""
    values = more | ({"state": state} if state else {}) | ({"message": message} if message is not None else {})
    statement = update(tables.topics).where(tables.topics.c.id == topic_id).values(values)
    if only_from:
        statement = statement.where(tables.topics.c.state.in_(only_from))
    with database.begin() as connection:
        return bool(connection.execute(statement).rowcount)


def stop_topic(database: Database, topic: Topic) -> None:
    """Have the run of a topic stop, wherever it is; a later run goes on with it. Raises UsageError when none is at work."""
    if not note_stopped(database, topic.id):
        raise UsageError(f"the topic {topic.name!r} is not at work: its state is {topic.state}")


def note_stopped(database: Database, topic_id: int) -> bool:
    """Record that a run was stopped before its end: nobody works on it until it is run again. Returns if it was at work."""
    message = "stopped; `tearsheet topic run` goes on"
    return set_state(database, topic_id, model.STOPPED, message, only_from=model.AT_WORK)


def delete_topic(database: Database, topic: Topic) -> None:
    """Delete a topic with its seeds, stories, links and snapshots, all or nothing. Raises UsageError while it is at work.

    The pages that were found for it stay, as other topics may have the same; `erase` is what removes those.
    """
    known = tables.topics.c
    with database.begin() as connection:
        gone = connection.execute(tables.topics.delete().where(known.id == topic.id, known.state.not_in(model.AT_WORK)))
        if not gone.rowcount:
            raise UsageError(f"the topic {topic.name!r} is at work: `tearsheet topic stop` stops it first")
        for table in tables.topics.metadata.sorted_tables:
            if "topics_id" in table.c:
                connection.execute(table.delete().where(table.c.topics_id == topic.id))


def put_off(topic_id: int, job: str) -> Select[tuple[str]]:
    """The items of a job that are tried again later, and that nothing waits for."""
    jobs = tables.topic_jobs
    return select(jobs.c.item).where(jobs.c.topics_id == topic_id, jobs.c.job == job, jobs.c.put_off)


def list_put_off(database: Database, topic: Topic) -> list[tuple[str, datetime]]:
    """The addresses that are tried again later, and when, the first one first."""
    jobs, fetches, web = tables.topic_jobs, tables.topic_fetch_urls, tables.web_stories
    fetched = and_(fetches.c.topics_id == jobs.c.topics_id, fetches.c.url_key == jobs.c.item)
    query = (
        select(func.coalesce(fetches.c.url, web.c.url), jobs.c.held_until)
        .select_from(jobs.outerjoin(fetches, fetched).outerjoin(web, web.c.stories_id == jobs.c.item))
        .where(jobs.c.topics_id == topic.id, jobs.c.put_off)
        .order_by(jobs.c.held_until, jobs.c.item)
    )
    with database.read() as connection:
        return [(url or "", datetime.fromtimestamp(at, UTC)) for url, at in connection.execute(query)]


def progress_of(database: Database, topic: Topic) -> Progress:
    """How far a topic has got."""
    stories, links, fetches = tables.topic_stories, tables.topic_links, tables.topic_fetch_urls
    jobs, later = tables.topic_jobs, put_off(topic.id, model.FETCH_LINK)
    with database.read() as connection:
        by_state = _counts_by(connection, stories.c.state, topic.id)
        fetched = _counts_by(connection, fetches.c.state, topic.id)
        by_fetched = _counts_by(connection, links.c.fetched, topic.id)
        to_mine = connection.execute(
            select(func.count()).where(
                stories.c.topics_id == topic.id,
                stories.c.state == model.IN,
                stories.c.spidered.is_(False),
                stories.c.stories_id.not_in(put_off(topic.id, model.MINE_STORY)),
            )
        ).scalar_one()
        mine_errors = connection.execute(
            select(func.count()).where(stories.c.topics_id == topic.id, stories.c.link_mine_error.is_not(None))
        ).scalar_one()
        iteration = connection.execute(
            select(func.max(stories.c.iteration)).where(stories.c.topics_id == topic.id, stories.c.state == model.IN)
        ).scalar()
        to_fetch, first = connection.execute(
            select(func.count(), func.min(fetches.c.url)).where(
                fetches.c.topics_id == topic.id, fetches.c.state == model.PENDING, fetches.c.url_key.not_in(later)
            )
        ).one()
        unfetched = connection.execute(
            select(func.count()).where(
                links.c.topics_id == topic.id, links.c.fetched.is_(False), links.c.url_key.not_in(later)
            )
        ).scalar_one()
        again, next_try = connection.execute(
            select(func.count(), func.min(jobs.c.held_until)).where(jobs.c.topics_id == topic.id, jobs.c.put_off)
        ).one()
    return Progress(
        to_fetch=to_fetch,
        waiting=by_state.get(model.WAITING, 0),
        adding=by_state.get(model.ADDING, 0),
        to_mine=to_mine,
        stories=by_state.get(model.IN, 0),
        not_relevant=by_state.get(model.OUT, 0),
        over_budget=by_state.get(model.OVER_BUDGET, 0),
        over_cap=by_state.get(model.OVER_CAP, 0),
        left_out=fetched.get(model.IGNORED, 0),
        links=sum(by_fetched.values()),
        links_unfetched=unfetched,
        failed_requests=fetched.get(model.REQUEST_FAILED, 0),
        errors=fetched.get(model.ERROR, 0) + mine_errors,
        iteration=iteration or 0,
        first_waited_for=first or "",
        put_off=again,
        next_try=next_try,
    )


def count_links_between_stories(database: Database, topic: Topic) -> int:
    """How many links lead from one story of the topic to another: those that maps show. Others lead to no story of it."""
    links, stories = tables.topic_links, tables.topic_stories
    source, target = tables.topic_merged_stories_map.alias(), tables.topic_merged_stories_map.alias()
    members = select(stories.c.stories_id).where(stories.c.topics_id == topic.id, stories.c.state == model.IN)
    linking = func.coalesce(source.c.target_stories_id, links.c.stories_id)
    linked = func.coalesce(target.c.target_stories_id, links.c.ref_stories_id)
    merged_source = and_(source.c.topics_id == topic.id, source.c.source_stories_id == links.c.stories_id)
    merged_target = and_(target.c.topics_id == topic.id, target.c.source_stories_id == links.c.ref_stories_id)
    pairs = (
        select(linking.label("linking"), linked.label("linked"))
        .select_from(links.outerjoin(source, merged_source).outerjoin(target, merged_target))
        .where(links.c.topics_id == topic.id, linking != linked, linking.in_(members), linked.in_(members))
    )
    with database.read() as connection:
        return connection.execute(select(func.count()).select_from(pairs.distinct().subquery())).scalar_one()


def _counts_by(connection: Connection, column: Column[Any], topic_id: int) -> dict[Any, int]:
    """How many rows of a topic there are for each value of a column."""
    rows = select(column, func.count()).where(column.table.c.topics_id == topic_id).group_by(column)
    return dict(connection.execute(rows).all())
