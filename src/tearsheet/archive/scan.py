"""Read WARC records from bytes that may be damaged, foreign or cut off. Yields what is whole, and reports what is not.

`members.py` gives the unpacked bytes in pieces; the parser here makes records of them. After damage, both resume at the
next bytes that look like the start of a record. Time grows with the bytes, wherever marks and ends of heads stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from tearsheet.archive.members import (
    MAGIC,
    MARK,
    Damage,
    OutOfPatience,
    Patience,
    Piece,
    Report,
    gzip_pieces,
    plain_pieces,
)

MAX_BLOCK = 256 * 1024 * 1024
"""Largest block that is read; a larger record is skipped and reported."""
_MAX_HEAD = 64 * 1024
_SEPARATOR = b"\r\n\r\n"
_MARK_OF_LINE = b"\n" + MARK
_LINE_ENDS = re.compile(rb"[\r\n]*")
_HEADERS = re.compile(r"(?<=\n)([^:\r\n]+):[ \t]*([^\r\n]*)")
_FOLD = re.compile(r"\r\n[ \t]+")
"""A header line that begins with a blank continues the one before."""


@dataclass(slots=True)
class Record:
    """A whole record. Header names are in lower case; of several headers with the same name, the first is kept."""

    version: str
    headers: dict[str, str]
    data: bytes | bytearray
    """Bytes that contain the block, from `start` to `end`: a page is not copied until it is needed."""
    start: int
    end: int
    offset: int
    """Where its gzip member begins (in a plain file, the record itself)."""
    length: int
    """Bytes of that member; 0 when the record shares it with others and cannot be read alone."""

    @property
    def block(self) -> bytes:
        """What the record holds."""
        return bytes(memoryview(self.data)[self.start : self.end])

    @property
    def type(self) -> str:
        """`response`, `metadata`, …"""
        return self.headers.get("warc-type", "").lower()

    @property
    def id(self) -> str:
        """WARC-Record-ID, with its brackets."""
        return self.headers.get("warc-record-id", "")

    @property
    def uri(self) -> str:
        """WARC-Target-URI, without the brackets that some tools put around it."""
        return self.headers.get("warc-target-uri", "").strip("<>")

    @property
    def date(self) -> str:
        """WARC-Date as it was written."""
        return self.headers.get("warc-date", "")


def scan(stream: BinaryIO, report: Report, *, offset: int = 0, max_block: int = MAX_BLOCK) -> Iterator[Record]:
    """The records of a WARC file, gzipped or not, from `offset` on. The stream must be seekable. Bad bytes never raise."""
    stream.seek(offset)
    magic = stream.read(2)
    stream.seek(offset)
    patience = Patience()
    parser = _Parser(report, max_block, patience)
    packed = magic == MAGIC[:2]
    try:
        for piece in gzip_pieces(stream, offset, report, patience) if packed else plain_pieces(stream, offset):
            yield from parser.feed(piece)
        yield from parser.end()
    except OutOfPatience as enough:
        report(Damage(parser.offset, str(enough)))


# ---------------------------------------------------------------------------------------------------------- records


@dataclass(slots=True)
class _Open:
    """A record whose head has been read."""

    version: str
    headers: dict[str, str]
    block_length: int
    offset: int


class _Parser:
    """Turns pieces into records, keeping what is not whole yet."""

    def __init__(self, report: Report, max_block: int, patience: Patience) -> None:
        self._report = report
        self._max_block = max_block
        self._patience = patience
        self._buffer = bytearray()
        self._searched = 0  # no head ends before this place in the buffer
        self.offset = 0  # of the buffer in a plain file, of its member in a gzipped one
        self._plain = False
        self._alone = True
        self._open: _Open | None = None
        self._held: Record | None = None  # whole, but its member has not ended: its length and checksum are not known
        self._skip = 0  # bytes of an oversized block that are still to come
        self._lost = False

    def feed(self, piece: Piece) -> Iterator[Record]:
        """Take a piece, and yield the records that it completes."""
        if piece.broken:
            self._drop("record is cut off")
            return
        self._plain = piece.plain
        if not piece.plain and piece.first and piece.data.startswith(MARK):
            self._drop("record is cut off: another one begins")
        if not self._buffer and self._open is None and not self._skip and piece.first:
            self.offset, self._alone = piece.offset, not piece.plain
            if piece.length and (record := self._whole_member(piece)) is not None:
                self._patience.reward(len(piece.data))
                yield record
                return
        self._buffer += piece.data
        for record in self._records():
            yield from self._release(0)
            if self._alone:
                self._held, self._alone = record, False
            else:
                yield record
        if piece.length:
            alone = self._open is None and not self._buffer
            yield from self._release(piece.length if alone else 0)
            self._alone = False

    def end(self) -> Iterator[Record]:
        """The file has ended: yield what is left."""
        yield from self._records(end=True)
        self._drop("record is cut off")

    def _release(self, length: int) -> Iterator[Record]:
        if self._held is not None:
            self._held.length = length
            yield self._held
            self._held = None

    def _whole_member(self, piece: Piece) -> Record | None:
        """The usual case, made quick: one member is one record."""
        data = piece.data
        head_end = data.find(_SEPARATOR, 0, _MAX_HEAD)
        opened = self._read_head(bytes(data[:head_end])) if head_end >= 0 else None
        if opened is None or opened.block_length > self._max_block:
            return None
        start = head_end + len(_SEPARATOR)
        end = start + opened.block_length
        if end > len(data) or data[end:].strip(b"\r\n"):
            return None
        return Record(opened.version, opened.headers, data, start, end, piece.offset, piece.length)

    def _records(self, *, end: bool = False) -> Iterator[Record]:
        while True:
            if self._skip:
                self._skip -= self._consume(min(self._skip, len(self._buffer)))
                if self._skip:
                    return
            if self._open is None and not self._next_head(end):
                return
            opened = self._open
            if opened is None:  # an oversized record, to be skipped
                continue
            if len(self._buffer) < opened.block_length:
                return
            block = bytes(self._buffer[: opened.block_length])
            self._consume(opened.block_length)
            self._open = None
            self._patience.reward(len(block))
            length = self.offset - opened.offset if self._plain else 0
            yield Record(opened.version, opened.headers, block, 0, len(block), opened.offset, length)

    def _next_head(self, end: bool) -> bool:
        """Read the next head into `_open`, or into `_skip` when its block is too large. False when more bytes are needed."""
        while True:
            if self._lost and not self._find_mark():
                return False
            self._consume(_LINE_ENDS.match(self._buffer).end())  # type: ignore[union-attr]  # it matches nothing, too
            if not self._buffer or (len(self._buffer) < len(MARK) and not end):
                return False
            if self._buffer.startswith(MARK):
                head_end = self._buffer.find(_SEPARATOR, self._searched)
                if head_end < 0:
                    self._searched = max(0, len(self._buffer) - len(_SEPARATOR) + 1)
                    if self._searched < _MAX_HEAD:
                        return False
                    self._lose_way(self._searched - _MAX_HEAD + 1)  # no head that begins before ends within its limit
                    continue
                if self._read_next(head_end):
                    return True
            self._lose_way()

    def _read_next(self, head_end: int) -> bool:
        """Read the head that ends here. A mark at the start of a line is no header: another was cut off there."""
        begin = self._buffer.rfind(_MARK_OF_LINE, 0, head_end) + 1
        if begin:
            self._lose_way()
            self._lost = False
            self._consume(begin - 1)
            head_end -= begin
        opened = self._read_head(bytes(self._buffer[:head_end])) if head_end < _MAX_HEAD else None
        if opened is None:
            return False
        self._consume(head_end + len(_SEPARATOR))
        self._accept(opened)
        return True

    def _lose_way(self, count: int = 1) -> None:
        """Report damage, and go on after so many bytes."""
        self._patience.spend()
        self._report(Damage(self.offset, "not a WARC record"))
        self._lost = True
        self._consume(count)

    def _accept(self, opened: _Open) -> None:
        if opened.block_length <= self._max_block:
            self._open = opened
            return
        self._report(Damage(opened.offset, f"record of {opened.block_length} bytes is larger than {self._max_block}"))
        self._skip = opened.block_length
        self._alone = False

    def _find_mark(self) -> bool:
        at = self._buffer.find(_MARK_OF_LINE)
        if at < 0:
            self._consume(max(0, len(self._buffer) - len(MARK)))
            return False
        self._consume(at + 1)
        self._lost = False
        return True

    def _read_head(self, head: bytes) -> _Open | None:
        text = head.decode("utf-8", "replace")
        if not text.startswith("WARC/"):
            return None
        if b"\r\n " in head or b"\r\n\t" in head:
            text = _FOLD.sub(" ", text)
        # Reversed, so that of several with the same name the first is kept.
        headers = {name.rstrip().lower(): value.rstrip() for name, value in reversed(_HEADERS.findall(text))}
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()) or len(length) > 15:
            return None
        return _Open(text[5 : text.find("\r\n")].strip(), headers, int(length), self.offset)

    def _consume(self, count: int) -> int:
        del self._buffer[:count]
        self._searched = max(0, self._searched - count)
        if self._plain:
            self.offset += count
        return count

    def _drop(self, what: str) -> None:
        """Report and forget what is not whole."""
        unfinished = self._open is not None or self._held is not None or self._skip or self._buffer.strip(b"\r\n")
        if unfinished and not self._lost:
            self._report(Damage(self._open.offset if self._open else self.offset, what))
        self._buffer.clear()
        self._searched = 0
        self._open, self._held, self._skip, self._lost = None, None, 0, False
