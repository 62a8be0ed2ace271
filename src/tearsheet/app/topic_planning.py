"""What a topic will come to before it is run: which clause of its query brings what, and an estimate from a sample of links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial

from tearsheet.app.newsroom import require_newsroom
from tearsheet.app.running import run_to_its_end
from tearsheet.app.services import Services
from tearsheet.app.topics import spider_tools
from tearsheet.feeds.catalogue import members_of
from tearsheet.index import Asked, all_stories, answers
from tearsheet.query import And, Query, parse_query
from tearsheet.topics import Topic, seed_question
from tearsheet.topics.planning import Estimate, Sample, Terms, clauses_of, estimate
from tearsheet.topics.spider import SampledSeed, Sampler, count_seeds, stored_seeds

Tell = Callable[[str], object]
_LISTED = 10


@dataclass(slots=True, frozen=True)
class ClauseCount:
    """What a clause of the query does among the stories of the index, within the topic's dates and sources."""

    clause: str
    kind: str
    """`and`, `or` or `not`."""
    alone: int
    """How many stories the clause alone would find; of an exclusion, how many have what it excludes."""
    within: int
    """How many stories of the query it is true of."""
    change: int
    """How many more stories, or fewer, the query would find without it."""


@dataclass(slots=True, frozen=True)
class Plan:
    """What a topic will come to."""

    matching: int
    """The stories of the index that match the query, as `seed --index` would take them."""
    stored: bool
    """Whether the sample was drawn from seeds that the topic has, and not from those matching stories."""
    clauses: list[ClauseCount]
    sources: list[tuple[str, int]]
    """The sources with most of the matching stories."""
    months: list[tuple[str, int]]
    sample: Sample | None
    """None if none was to be drawn, or if there are no seeds."""
    estimate: Estimate | None


def plan_topic(services: Services, topic: Topic, number: int, tell: Tell) -> Plan:
    """Estimate what a run will come to from `number` links of the seeds; without any, only the query is looked at.

    Nothing of the topic changes. Raises EngineError on a demo whose newsroom is not served, if links are to be followed.
    """
    services.index.refresh()
    asked = seed_question(topic).ask(partial(members_of, services.database))
    stored = count_seeds(services.database, topic.id) > 0
    matching = services.index.count(asked.query)
    sample = None
    if number and (stored or matching):
        require_newsroom(services)
        sample = run_to_its_end(_sample(services, topic, asked, stored, number, tell))
    terms = Terms(
        topic.max_iterations,
        topic.max_stories,
        max(topic.seconds_per_media_fetch, services.settings.fetch.interval_seconds),
        services.settings.fetch.concurrency,
    )
    return Plan(
        matching,
        stored,
        _clause_counts(services, topic, asked, matching),
        answers.top_sources(services.index, asked.query, _LISTED),
        [(day[: len("2026-11")], count) for day, count in services.index.over_time(asked.query, "month")],
        sample,
        estimate(sample, terms, topic.name) if sample else None,
    )


async def _sample(services: Services, topic: Topic, asked: Asked, stored: bool, number: int, tell: Tell) -> Sample:
    async with AsyncExitStack() as stack:
        sampler = Sampler(spider_tools(services, stack), topic, tell)
        seeds = stored_seeds(services.database, topic.id) if stored else _matching(services, asked)
        return await sampler.sample(seeds, number)


def _matching(services: Services, asked: Asked) -> Iterator[SampledSeed]:
    for story in all_stories(services.index, asked.query, text=False, order="indexed-oldest"):
        yield SampledSeed(story.id, story.url, story.id)


def _clause_counts(services: Services, topic: Topic, asked: Asked, matching: int) -> list[ClauseCount]:
    def count(query: Query) -> int:
        return services.index.count(Query(query.source, And((query.tree, asked.everything.tree))))

    return [
        ClauseCount(
            clause.text, clause.kind, count(clause.alone), count(clause.within), count(clause.without) - matching
        )
        for clause in clauses_of(parse_query(topic.query))
    ]
