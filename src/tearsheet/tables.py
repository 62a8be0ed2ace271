"""Tables as CSV, JSON lines or Parquet: written row by row, so that memory does not grow with the number of rows."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from tearsheet.chunks import chunks
from tearsheet.errors import ConfigError, UsageError
from tearsheet.terminal import safe_json

BOM = "\ufeff".encode()
"""Tells Excel that a CSV file is UTF-8."""
_UNSEEN = r"\s\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
_SIGNS = "=+@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u207a\u208c\u208a\u2a75\u2a76\ufb29-"
_FORMULA = re.compile(rf"'*[\t\r\n]|[{_UNSEEN}']*[{_SIGNS}]")
"""The start of what some spreadsheet takes for a formula: a sign, plain or in one of its wide, small or raised forms, after any
blanks and invisible characters, which several of them drop."""
_INNER = re.compile(rf"([;\t])(?=[{_UNSEEN}']*[{_SIGNS}])")
_GUARDED_INNER = re.compile(rf"([;\t])'(?=[{_UNSEEN}']*[{_SIGNS}])")
"""A formula behind what many spreadsheets, by their country or by themselves, take for the end of a cell."""
_PARQUET_ROWS = 2_000
_DELIMITERS = (",", ";", "\t")
"""What may stand between two cells; spreadsheets of half the world write semicolons."""
_LONGEST_HEADING = 10_000


def csv_lines(
    columns: Iterable[str], rows: Iterable[Iterable[Any]], *, bom: bool = False, line_end: str = "\r\n"
) -> Iterator[bytes]:
    """A header line, then a line for each row; None is an empty cell. Text is `guarded` against spreadsheets."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator=line_end)

    def line(values: Iterable[Any]) -> bytes:
        writer.writerow([guarded(value) for value in values])
        text = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        return text.encode("utf-8", "replace")

    yield (BOM if bom else b"") + line(columns)
    for values in rows:
        yield line(values)


def guarded(value: Any) -> Any:
    """The value, with an apostrophe before text that a spreadsheet would run as a formula: much of it comes from strangers.

    Text that already has apostrophes there gets one more, so that `unguarded` restores exactly what there was.
    """
    if not isinstance(value, str):
        return value
    value = _INNER.sub(r"\1'", value)
    return "'" + value if _FORMULA.match(value) else value


def unguarded(text: str) -> str:
    """Text that was read from CSV, as it was before `guarded`."""
    return _GUARDED_INNER.sub(r"\1", text[1:] if text.startswith("'") and _FORMULA.match(text) else text)


def jsonl_lines(records: Iterable[Mapping[str, Any]], *, spaced: bool = False) -> Iterator[bytes]:
    """One line of JSON for each record. `spaced` puts a blank after commas and colons, and writes unknown types as text."""
    if spaced:
        for record in records:
            yield safe_json(json.dumps(record, ensure_ascii=False, default=str)).encode() + b"\n"
        return
    import msgspec  # imported late: help texts import this module too, and should not wait for it

    encode = msgspec.json.Encoder().encode
    for record in records:
        yield safe_json(encode(record).decode()).encode() + b"\n"


def json_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of `jsonl_lines` as one JSON array, with a line for each record."""
    start = b"[\n"
    for line in lines:
        yield start + line.rstrip(b"\n")
        start = b",\n"
    yield b"[]\n" if start == b"[\n" else b"\n]\n"


def can_write_parquet() -> bool:
    """Whether the library for Parquet is installed."""
    return find_spec("pyarrow") is not None


def write_parquet(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    target: Path | IO[bytes],
    types: Mapping[str, str],
) -> int:
    """Write a Parquet file, and say how many rows it has. Needs the extra `parquet`.

    `types` maps columns to `text`, `number`, `real`, `day` (a date) or `moment` (nanoseconds since 1970, UTC). Rows are written two
    thousand at a time.
    """
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise ConfigError("Parquet needs its library: pip install 'tearsheet[parquet]'") from error
    known = {"text": arrow.string(), "number": arrow.int64(), "real": arrow.float64(), "day": arrow.date32()}
    known["moment"] = arrow.timestamp("ns", tz="UTC")
    schema = arrow.schema([(name, known[types[name]]) for name in columns])
    count = 0
    with parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        for group in chunks(rows, _PARQUET_ROWS):
            count += len(group)
            writer.write_table(arrow.Table.from_pydict(_by_column(columns, group), schema=schema))
    return count


def _by_column(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    return {name: [row[position] for row in rows] for position, name in enumerate(columns)}


def utf8_text(body: bytes) -> str:
    """The text of a file that a user gave us. Raises UsageError, which names the line that is not UTF-8."""
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise UsageError(f"line {line}: not in UTF-8; save the file as UTF-8") from error


def _delimiter(text: str, needed: Sequence[str]) -> str:
    """What stands between two cells: that which makes the needed columns of the first line."""
    first = text[:_LONGEST_HEADING].partition("\n")[0].rstrip("\r")
    for delimiter in _DELIMITERS:
        if {cell.strip('"') for cell in first.split(delimiter)}.issuperset(needed):
            return delimiter
    return _DELIMITERS[0]


def csv_table(file: Path, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a CSV file with a heading, each with its line. Raises UsageError, which names the file and the line."""
    try:
        yield from csv_table_in(file.read_bytes(), needed)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error


def csv_table_in(body: bytes, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The same of its bytes, whose cells commas, semicolons or tabs separate. Raises UsageError, which names the line."""
    text = utf8_text(body)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=_delimiter(text, needed))
    try:
        missing = [name for name in needed if name not in (reader.fieldnames or ())]
        if missing:
            raise UsageError(f"line 1: there is no column {missing[0]!r}")
        for row in reader:
            if None in row.values():
                raise UsageError(f"line {reader.line_num}: fewer columns than the heading has")
            yield reader.line_num, row
    except csv.Error as error:
        raise UsageError(f"line {reader.line_num + 1}: {error}") from error
