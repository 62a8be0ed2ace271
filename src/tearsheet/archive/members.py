"""The unpacked bytes of a WARC file, piece by piece, each with the position of its gzip member in the file.

After damage, reading resumes at the next member that unpacks to a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from deflate import DeflateError, gzip_decompress
from isal import igzip_lib

MAGIC = b"\x1f\x8b\x08"
MARK = b"WARC/"
_USUAL_HEAD = MAGIC + b"\x00\x00\x00\x00\x00"
"""The head of a gzip member without a name and a time, as nearly all WARC writers make them."""
_LEAST_MEMBER = 18
_CHUNK = 128 * 1024
_PIECE = 4 * 1024 * 1024


@dataclass(slots=True, frozen=True)
class Damage:
    """Something in a file that could not be used, and where."""

    offset: int
    what: str


Report = Callable[[Damage], None]


@dataclass(slots=True)
class Piece:
    """Some unpacked bytes."""

    data: bytes | bytearray
    offset: int
    """Where the member begins; in a plain file, where the piece begins."""
    first: bool
    length: int
    """Bytes of the packed member, known only with its last piece; 0 before that, and always 0 in a plain file."""
    broken: bool = False
    """No data: what came before is cut off here."""
    plain: bool = False


def plain_pieces(stream: BinaryIO, offset: int) -> Iterator[Piece]:
    """A file that is not packed."""
    while data := stream.read(_PIECE):
        yield Piece(data, offset, first=True, length=0, plain=True)
        offset += len(data)


def gzip_pieces(stream: BinaryIO, offset: int, report: Report) -> Iterator[Piece]:
    """The members of a packed file, one after another; what is damaged is reported and skipped."""
    source = _Members(stream, offset)
    while source.more():
        start = source.offset
        try:
            yield from source.member()
        except _Broken as broken:
            yield Piece(b"", start, first=False, length=0, broken=True)
            report(Damage(start, str(broken)))
            source.go_to(_next_member(stream, start + 1))


class _Broken(Exception):
    """A gzip member that cannot be used, and why."""


class _Members:
    """The gzip members of a file, one after another."""

    def __init__(self, stream: BinaryIO, offset: int) -> None:
        self._stream = stream
        self._pending = b""  # bytes that were read
        self._used = 0  # how many of these were used; the rest begins at `offset`
        self.offset = offset

    def more(self) -> bool:
        """Whether there are more bytes."""
        return self._used < len(self._pending) or self._read_on()

    def go_to(self, offset: int) -> None:
        """Continue from another position."""
        self._stream.seek(offset)
        self._pending, self._used, self.offset = b"", 0, offset

    def member(self) -> Iterator[Piece]:
        """Unpack the member that begins here, into one piece unless it is very large."""
        if (whole := self._at_once()) is not None:
            yield whole
        else:
            yield from self._in_pieces()

    def _read_on(self) -> bool:
        data = self._stream.read(_CHUNK)
        self._pending, self._used = self._pending[self._used :] + data, 0
        return bool(data)

    def _at_once(self) -> Piece | None:
        """The quick way: this member ends where the next one seems to begin. None when it is large, or of another kind."""
        if not self._pending.startswith(_USUAL_HEAD, self._used):
            return None
        searched = self._used + len(_USUAL_HEAD)
        while (end := self._pending.find(_USUAL_HEAD, searched)) < 0:
            searched = max(self._used + len(_USUAL_HEAD), len(self._pending) - len(_USUAL_HEAD))
            if len(self._pending) - self._used > _PIECE:
                return None
            searched -= self._used
            if not self._read_on():
                end = len(self._pending)
                break
        member = memoryview(self._pending)[self._used : end]
        size = int.from_bytes(member[-4:], "little")
        if len(member) < _LEAST_MEMBER or not 0 < size <= _PIECE:
            return None
        try:
            data = gzip_decompress(member)
        except DeflateError:
            return None
        # Bytes after the member would be skipped in silence. So its size field must be the last four bytes, and must not
        # occur any earlier (two records of one size, the second damaged and cut off, would look like one member).
        if len(data) != size or self._pending.find(member[-4:], self._used, end - 1) >= 0:
            return None
        piece = Piece(data, self.offset, True, len(member))
        self.offset += len(member)
        self._used = end
        return piece

    def _in_pieces(self) -> Iterator[Piece]:
        pending = self._pending[self._used :]
        if not pending.startswith(MAGIC[: len(pending)]):
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
                yield Piece(b"".join(parts), start, first, 0)
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
        yield Piece(b"".join(parts), start, first, length)


def _next_member(stream: BinaryIO, offset: int) -> int:
    """The offset of the next gzip member, from `offset` on, that unpacks to a record; else the end of the file."""
    stream.seek(offset)
    tail = b""
    while chunk := stream.read(_CHUNK):
        data = tail + chunk
        at = -1
        while (at := data.find(MAGIC, at + 1)) >= 0:
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
        return bool(unpacker.decompress(stream.read(4096), len(MARK)) == MARK)
    except igzip_lib.IsalError:  # type: ignore[misc]  # its stub declares an instance
        return False
