"""CSV as people have it: rows of several lines, other separators than the comma, UTF-16 from spreadsheets.

A quote that is never closed spoils one row, not the rest of the file: a row goes on in the next lines only if it then has as many
columns as the first one. Time grows with the file, since a row has few lines and a limited length.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from tearsheet.pipeline.queuers.rows import MAX_LINE, Problem, Unreadable, numbered_lines

_BOMS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_MAX_LINES = 20
"""How many lines a row may have. Titles and descriptions have few."""
_CHUNK = 1 << 16
_SEPARATOR_LINE = re.compile(r'"?sep=([^\w\s"]|\t)"?', re.IGNORECASE)
"""What spreadsheets write above the first row to say which separator follows."""
Cells = list[str]


def csv_rows(stream: BinaryIO, columns: Sequence[str]) -> Iterator[tuple[int, Cells | Problem]]:
    """The rows of a CSV file, each with its first line. The separator is the one that a line `sep=;` at the top names, else the
    one with which the first row names a column of `columns`, else the tab where there is one, else the comma.
    Raises Unreadable for a file without rows.
    """
    reader = _RowReader(stream, columns)
    row = None
    for row in reader.rows():
        yield row
    if row is None:
        raise Unreadable(1, "empty", "there is not one row in it")


class _RowReader:
    def __init__(self, stream: BinaryIO, columns: Sequence[str]) -> None:
        self._lines = numbered_lines(_in_utf8(stream))
        self._ahead: deque[tuple[int, bytes | None]] = deque()
        self._columns = columns
        self._separator = ""
        self._width = 0

    def rows(self) -> Iterator[tuple[int, Cells | Problem]]:
        while (line := self._next()) is not None:
            number, data = line
            if data is None:
                yield number, Problem(number, "bad-row", f"longer than {MAX_LINE:,} bytes")
                continue
            try:
                text = data.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                named = _SEPARATOR_LINE.fullmatch(text) if number == 1 else None
                if named:
                    self._separator = named[1]
                elif text.strip():
                    yield number, self._row(text)
            except (UnicodeDecodeError, csv.Error) as error:
                yield number, Problem(number, "bad-row", str(error))

    def _row(self, text: str) -> Cells:
        """The row that begins with this line. Raises csv.Error."""
        self._separator = self._separator or separator_of(text, self._columns)
        try:
            cells = _parsed(text, self._separator)
        except csv.Error:
            cells = self._over_several_lines(text)
        self._width = self._width or len(cells)
        return cells

    def _over_several_lines(self, text: str) -> Cells:
        for count in range(1, _MAX_LINES):
            more = self._peek(count)
            if more is None or len(text) + len(more) > MAX_LINE:
                break
            text = f"{text}\n{more.decode('utf-8', 'replace')}".rstrip("\r\n")
            if '"' not in more.decode("utf-8", "replace"):
                continue
            try:
                cells = _parsed(text, self._separator)
            except csv.Error:
                continue
            if not self._width or len(cells) == self._width:
                for _ in range(count):
                    self._ahead.popleft()
                return cells
        raise csv.Error("a quote is not closed")

    def _next(self) -> tuple[int, bytes | None] | None:
        return self._ahead.popleft() if self._ahead else next(self._lines, None)

    def _peek(self, count: int) -> bytes | None:
        """The line so many lines ahead; None if there is none, or it is too long."""
        while len(self._ahead) < count:
            line = next(self._lines, None)
            if line is None:
                return None
            self._ahead.append(line)
        return self._ahead[count - 1][1]


def separator_of(text: str, columns: Sequence[str]) -> str:
    """The separator of a file whose first row is this one."""
    for separator in (",", ";", "\t"):
        try:
            names = {cell.strip().lower() for cell in _parsed(text, separator)}
        except csv.Error:
            continue
        if not names.isdisjoint(columns):
            return separator
    return "\t" if "\t" in text else ","


def _parsed(text: str, separator: str) -> Cells:
    return next(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))


def _in_utf8(stream: BinaryIO) -> BinaryIO:
    start = stream.read(2)
    stream.seek(0)
    encoding = _BOMS.get(start)
    return stream if encoding is None else io.BufferedReader(_Converted(stream, encoding))


class _Converted(io.RawIOBase):
    """A stream in another encoding, as UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._held = b""
        self._ended = False

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # the stub's buffer is wider
        """Some bytes; 0 at the end."""
        while not self._held and not self._ended:
            chunk = self._stream.read(_CHUNK)
            self._ended = not chunk
            self._held = self._decoder.decode(chunk, self._ended).encode("utf-8", "replace")
        count = min(len(buffer), len(self._held))
        buffer[:count], self._held = self._held[:count], self._held[count:]
        return count
