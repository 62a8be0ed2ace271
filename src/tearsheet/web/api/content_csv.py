"""Stories as the CSV that Media Cloud's users download."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

COLUMNS = ("id", "indexed_date", "language", "media_name", "media_url", "publish_date", "title", "url", "text")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def content_csv(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """A line of names, and one row a story. What a spreadsheet would take for a formula gets an apostrophe before it."""
    yield _line(COLUMNS)
    for row in rows:
        yield _line([_safe(row[name]) for name in COLUMNS])


def _line(values: Iterable[Any]) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerow(values)
    return buffer.getvalue().encode("utf-8", "replace")


def _safe(value: Any) -> Any:
    return "'" + value if isinstance(value, str) and value.startswith(_FORMULA) else value
