"""Feeds and sources as CSV files, read and written; what is read may be gzipped."""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Iterable, Iterator

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.folders import folders_text, names_text, read_folders, read_names
from tearsheet.feeds.catalogue.model import NewFeed, NewSource, Source
from tearsheet.feeds.intervals import checked_minutes, usable_minutes
from tearsheet.tables import csv_lines, unguarded, utf8_text

COLUMNS = (
    "id", "url", "sources_id", "name", "active", "admin_minutes", "source_name", "homepage", "collections", "folders",
    "user_agent", "ignore_validators",
)  # fmt: skip
SOURCE_COLUMNS = ("id", "name", "domain", "homepage", "collections")
_NO = frozenset({"0", "f", "false", "n", "no", "off"})
_YES = frozenset({"1", "t", "true", "y", "yes", "on"})
_DELIMITERS = (",", ";", "\t")
"""What stands between two cells; spreadsheets of half the world write semicolons."""
_NAMED = frozenset({"url", "homepage", "domain"})
"""Columns of which one is in every heading."""
MAX_ROWS = 1_000_000
MAX_HEADING = 10_000
MAX_ROW_LENGTH = 1_000_000
"""In characters; a cell may have 131,072."""

Row = tuple[int, list[str]]
"""The number of its last line, and its cells."""


def read_feeds_csv(body: bytes) -> list[NewFeed]:
    """The feeds of a CSV file with a heading; only `url` is needed. Several collections, and several folders, are
    separated by `;`. Cells are separated by commas, semicolons or tabs.

    A file without a heading whose first column holds addresses is read too. Raises UsageError, which names the line.
    """
    heading, table = _table(body)
    if "url" not in heading:
        if not heading or not heading[0].startswith(("http://", "https://", "feed:")):
            raise UsageError("line 1: the CSV file needs a heading with a column `url`; others: " + ", ".join(COLUMNS))
        heading, table = ["url", "name"], _rows(body)
    return [_feed(dict(zip(heading, row, strict=False)), line) for line, row in table]


def _table(body: bytes) -> tuple[list[str], Iterator[Row]]:
    """The heading in lower case, and the rows below it with their line numbers."""
    rows = _rows(body)
    first = next(rows, None)
    if first is None:
        raise UsageError("line 1: the file is empty")
    return [cell.strip().lower() for cell in first[1]], rows


def _rows(body: bytes) -> Iterator[Row]:
    """The rows that are not blank, one at a time: a small gzip file may unpack to more of them than fit into memory."""
    if body.startswith(b"\x1f\x8b"):
        body = _unpacked(body)
    text = utf8_text(body)
    lines = _Lines(io.StringIO(text, newline=""))
    rows = csv.reader(lines, delimiter=_delimiter(text), strict=False)
    try:
        for number, row in enumerate(rows, 1):
            if number > MAX_ROWS:
                raise UsageError(
                    f"line {rows.line_num}: the CSV file has more than {MAX_ROWS:,} rows: split it and import the parts"
                )
            lines.length = 0
            if any(cell.strip() for cell in row):
                # Remove the guard against formulas that we add when writing.
                yield rows.line_num, [unguarded(cell) for cell in row]
    except csv.Error as error:
        raise UsageError(f"line {rows.line_num} of the CSV file cannot be read: {error}") from error


def _delimiter(text: str) -> str:
    """What stands between the cells of a file: that which makes a heading of its first line."""
    first = text.lstrip("\r\n \t")[:MAX_HEADING].partition("\n")[0].rstrip("\r")
    for delimiter in _DELIMITERS:
        cells = {cell.strip().strip('"').strip().lower() for cell in first.split(delimiter)}
        if len(cells) > 1 and cells & _NAMED:
            return delimiter
    return ","


def _unpacked(body: bytes) -> bytes:
    from tearsheet.feeds.formats import MAX_UNZIPPED  # loads the parsers of feeds, which most lists do not need

    unpacker = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpacker.decompress(body, MAX_UNZIPPED + 1)
    except zlib.error as error:
        raise UsageError(f"byte 0: the gzip data is damaged: {error}") from error
    if len(unpacked) > MAX_UNZIPPED:
        raise UsageError(f"the CSV file unpacks to more than {MAX_UNZIPPED:,} bytes: split it and import the parts")
    if not unpacker.eof:
        raise UsageError(f"byte {len(body)}: the gzip data is cut off")
    return unpacked


class _Lines:
    """The lines of a CSV file. A row may have several; one that is too long is refused before it is split into cells."""

    def __init__(self, file: io.StringIO) -> None:
        self._file = file
        self._number = 0
        self.length = 0
        """Of the row, as far as it has been read."""

    def __iter__(self) -> Iterator[str]:
        while line := self._file.readline(MAX_ROW_LENGTH + 1):
            self._number += 1
            self.length += len(line)
            if self.length > MAX_ROW_LENGTH:
                raise UsageError(
                    f"line {self._number}: a row has more than {MAX_ROW_LENGTH:,} characters: is a quote not closed?"
                )
            yield line


def _feed(row: dict[str, str], line: int) -> NewFeed:
    cells = {name: value.strip() for name, value in row.items()}
    minutes = _number(cells, "admin_minutes", line)
    if minutes is not None:
        try:
            checked_minutes(minutes)
        except UsageError as error:
            raise UsageError(f"line {line} of the CSV file: admin_minutes: {error}") from error
    return NewFeed(
        url=cells.get("url", ""),
        name=cells.get("name") or None,
        id=_number(cells, "id", line),
        sources_id=_number(cells, "sources_id", line),
        source_name=cells.get("source_name") or None,
        homepage=cells.get("homepage") or None,
        active=_flag(cells, "active", line),
        admin_minutes=minutes,
        collections=read_names(cells.get("collections", "")),
        folders=read_folders(cells.get("folders", "")),
        user_agent=cells.get("user_agent") or None,
        ignore_validators=_flag(cells, "ignore_validators", line),
    )


def _flag(cells: dict[str, str], name: str, line: int) -> bool | None:
    text = cells.get(name, "").lower()
    if text in ("", *_YES, *_NO):
        return text in _YES if text else None
    raise UsageError(f"line {line} of the CSV file: {name} should be true or false and not {text[:40]!r}")


def _yes_or_no(flag: bool | None) -> str | None:
    return None if flag is None else "true" if flag else "false"


def _number(cells: dict[str, str], name: str, line: int) -> int | None:
    text = cells.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 18):
        raise UsageError(f"line {line} of the CSV file: {name} should be a whole number and not {text[:40]!r}")
    return int(text)


def write_feeds_csv(feeds: Iterable[NewFeed]) -> Iterator[bytes]:
    """A CSV file that `read_feeds_csv` reads, line by line."""
    rows = (
        (
            feed.id, feed.url.strip(), feed.sources_id, _cell(feed.name), _yes_or_no(feed.active),
            usable_minutes(feed.admin_minutes), _cell(feed.source_name), _cell(feed.homepage),
            names_text(feed.collections), folders_text(feed.folders), _cell(feed.user_agent),
            _yes_or_no(feed.ignore_validators),
        )
        for feed in feeds
    )  # fmt: skip
    return csv_lines(COLUMNS, rows, line_end="\n")


def _cell(text: str | None) -> str | None:
    """A text as it is read again: without blanks around it."""
    return text and text.replace("\0", "").strip()


def write_sources_csv(sources: Iterable[tuple[Source, Iterable[str]]]) -> Iterator[bytes]:
    """A CSV file that `read_sources_csv` reads, line by line: sources, each with the names of its collections."""
    rows = ((one.id, one.name, one.domain, one.homepage, names_text(names)) for one, names in sources)
    return csv_lines(SOURCE_COLUMNS, rows, line_end="\n")


def read_sources_csv(body: bytes) -> list[NewSource]:
    """The sources of a CSV file: `homepage` or `domain` (or `url`), and perhaps `name` and `collections`. Raises UsageError."""
    heading, table = _table(body)
    known = [name for name in ("homepage", "url", "domain") if name in heading]
    if not known:
        raise UsageError(
            "line 1: the CSV file needs a heading with a column `homepage` or `domain`; others: name, collections"
        )
    found = []
    for _, row in table:
        cells = {name: value.strip() for name, value in zip(heading, row, strict=False)}
        names = read_names(cells.get("collections", ""))
        site = next((cells[name] for name in known if cells.get(name)), "")
        found.append(NewSource(site, cells.get("name") or None, names))
    return found
