"""The seeds of a topic as they are stored, for a look ahead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import select

from tearsheet.engines.database import Database
from tearsheet.topics import tables

_ROWS = 10_000


@dataclass(slots=True, frozen=True)
class SampledSeed:
    """Where a topic starts, as far as a look ahead needs to know."""

    key: str
    url: str
    stories_id: str | None = None
    assume_match: bool = False


def stored_seeds(database: Database, topic_id: int) -> Iterator[SampledSeed]:
    """The seeds, whatever became of them."""
    seeds = tables.topic_seed_urls.c
    query = select(seeds.url_key, seeds.url, seeds.stories_id, seeds.assume_match).where(seeds.topics_id == topic_id)
    with database.read() as connection:
        for row in connection.execute(query, execution_options={"yield_per": _ROWS}):
            yield SampledSeed(*row)
