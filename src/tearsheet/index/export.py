"""Stories with their full text as rows: what the columns are, and how a story fills them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import IO, Any

from tearsheet import tables
from tearsheet.engines.index import IndexedStory

COLUMNS = {
    "id": "text",
    "mediacloud_id": "text",
    "url": "text",
    "article_title": "text",
    "canonical_domain": "text",
    "language": "text",
    "publication_date": "day",
    "indexed_date": "moment",
    "source_id": "number",
    "feed_id": "number",
    "original_url": "text",
    "text_content": "text",
}
"""The fields of a story with their types, in the order of the columns; JSON lines also have what else is stored with it."""


def jsonl_lines(stories: Iterable[IndexedStory]) -> Iterator[bytes]:
    """One line of JSON per story."""
    return tables.jsonl_lines(story.extra | as_row(story) for story in stories)


def json_lines(stories: Iterable[IndexedStory]) -> Iterator[bytes]:
    """The same as one JSON array."""
    return tables.json_lines(jsonl_lines(stories))


def csv_lines(stories: Iterable[IndexedStory], *, bom: bool = False) -> Iterator[bytes]:
    """A heading, and one row per story."""
    return tables.csv_lines(COLUMNS, (as_row(story).values() for story in stories), bom=bom)


def write_parquet(stories: Iterable[IndexedStory], target: Path | IO[bytes]) -> int:
    """Write a Parquet file; returns how many stories it has. Needs the extra `parquet`."""
    return tables.write_parquet(list(COLUMNS), (_typed(story) for story in stories), target, COLUMNS)


def as_row(story: IndexedStory) -> dict[str, Any]:
    """A story by the names of the columns; `indexed_date` in ISO 8601 with nanoseconds."""
    row = {name: getattr(story, name) for name in COLUMNS}
    seconds, nanoseconds = divmod(story.indexed_date, 1_000_000_000)
    row["indexed_date"] = f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{nanoseconds:09}Z"
    return row


def _typed(story: IndexedStory) -> list[Any]:
    row = {name: getattr(story, name) for name in COLUMNS}
    row["publication_date"] = date.fromisoformat(story.publication_date) if story.publication_date else None
    return list(row.values())
