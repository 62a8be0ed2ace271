"""Stories with their full text as JSON lines, CSV or Parquet, as a stream: memory does not grow with their number."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import msgspec

from tearsheet.engines.index import IndexedStory
from tearsheet.errors import ConfigError

COLUMNS = (
    "id", "url", "article_title", "canonical_domain", "language", "publication_date", "indexed_date", "source_id", "feed_id",
    "original_url", "text_content",
)  # fmt: skip
"""The fields of a story, in the order of the columns; JSON lines have what else is stored with it, too."""
FORMATS = ("jsonl", "csv", "parquet")
BOM = "\ufeff".encode()
"""Tells Excel that a CSV file is UTF-8."""
_PARQUET_ROWS = 2_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_row(story: IndexedStory) -> dict[str, Any]:
    """A story by the names of the columns; `indexed_date` in ISO 8601 with nanoseconds."""
    row = {name: getattr(story, name) for name in COLUMNS}
    seconds, nanoseconds = divmod(story.indexed_date, 1_000_000_000)
    row["indexed_date"] = f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{nanoseconds:09}Z"
    return row


def jsonl_lines(stories: Iterable[IndexedStory]) -> Iterator[bytes]:
    """One line of JSON a story."""
    encode = msgspec.json.Encoder().encode
    for story in stories:
        yield encode(story.extra | as_row(story)) + b"\n"


def csv_lines(stories: Iterable[IndexedStory], *, bom: bool = False) -> Iterator[bytes]:
    """A line of names, and one row a story."""
    return csv_rows(COLUMNS, (as_row(story).values() for story in stories), bom=bom)


def csv_rows(names: Iterable[str], rows: Iterable[Iterable[Any]], *, bom: bool = False) -> Iterator[bytes]:
    """A line of names, and the rows.

    A value that a spreadsheet would take for a formula gets an apostrophe before it: titles come from strangers.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)

    def line(values: Iterable[Any]) -> bytes:
        writer.writerow([_safe(value) for value in values])
        text = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        return text.encode("utf-8", "replace")

    yield (BOM if bom else b"") + line(names)
    for values in rows:
        yield line(values)


def _safe(value: Any) -> Any:
    return "'" + value if isinstance(value, str) and value.startswith(_FORMULA) else value


def write_parquet(stories: Iterable[IndexedStory], target: Path | IO[bytes]) -> int:
    """Write a Parquet file, some thousand rows at a time, and say how many there are. Needs the extra `parquet`."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise ConfigError("Parquet needs its library: pip install 'tearsheet[parquet]'") from error
    types = {"source_id": arrow.int64(), "feed_id": arrow.int64(), "publication_date": arrow.date32()}
    types["indexed_date"] = arrow.timestamp("ns", tz="UTC")
    schema = arrow.schema([(name, types.get(name, arrow.string())) for name in COLUMNS])
    count = 0
    with parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        for rows in _groups(stories):
            count += len(rows)
            writer.write_table(arrow.Table.from_pydict({name: _column(rows, name) for name in COLUMNS}, schema=schema))
    return count


def _column(rows: list[IndexedStory], name: str) -> list[Any]:
    values = [getattr(story, name) for story in rows]
    if name == "publication_date":
        return [datetime.fromisoformat(value).date() if value else None for value in values]
    return values


def _groups(stories: Iterable[IndexedStory]) -> Iterator[list[IndexedStory]]:
    group: list[IndexedStory] = []
    for story in stories:
        group.append(story)
        if len(group) == _PARQUET_ROWS:
            yield group
            group = []
    if group:
        yield group
