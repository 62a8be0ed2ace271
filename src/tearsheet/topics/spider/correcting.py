"""Corrects a topic: pages taken in and left out by hand, sources merged, what failed asked again, the definition changed.

A correction changes what the topic is to be, keeps the decision, and leaves the rest to the next run, which works out the whole
result anew from what is known (`spider.stores.anew`). All of it is one transaction, so a kill loses nothing, and a topic at work
is not corrected under the hands of its run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from functools import partial
from shlex import quote
from typing import Any

from sqlalchemy import Connection, and_, delete, func, select, update

from tearsheet.clock import utc_now
from tearsheet.engines.database import Database
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.feeds.catalogue import members_of
from tearsheet.query import parse_query
from tearsheet.topics import model, tables
from tearsheet.topics.decisions import EDIT, INCLUDE, MERGE, OF_PAGES, Decision, check_merge, record, undo
from tearsheet.topics.definition import check_definition
from tearsheet.topics.model import NewTopic, Seed, Topic, seed_question
from tearsheet.topics.spider.addresses import clean_url, url_key
from tearsheet.topics.spider.relevance import outside_dates
from tearsheet.topics.spider.stores.fetches import ask_again, forget_platforms
from tearsheet.topics.spider.stores.seeds import count_index_seeds, forget_posts, replace_index_seeds
from tearsheet.topics.store import stored_definition
from tearsheet.urls import BadURL

_SEEDING = frozenset({"query", "start", "end", "domains", "collections"})
"""The parts of a definition that decide which stories of the index are seeds."""
_PACE = "seconds_per_media_fetch"
"""The only part that changes nothing in the result."""


@dataclass(slots=True, frozen=True)
class DecidedPages:
    """What became of a decision about pages."""

    decided: int
    unknown: tuple[str, ...]
    """Addresses that the topic has not come across."""
    refused: tuple[str, ...]
    """What is not an address."""


@dataclass(slots=True, frozen=True)
class Retried:
    """What the next run tries again."""

    addresses: int
    pages: int
    """Stories whose pages could not be read for their links."""


@dataclass(slots=True, frozen=True)
class Edited:
    """What was changed in a topic's definition, and what its next run does again."""

    changed: tuple[str, ...]
    judged: int = 0
    """Known pages that are judged again, without being fetched."""
    fetched: int = 0
    """Addresses that are fetched again, as they held no word of the earlier query."""
    index_seeds: tuple[int, int] | None = None
    """Seeds from the index, before and now."""
    posts: int = 0
    """Posts that are no longer about the topic."""
    platforms: int = 0
    """Addresses on platforms, and others that are not followed, which are looked at again."""


@contextmanager
def _correction(database: Database, topic: Topic) -> Iterator[Connection]:
    """A transaction that corrects a topic; its next run works out the result anew. Raises UsageError while it is at work."""
    topics = tables.topics
    at_rest = and_(topics.c.id == topic.id, topics.c.state.not_in(model.AT_WORK))
    with database.begin() as connection:
        if not connection.execute(update(topics).where(at_rest).values(corrected=True)).rowcount:
            raise UsageError(
                f"the topic {topic.name!r} is at work: `tearsheet topic stop {quote(topic.name)}` stops it, then correct it"
            )
        yield connection


def decide_pages(database: Database, topic: Topic, kind: str, urls: Sequence[str], reason: str) -> DecidedPages:
    """Take pages into a topic, or leave them out, whatever their text says. An earlier decision on one no longer holds."""
    pages, refused = _pages(urls)
    _require_reason(reason)
    with _correction(database, topic) as connection:
        unknown = _not_come_across(connection, topic.id, pages)
        for key, url in pages.items():
            record(database, connection, topic.id, Decision(kind, url, reason, utc_now(), key=key))
        if kind == INCLUDE:
            ask_again(connection, topic.id, (*model.NOT_HAD, model.NO_MATCH), pages)
    return DecidedPages(len(pages), tuple(unknown), tuple(refused))


def undo_pages(database: Database, topic: Topic, kind: str, urls: Sequence[str]) -> DecidedPages:
    """Let the query decide about pages again. Raises NotFoundError for one that was not decided about; then none is undone."""
    assert kind in OF_PAGES
    pages, refused = _pages(urls)
    with _correction(database, topic) as connection:
        for key, url in pages.items():
            undo(connection, topic.id, kind, key, url)
    return DecidedPages(len(pages), (), tuple(refused))


def merge_sources(database: Database, topic: Topic, source: str, target: str, reason: str) -> None:
    """Let the stories of a source count for another one in this topic. Raises MergeCycle."""
    _require_reason(reason)
    if source == target:
        raise UsageError(f"{source} is one source already")
    with _correction(database, topic) as connection:
        check_merge(connection, topic.id, source, target)
        record(database, connection, topic.id, Decision(MERGE, source, reason, utc_now(), target, source))


def split_source(database: Database, topic: Topic, source: str) -> None:
    """Let a source that was merged into another one stand for itself again. Raises NotFoundError for one that was not."""
    with _correction(database, topic) as connection:
        undo(connection, topic.id, MERGE, source, source)


def retry(database: Database, topic: Topic, urls: Sequence[str] = ()) -> Retried:
    """Have what could not be had asked for again, and pages mined that could not be read; or these addresses only.

    What waits for another try is tried at once. Raises NotFoundError if there is nothing of it.
    """
    pages, refused = _pages(urls)
    if refused:
        raise UsageError(f"{refused[0][:200]!r} is not an address")
    with _correction(database, topic) as connection:
        if pages:
            states = (*model.NOT_HAD, model.NO_MATCH)
            found = Retried(
                len(ask_again(connection, topic.id, states, pages)) + _hurry(connection, topic.id, pages), 0
            )
        else:
            failed = len(ask_again(connection, topic.id, model.NOT_HAD)) + _hurry(connection, topic.id, None)
            found = Retried(failed, _count_unread(connection, topic))
        if not (found.addresses or found.pages):
            what = "none of these addresses failed or was rejected unread" if pages else "no link of it failed"
            raise NotFoundError(
                f"there is nothing to try again in {topic.name!r}: {what}; "
                f"`tearsheet topic stories {quote(topic.name)}` tells what became of each page"
            )
    return found


def edit_topic(
    database: Database,
    topic: Topic,
    changes: Mapping[str, Any],
    reason: str,
    ask_index: Callable[[NewTopic], Sequence[Seed]],
) -> Edited:
    """Change parts of a topic's definition, by their names in `NewTopic`.

    `ask_index` gives the stories of the index that a definition asks for; they take the place of those that the topic began with.
    Raises what `create_topic` raises.
    """
    same = {one.name: getattr(topic, one.name) for one in fields(NewTopic)}
    changed = {name: value for name, value in changes.items() if value != same[name]}
    if not changed:
        raise UsageError(f"nothing is changed: the topic {topic.name!r} is defined so already")
    new = NewTopic(**same | changed)
    check_definition(new)
    seed_question(new).ask(partial(members_of, database))
    with database.read() as connection:
        before = count_index_seeds(connection, topic.id)
    seeds = ask_index(new) if before and _SEEDING & changed.keys() else None
    with _correction(database, topic) as connection:
        connection.execute(update(tables.topics).where(tables.topics.c.id == topic.id).values(stored_definition(new)))
        for name in changed:
            told = f"{_told(same[name])} → {_told(changed[name])}"
            record(database, connection, topic.id, Decision(EDIT, name, reason, utc_now(), told))
        if changed.keys() == {_PACE}:
            connection.execute(
                update(tables.topics).where(tables.topics.c.id == topic.id).values(corrected=topic.corrected)
            )
            return Edited(tuple(changed))
        again = ask_again(connection, topic.id, [model.NO_MATCH]) if "query" in changed else []
        on_platforms = forget_platforms(connection, topic.id) if "platforms" in changed else 0
        if seeds is not None:
            replace_index_seeds(database, connection, topic.id, seeds)
        now = count_index_seeds(connection, topic.id)
        posts = _forget_posts(connection, topic.id, new) if {"query", "start", "end"} & changed.keys() else 0
        judged = _count_judged(connection, topic.id)
    index_seeds = (before, now) if seeds is not None else None
    return Edited(tuple(changed), judged, len(again), index_seeds, posts, on_platforms)


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise UsageError("--reason: say why, for those who read the decision later")


def _pages(urls: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Addresses by their keys, and what is none."""
    pages, refused = {}, []
    for url in urls:
        cleaned = clean_url(url)
        with suppress(BadURL):
            pages[url_key(cleaned or "")] = str(cleaned)
            continue
        refused.append(url)
    return pages, refused


def _not_come_across(connection: Connection, topic_id: int, pages: Mapping[str, str]) -> list[str]:
    """The pages that neither a seed nor a link of the topic has led to, by these addresses."""
    stories, known, fetches = tables.topic_stories, tables.story_urls, tables.topic_fetch_urls
    found: set[str] = set()
    for query in (
        select(known.c.url_key)
        .join(stories, stories.c.stories_id == known.c.stories_id)
        .where(stories.c.topics_id == topic_id, known.c.url_key.in_(pages)),
        select(fetches.c.url_key).where(fetches.c.topics_id == topic_id, fetches.c.url_key.in_(pages)),
    ):
        found.update(connection.execute(query).scalars())
    return [url for key, url in pages.items() if key not in found]


def _hurry(connection: Connection, topic_id: int, keys: Collection[str] | None) -> int:
    """Let what was put off be tried at once, and as often as if it had not been tried yet."""
    jobs = tables.topic_jobs
    chosen = and_(jobs.c.topics_id == topic_id, jobs.c.put_off)
    if keys is not None:
        chosen = and_(chosen, jobs.c.item.in_(keys))
    return connection.execute(delete(jobs).where(chosen)).rowcount


def _count_unread(connection: Connection, topic: Topic) -> int:
    """Stories whose links should be known and are not."""
    stories = tables.topic_stories
    unread = and_(stories.c.state == model.IN, stories.c.spidered, stories.c.mined.is_(False))
    query = select(func.count()).where(
        stories.c.topics_id == topic.id, unread, stories.c.iteration < topic.max_iterations
    )
    return int(connection.execute(query).scalar_one())


def _count_judged(connection: Connection, topic_id: int) -> int:
    stories = tables.topic_stories
    return int(connection.execute(select(func.count()).where(stories.c.topics_id == topic_id)).scalar_one())


def _forget_posts(connection: Connection, topic_id: int, new: NewTopic) -> int:
    query = parse_query(new.query)
    return forget_posts(
        connection,
        topic_id,
        lambda content, day: not outside_dates(day, new.start, new.end) and query.matches(title="", text=content),
    )


def _told(value: Any) -> str:
    """A part of a definition, for people to read."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "any"
    return "any" if value is None else str(value)
