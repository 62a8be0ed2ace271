"""Feeds as tables: CSV in and out, plain or gzipped."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Iterator

from tearsheet.errors import UsageError
from tearsheet.feeds.catalog import NewFeed
from tearsheet.feeds.parse import unzip

COLUMNS = ("id", "url", "sources_id", "name", "active", "admin_minutes", "source_name", "homepage", "collections")
_NO = frozenset({"0", "f", "false", "n", "no", "off"})
_SEPARATOR = ";"


def read_feeds_csv(body: bytes) -> list[NewFeed]:
    """The feeds of a CSV file with a heading; only `url` is needed. Several collections are separated by `;`.

    A file without a heading whose first column holds addresses is read too. Raises UsageError, which names the line.
    """
    text = (unzip(body) if body.startswith(b"\x1f\x8b") else body).decode("utf-8-sig", "replace")
    rows = csv.reader(io.StringIO(text, newline=""), strict=False)
    try:
        table = [(rows.line_num, row) for row in rows if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UsageError(f"line {rows.line_num} of the CSV file cannot be read: {error}") from error
    if not table:
        return []
    heading = [cell.strip().lower() for cell in table[0][1]]
    if "url" not in heading:
        if not table[0][1][0].strip().lower().startswith(("http://", "https://")):
            raise UsageError("the CSV file needs a heading with a column `url`; others: " + ", ".join(COLUMNS))
        heading, table = ["url", "name"], [(0, []), *table]
    return [_feed(dict(zip(heading, row, strict=False)), line) for line, row in table[1:]]


def _feed(row: dict[str, str], line: int) -> NewFeed:
    cells = {name: value.strip() for name, value in row.items()}
    names = [name.strip() for name in cells.get("collections", "").split(_SEPARATOR)]
    return NewFeed(
        url=cells.get("url", ""),
        name=cells.get("name") or None,
        id=_number(cells, "id", line),
        sources_id=_number(cells, "sources_id", line),
        source_name=cells.get("source_name") or None,
        homepage=cells.get("homepage") or None,
        active=cells.get("active", "").lower() not in _NO,
        admin_minutes=_number(cells, "admin_minutes", line),
        collections=tuple(name for name in names if name),
    )


def _number(cells: dict[str, str], name: str, line: int) -> int | None:
    text = cells.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 18):
        raise UsageError(f"line {line} of the CSV file: {name} should be a whole number and not {text[:40]!r}")
    return int(text)


def write_feeds_csv(feeds: Iterable[NewFeed]) -> Iterator[str]:
    """A CSV file that `read_feeds_csv` reads, line by line."""
    yield csv_line(COLUMNS)
    for feed in feeds:
        yield csv_line(
            [
                feed.id, feed.url, feed.sources_id, feed.name, "true" if feed.active else "false", feed.admin_minutes,
                feed.source_name, feed.homepage, _SEPARATOR.join(feed.collections),
            ]
        )  # fmt: skip


def csv_line(cells: Iterable[object]) -> str:
    """One line of a CSV file."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(["" if cell is None else cell for cell in cells])
    return line.getvalue()


def gzipped(lines: Iterable[str]) -> bytes:
    """The lines as a gzip file that is always the same for the same lines."""
    return gzip.compress("".join(lines).encode("utf-8"), mtime=0)
