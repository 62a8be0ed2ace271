"""Read WARC records from bytes that may be damaged, foreign or cut off. Gives what is whole, and says what is not.

Two layers: pieces of the unpacked stream, which know where their gzip member lies in the file; and the parser, which makes
records of them. After damage both go on at the next place that looks like the start of a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from deflate import DeflateError, gzip_decompress
from isal import igzip_lib

MAX_BLOCK = 256 * 1024 * 1024
"""Largest block that is read; a larger record is passed over and reported."""
_MAX_HEAD = 64 * 1024
_CHUNK = 128 * 1024
_PIECE = 4 * 1024 * 1024
_MAGIC = b"\x1f\x8b\x08"
_USUAL_HEAD = _MAGIC + b"\x00\x00\x00\x00\x00"
"""Of a gzip member without a name and a time, as nearly all WARC writers make them."""
_LEAST_MEMBER = 18
_MARK = b"WARC/"
_SEPARATOR = b"\r\n\r\n"


@dataclass(slots=True, frozen=True)
class Damage:
    """Something in a file that could not be used, and where."""

    offset: int
    what: str


@dataclass(slots=True)
class Record:
    """A whole record. Header names are in lower case; of several headers with one name, the first is kept."""

    version: str
    headers: dict[str, str]
    data: bytes | bytearray
    """Bytes in which the block stands from `start` to `end`: a page is not copied before somebody wants it."""
    start: int
    end: int
    offset: int
    """Where its gzip member (or, in a plain file, the record) begins."""
    length: int
    """Bytes of that member; 0 when it shares it with others and cannot be read alone."""

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
        """WARC-Date as it stands."""
        return self.headers.get("warc-date", "")


Report = Callable[[Damage], None]


def scan(stream: BinaryIO, report: Report, *, offset: int = 0, max_block: int = MAX_BLOCK) -> Iterator[Record]:
    """The records of a WARC file, gzipped or not, from `offset` on. The stream must be able to seek. Never raises for bytes."""
    stream.seek(offset)
    magic = stream.read(2)
    stream.seek(offset)
    parser = _Parser(report, max_block)
    for piece in _gzip_pieces(stream, offset, report) if magic == _MAGIC[:2] else _plain_pieces(stream, offset):
        yield from parser.feed(piece)
    yield from parser.end()


# ----------------------------------------------------------------------------------------------------------- pieces


@dataclass(slots=True)
class _Piece:
    data: bytes | bytearray
    offset: int
    """Where the member begins; in a plain file, where the piece begins."""
    first: bool
    length: int
    """Of the member, known with its last piece only; 0 before. In a plain file always 0."""
    broken: bool = False
    """No data: what came before is cut off here."""
    plain: bool = False


def _plain_pieces(stream: BinaryIO, offset: int) -> Iterator[_Piece]:
    while data := stream.read(_PIECE):
        yield _Piece(data, offset, first=True, length=0, plain=True)
        offset += len(data)


def _gzip_pieces(stream: BinaryIO, offset: int, report: Report) -> Iterator[_Piece]:
    source = _Members(stream, offset)
    while source.more():
        start = source.offset
        try:
            yield from source.member()
        except _Broken as broken:
            yield _Piece(b"", start, first=False, length=0, broken=True)
            report(Damage(start, str(broken)))
            source.go_to(_next_member(stream, start + 1))


class _Broken(Exception):
    """A gzip member that cannot be used, and why."""


class _Members:
    """The gzip members of a file, one after the other."""

    def __init__(self, stream: BinaryIO, offset: int) -> None:
        self._stream = stream
        self._pending = b""  # bytes that were read
        self._used = 0  # of these; the rest begins at `offset`
        self.offset = offset

    def more(self) -> bool:
        """Whether the file goes on."""
        return self._used < len(self._pending) or self._read_on()

    def go_to(self, offset: int) -> None:
        """Go on elsewhere."""
        self._stream.seek(offset)
        self._pending, self._used, self.offset = b"", 0, offset

    def member(self) -> Iterator[_Piece]:
        """Unpack the member that begins here. Its pieces are few: one, unless it is very large."""
        if (whole := self._at_once()) is not None:
            yield whole
        else:
            yield from self._bit_by_bit()

    def _read_on(self) -> bool:
        data = self._stream.read(_CHUNK)
        self._pending, self._used = self._pending[self._used :] + data, 0
        return bool(data)

    def _at_once(self) -> _Piece | None:
        """The quick way: where the next member seems to begin, this one ends. None: it is large, or not of this kind."""
        if not self._pending.startswith(_USUAL_HEAD, self._used):
            return None
        looked = self._used + len(_USUAL_HEAD)
        while (end := self._pending.find(_USUAL_HEAD, looked)) < 0:
            looked = max(self._used + len(_USUAL_HEAD), len(self._pending) - len(_USUAL_HEAD))
            if len(self._pending) - self._used > _PIECE:
                return None
            looked -= self._used
            if not self._read_on():
                end = len(self._pending)
                break
        member = memoryview(self._pending)[self._used : end]
        if len(member) < _LEAST_MEMBER or int.from_bytes(member[-4:], "little") > _PIECE:
            return None
        try:
            data = gzip_decompress(member)
        except DeflateError:
            return None
        piece = _Piece(data, self.offset, True, len(member))
        self.offset += len(member)
        self._used = end
        return piece

    def _bit_by_bit(self) -> Iterator[_Piece]:
        pending = self._pending[self._used :]
        if not pending.startswith(_MAGIC[: len(pending)]):
            raise _Broken("not a gzip member")
        unpacker = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)
        start, read, first = self.offset, len(pending), True
        parts: list[bytes] = []
        size = 0
        while True:
            try:
                part = unpacker.decompress(pending, _PIECE)
            except igzip_lib.IsalError as error:  # type: ignore[misc]  # its stub declares an instance
                raise _Broken(f"gzip member is damaged: {error}") from error
            parts.append(part)
            size += len(part)
            pending = b""
            if unpacker.eof:
                break
            if size >= _PIECE:
                yield _Piece(b"".join(parts), start, first, 0)
                first, size = False, 0
                parts.clear()
            if unpacker.needs_input:
                pending = self._stream.read(_CHUNK)
                read += len(pending)
                if not pending:
                    raise _Broken("gzip member is cut off")
        self._pending, self._used = unpacker.unused_data, 0
        length = read - len(self._pending)
        self.offset = start + length
        yield _Piece(b"".join(parts), start, first, length)


def _next_member(stream: BinaryIO, offset: int) -> int:
    """The next place from `offset` on where a gzip member begins that unpacks to a record; else the end of the file."""
    stream.seek(offset)
    tail = b""
    while chunk := stream.read(_CHUNK):
        data = tail + chunk
        at = -1
        while (at := data.find(_MAGIC, at + 1)) >= 0:
            if _opens_record(stream, offset - len(tail) + at):
                return offset - len(tail) + at
        offset += len(chunk)
        tail = data[-2:]
        stream.seek(offset)
    return offset


def _opens_record(stream: BinaryIO, offset: int) -> bool:
    stream.seek(offset)
    unpacker = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)
    try:
        return bool(unpacker.decompress(stream.read(4096), len(_MARK)) == _MARK)
    except igzip_lib.IsalError:  # type: ignore[misc]  # its stub declares an instance
        return False


# ---------------------------------------------------------------------------------------------------------- records


def _unfolded(lines: list[str]) -> list[str]:
    """Header lines that go on behind a blank belong to the one before."""
    whole: list[str] = []
    for line in lines:
        if line[:1] in (" ", "\t") and whole:
            whole[-1] += " " + line.strip()
        else:
            whole.append(line)
    return whole


@dataclass(slots=True)
class _Open:
    """A record whose head was read."""

    version: str
    headers: dict[str, str]
    block_length: int
    offset: int


class _Parser:
    """Turns pieces into records, keeping what is not whole yet."""

    def __init__(self, report: Report, max_block: int) -> None:
        self._report = report
        self._max_block = max_block
        self._buffer = bytearray()
        self._offset = 0  # of the buffer in a plain file, of its member in a gzipped one
        self._plain = False
        self._alone = True
        self._open: _Open | None = None
        self._held: Record | None = None  # whole, but its member has not ended: its length and checksum are not known
        self._skip = 0  # bytes of an oversized block that are still to come
        self._lost = False

    def feed(self, piece: _Piece) -> Iterator[Record]:
        """Take a piece, give the records that are whole now."""
        if piece.broken:
            self._drop("record is cut off")
            return
        self._plain = piece.plain
        if not piece.plain and piece.first and piece.data.startswith(_MARK):
            self._drop("record is cut off: another one begins")
        if not self._buffer and self._open is None and not self._skip and piece.first:
            self._offset, self._alone = piece.offset, not piece.plain
            if piece.length and (record := self._whole_member(piece)) is not None:
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
            alone = self._open is None and not self._buffer.strip(b"\r\n")
            yield from self._release(piece.length if alone else 0)
            self._alone = False

    def end(self) -> Iterator[Record]:
        """The file ended."""
        yield from self._records(end=True)
        self._drop("record is cut off")

    def _release(self, length: int) -> Iterator[Record]:
        if self._held is not None:
            self._held.length = length
            yield self._held
            self._held = None

    def _whole_member(self, piece: _Piece) -> Record | None:
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
            if opened is None:  # an oversized record, to be passed over
                continue
            if len(self._buffer) < opened.block_length:
                return
            block = bytes(self._buffer[: opened.block_length])
            self._consume(opened.block_length)
            self._open = None
            length = self._offset - opened.offset if self._plain else 0
            yield Record(opened.version, opened.headers, block, 0, len(block), opened.offset, length)

    def _next_head(self, end: bool) -> bool:
        """Read the next head, into `_open` or, when its block is too large, into `_skip`. False: more bytes are needed."""
        while True:
            self._consume(len(self._buffer) - len(self._buffer.lstrip(b"\r\n")))
            if self._lost and not self._find_mark():
                return False
            if not self._buffer or (len(self._buffer) < len(_MARK) and not end):
                return False
            if self._buffer.startswith(_MARK):
                head_end = self._buffer.find(_SEPARATOR, 0, _MAX_HEAD)
                if head_end < 0 and len(self._buffer) < _MAX_HEAD:
                    return False
                opened = self._read_head(bytes(self._buffer[:head_end])) if head_end >= 0 else None
                if opened is not None:
                    self._consume(head_end + len(_SEPARATOR))
                    self._accept(opened)
                    return True
            self._report(Damage(self._offset, "not a WARC record"))
            self._lost = True
            self._consume(1)

    def _accept(self, opened: _Open) -> None:
        if opened.block_length <= self._max_block:
            self._open = opened
            return
        self._report(Damage(opened.offset, f"record of {opened.block_length} bytes is larger than {self._max_block}"))
        self._skip = opened.block_length
        self._alone = False

    def _find_mark(self) -> bool:
        at = self._buffer.find(b"\n" + _MARK)
        if at < 0:
            self._consume(max(0, len(self._buffer) - len(_MARK)))
            return False
        self._consume(at + 1)
        self._lost = False
        return True

    def _read_head(self, head: bytes) -> _Open | None:
        lines = head.decode("utf-8", "replace").split("\r\n")
        if not lines[0].startswith("WARC/"):
            return None
        if b"\r\n " in head or b"\r\n\t" in head:
            lines = _unfolded(lines)
        headers: dict[str, str] = {}
        for line in reversed(lines[1:]):  # so that of several with one name the first is kept
            name, colon, value = line.partition(":")
            if colon:
                headers[name.strip().lower()] = value.strip()
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()) or len(length) > 15:
            return None
        return _Open(lines[0][5:].strip(), headers, int(length), self._offset)

    def _consume(self, count: int) -> int:
        del self._buffer[:count]
        if self._plain:
            self._offset += count
        return count

    def _drop(self, what: str) -> None:
        """Give up what is not whole."""
        unfinished = self._open is not None or self._held is not None or self._skip or self._buffer.strip(b"\r\n")
        if unfinished and not self._lost:
            self._report(Damage(self._open.offset if self._open else self._offset, what))
        self._buffer.clear()
        self._open, self._held, self._skip, self._lost = None, None, 0, False
