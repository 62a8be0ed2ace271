"""The unpacked bytes of a WARC file, piece by piece, each with the position of its gzip member in the file.

After damage, reading resumes at the next member that unpacks to a record, as long as there is patience for it: members can overlap,
be empty, or promise records by the million, and reading takes time that grows with the file and what it holds, whatever is in it.
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
_FIRST_SLICE, _LARGEST_SLICE = 512, 128 * 1024
_PATIENCE = 64 * 1024 * 1024
_COST_OF_MEMBER, _COST_OF_PROBE, _COST_OF_DAMAGE = 1024, 4096, 4096
_WORTH_OF_RECORD = 4


@dataclass(slots=True, frozen=True)
class Damage:
    """Something in a file that could not be used, and where."""

    offset: int
    what: str


Report = Callable[[Damage], None]


class OutOfPatience(Exception):
    """There is more damage than is read past."""


class Patience:
    """How much is read in vain, in bytes or what takes as long, before the rest of a file is left out. Records give some back."""

    def __init__(self) -> None:
        self._left = _PATIENCE

    def reward(self, size: int) -> None:
        """A record of so many bytes was found."""
        self._left = min(_PATIENCE, self._left + _WORTH_OF_RECORD * size)

    def allows(self, cost: int) -> bool:
        """Whether so much may be read in vain; if so, it counts."""
        if cost > self._left:
            return False
        self._left -= cost
        return True

    def spend(self, cost: int = _COST_OF_DAMAGE) -> None:
        """Raises OutOfPatience."""
        if not self.allows(cost):
            raise OutOfPatience("too little of it can be read: the rest of the file is left out")


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


def gzip_pieces(stream: BinaryIO, offset: int, report: Report, patience: Patience) -> Iterator[Piece]:
    """The members of a packed file, one after another; what is damaged is reported and skipped. Raises OutOfPatience."""
    source = _Members(stream, offset)
    while source.more():
        start = source.offset
        patience.spend(_COST_OF_MEMBER)
        try:
            yield from source.member()
        except _Broken as broken:
            yield Piece(b"", start, first=False, length=0, broken=True)
            report(Damage(start, str(broken)))
            # A member may begin within the damaged one, but members that all reach to the same end are not read again and again.
            again = patience.allows(broken.cost)
            source.go_to(_next_member(stream, start + 1 if again else max(start + 1, broken.end), patience))


class _Broken(Exception):
    """A gzip member that cannot be used, and why; how far it was read, and how many bytes that took and gave."""

    def __init__(self, why: str, end: int, cost: int) -> None:
        super().__init__(why)
        self.end = end
        self.cost = cost


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
        if not self._pending.startswith(MAGIC[: len(self._pending) - self._used], self._used):
            raise _Broken("not a gzip member", self.offset, 0)
        unpacker = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)
        start, first, given = self.offset, True, 0
        parts: list[bytes] = []
        size, width = 0, _FIRST_SLICE
        data = b""
        while True:
            try:
                part = unpacker.decompress(data, _PIECE)
            except igzip_lib.IsalError as error:  # type: ignore[misc]  # its stub declares an instance
                raise _Broken(f"gzip member is damaged: {error}", self.offset, self.offset - start + given) from error
            parts.append(part)
            size += len(part)
            given += len(part)
            if unpacker.eof:
                break
            if size >= _PIECE:
                yield Piece(b"".join(parts), start, first, 0)
                first, size = False, 0
                parts.clear()
            data = b""
            if unpacker.needs_input:
                # What a member leaves over is copied: slices begin small, as it may be tiny and the next one too.
                data = self._take(width)
                width = min(2 * width, _LARGEST_SLICE)
                if not data:
                    raise _Broken("gzip member is cut off", self.offset, self.offset - start + given)
        left_over = len(unpacker.unused_data)
        self._used -= left_over
        self.offset -= left_over
        yield Piece(b"".join(parts), start, first, self.offset - start)

    def _take(self, count: int) -> bytes:
        """The next bytes, up to so many."""
        if self._used >= len(self._pending) and not self._read_on():
            return b""
        data = self._pending[self._used : self._used + count]
        self._used += len(data)
        self.offset += len(data)
        return data


def _next_member(stream: BinaryIO, offset: int, patience: Patience) -> int:
    """The offset of the next gzip member, from `offset` on, that unpacks to a record; else the end of the file."""
    stream.seek(offset)
    tail = b""
    while chunk := stream.read(_CHUNK):
        data = tail + chunk
        at = -1
        while (at := data.find(MAGIC, at + 1)) >= 0:
            patience.spend(_COST_OF_PROBE)
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
