"""The tools for what surrounds the stories: sources, collections, topics, gaps, and why a story is absent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from pydantic import Field

from tearsheet.agents.calls import Answer, Arguments, Call, Tool, proof_of
from tearsheet.agents.wording import LONGEST_ADDRESS, LONGEST_TITLE, cut, fitted
from tearsheet.app import absence_of, overall_figures
from tearsheet.clock import utc_now
from tearsheet.errors import NotFoundError
from tearsheet.feeds.catalogue import (
    coverage_gaps,
    find_collection,
    list_collections,
    list_sources,
    no_collection,
)
from tearsheet.topics import Topic, store
from tearsheet.topics.snapshot import list_snapshots
from tearsheet.web import describe_reason

MOST_ROWS, MOST_DAYS = 200, 365
_NO_GAPS = "no gaps, as far as it is known what is usual: that takes two weeks of stories"
Limit = Field(50, ge=1, le=MOST_ROWS, description="How many rows; long answers have fewer.")
Offset = Field(0, ge=0, le=1 << 40, description="How many rows to pass over: `next_offset` of the answer before.")


class Sources(Arguments):
    """What `list_sources` is asked with."""

    name: str = Field("", description="Part of their name or domain.")
    collection: str = Field("", description="Only sources of this collection, by name or id.")
    limit: int = Limit
    offset: int = Offset


class Collections(Arguments):
    """What `list_collections` is asked with."""

    name: str = Field("", description="Part of their name.")
    limit: int = Limit
    offset: int = Offset


class Topics(Arguments):
    """What `list_topics` is asked with."""

    limit: int = Limit
    offset: int = Offset


class TopicTop(Arguments):
    """What `topic_top` is asked with."""

    topic: str = Field(description="The name of a topic, or its id.")
    limit: int = Field(10, ge=1, le=50, description="How many stories and how many media.")


class Gaps(Arguments):
    """What `list_gaps` is asked with."""

    days: int = Field(30, ge=1, le=MOST_DAYS, description="How many days back, up to yesterday.")
    source: str = Field("", description="Only this domain, as `example.com`.")
    limit: int = Limit
    offset: int = Offset


class Absent(Arguments):
    """What `why_absent` is asked with."""

    address: str = Field(description="The address of the story that was expected: http or https.", max_length=2_000)


def sources(call: Call, asked: Sources) -> Answer:
    """Sources, all or some."""
    reach, database = call.reach(), call.services.database
    collection = None
    if asked.collection:
        collection = find_collection(database, asked.collection)
        if reach is not None and collection not in reach.collections:
            raise no_collection(repr(asked.collection))
    found = list_sources(
        database,
        name=asked.name,
        collection_id=collection,
        ids=None if reach is None else reach.sources,
        limit=asked.limit,
        offset=asked.offset,
    )
    rows = [
        {"id": one.id, "collections": one.collections, "untrusted": _named(one.name, one.domain)} for one in found.rows
    ]
    return _page(call, "sources", rows, found.count, asked.offset)


def collections(call: Call, asked: Collections) -> Answer:
    """Collections, all or some."""
    reach = call.reach()
    found = list_collections(
        call.services.database,
        name=asked.name,
        ids=None if reach is None else reach.collections,
        limit=asked.limit,
        offset=asked.offset,
    )
    rows = [{"id": one.id, "name": cut(one.name, LONGEST_TITLE), "sources": one.sources} for one in found.rows]
    return _page(call, "collections", rows, found.count, asked.offset)


def topics(call: Call, asked: Topics) -> Answer:
    """All topics and how far they have got."""
    call.require_everything()
    database = call.services.database
    found = store.list_topics(database)
    rows = []
    for topic in found[asked.offset : asked.offset + asked.limit]:
        progress = store.progress_of(database, topic)
        rows.append(
            {
                "id": topic.id,
                "name": cut(topic.name, LONGEST_TITLE),
                "query": cut(topic.query, LONGEST_ADDRESS),
                "state": topic.state,
                "stories": progress.stories,
                "links": progress.links,
                "snapshots": len(list_snapshots(database, topic.id)),
            }
        )
    return _page(call, "topics", rows, len(found), asked.offset)


def topic_top(call: Call, asked: TopicTop) -> Answer:
    """The stories and media of a topic that most other media link to, in its newest snapshot."""
    call.require_everything()
    services = call.services
    topic = _topic(call, asked.topic)
    with call.shared.site.heavy.turn():
        figures = overall_figures(services, topic)
    shown: list[str] = []

    def make(most: int) -> dict[str, Any]:
        stories = figures.stories[: min(most, call.room.stories)]
        shown[:] = [one.story.id for one in stories]
        proofs = map(proof_of, services.captures.of_stories(("", one.story.id) for one in stories))
        return {
            "topic": topic.name,
            "of_stories": len(figures.stories),
            "of_media": len(figures.media),
            "stories": [
                {
                    "id": one.story.id,
                    "published": one.story.day.isoformat() if one.story.day else None,
                    "language": one.story.language,
                    "media_that_link_to_it": one.media_inlink_count,
                    "proof": proof,
                    "untrusted": {
                        "title": cut(one.story.title, LONGEST_TITLE),
                        "source": one.story.media,
                        "address": cut(one.story.url, LONGEST_ADDRESS),
                    },
                }
                for one, proof in zip(stories, proofs, strict=True)
            ],
            "media": [
                {
                    "stories": one.story_count,
                    "media_that_link_to_it": one.media_inlink_count,
                    "untrusted": {"source": one.media},
                }
                for one in figures.media[:most]
            ],
        }

    return Answer(fitted(make, asked.limit, call.room.characters), shown)


def gaps(call: Call, asked: Gaps) -> Answer:
    """Days on which a source brought far fewer stories than usual, and why."""
    call.require_everything()
    services = call.services
    last = utc_now(call.shared.site.clock).date() - timedelta(days=1)
    domains = {asked.source.strip().lower()} if asked.source.strip() else None
    first = last - timedelta(days=asked.days - 1)
    with call.shared.site.heavy.turn():
        found = coverage_gaps(services.index, services.ledger, services.database, first, last, domains)
    rows = [
        {
            "first": gap.first.isoformat(),
            "last": gap.last.isoformat(),
            "stories": gap.stories,
            "usual": gap.usual,
            "untrusted": {"source": gap.source, "why": cut(gap.why, LONGEST_TITLE)},
        }
        for gap in found[asked.offset : asked.offset + asked.limit]
    ]
    return _page(call, "gaps", rows, len(found), asked.offset, _NO_GAPS)


def absent(call: Call, asked: Absent) -> Answer:
    """Why the story at an address is not there, or that it is."""
    call.require_everything()
    found = absence_of(call.services, asked.address)
    days = call.services.settings.storage.ledger_days

    def make(most: int) -> dict[str, Any]:
        return {
            "known": found.known.name.lower(),
            "note": found.known.value,
            "id": found.index_id,
            "remembered_days": days or None,
            "steps": [
                {
                    "when": step.happened_at.isoformat(),
                    "stage": step.stage,
                    "outcome": step.status,
                    "reason": step.reason,
                    "meaning": describe_reason(step.reason) if step.reason else "",
                    "untrusted": {"detail": cut(step.detail, LONGEST_TITLE), "address": cut(step.url, LONGEST_ADDRESS)},
                }
                for step in found.steps[-most:]
            ],
        }

    return Answer(fitted(make, max(1, len(found.steps)), call.room.characters))


def _topic(call: Call, name: str) -> Topic:
    try:
        return store.find_topic(call.services.database, name)
    except NotFoundError:
        if not name.isascii() or not name.isdecimal() or len(name) > 15:
            raise
        return store.find_topic(call.services.database, int(name))


def _named(name: str, domain: str) -> dict[str, str]:
    return {"name": cut(name, LONGEST_TITLE), "domain": cut(domain, LONGEST_TITLE)}


def _page(
    call: Call, what: str, rows: Sequence[dict[str, Any]], count: int, offset: int, if_none: str = "there are none"
) -> Answer:
    """A list that is cut where the answer would become too long, and says where to go on, or why it is empty."""

    def make(most: int) -> dict[str, Any]:
        kept = rows[:most]
        end = offset + len(kept)
        note = {} if count else {"note": if_none}
        return {what: list(kept), "of": count, "next_offset": end if kept and end < count else None} | note

    return Answer(fitted(make, max(1, len(rows)), call.room.characters))


TOOLS: tuple[Tool[Any], ...] = (
    Tool("list_sources", "List sources", "The publications that are collected, by id.", Sources, sources),
    Tool("list_collections", "List collections", "Named sets of sources.", Collections, collections),
    Tool("list_topics", "List topics", "Topics that were mapped, and how far each has got.", Topics, topics),
    Tool(
        "topic_top",
        "Top stories and media of a topic",
        "The stories and media of a topic that most other media link to, in its newest snapshot.",
        TopicTop,
        topic_top,
    ),
    Tool(
        "list_gaps",
        "List gaps in coverage",
        "Days on which a source brought far fewer stories than usual, and why: check before you call something silence.",
        Gaps,
        gaps,
    ),
    Tool(
        "why_absent",
        "Why a story is absent",
        "What is known of an address that no search finds: dropped and why, erased, on its way, or never seen.",
        Absent,
        absent,
    ),
)
