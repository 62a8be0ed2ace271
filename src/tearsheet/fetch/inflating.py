"""Undoing Content-Encoding: in time that grows with what is read and written, within a limit of bytes, and off the event loop.

A few bytes from the web can inflate to gigabytes, and a body can be a million members of no bytes each. So the libraries get
a slice at a time, what one member leaves over is never longer than the slice that it was found in, and members are counted.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import brotlicffi
import zstandard
from isal import isal_zlib

from tearsheet.errors import StoryError

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
MAX_CODINGS = 3
MAX_MEMBERS = 10_000
"""Files that were packed in parallel have a member for every 64 KiB: that many are 640 MB."""
_GZIP, _ZLIB, _RAW = 31, 15, -15
_GZIP_MAGIC = b"\x1f\x8b"
_FIRST_SLICE, _LARGEST_SLICE = 256, 1 << 20
_ZSTD_WINDOW = 8 << 20
"""RFC 9659: the largest window that a zstd frame on the web may ask for. Brotli's format allows 16 MiB at most."""
_ZSTD_SLICE = 1024
"""Four bytes can stand for 128 KiB, so this many are inflated (to 32 MiB at most) before the size is checked again."""
_BROTLI_SLICE = 64 * 1024
_AT_ONCE, _AT_ONCE_INFLATED = 8 * 1024, 1 << 20
"""What is no longer than this, packed once and unpacked, is inflated on the event loop: a thread would take longer to answer."""
_LEAST_SECONDS, _SECONDS_A_BYTE = 0.5, 1e-8
"""How long a body may keep the processor busy. Honest ones unpack to more than 300 MB a second, but a block of brotli of 79
bytes can be made to take as long as a megabyte, and codings within codings have any number of these in a few hundred bytes."""


_NO_CODINGS = frozenset({"", "identity", "none", "utf-8", "utf8", "iso-8859-1", "binary", "7bit", "8bit"})
"""What servers write where there is no coding; some take it for the place of a charset."""


class InflateError(StoryError, ValueError):
    """The body is not encoded as its headers say."""


class TooLarge(StoryError, ValueError):
    """The body is larger than allowed."""


async def inflate_aside(body: bytes, content_encoding: str | None, limit: int) -> bytes:
    """`inflate`, in a thread where it may take long: the libraries let other threads run while they work."""
    if not content_encoding or not body:
        return inflate(body, content_encoding, limit)
    if len(body) <= _AT_ONCE and "," not in content_encoding:
        try:
            return inflate(body, content_encoding, min(limit, _AT_ONCE_INFLATED))
        except TooLarge:
            if limit <= _AT_ONCE_INFLATED:
                raise
    return await asyncio.get_running_loop().run_in_executor(_threads(), inflate, body, content_encoding, limit)


@lru_cache
def _threads() -> ThreadPoolExecutor:
    """Threads of their own: bodies that are made to take long must not take those that everything else needs."""
    return ThreadPoolExecutor(2, "inflating")


def inflate(body: bytes, content_encoding: str | None, limit: int) -> bytes:
    """The body without its content codings. Raises InflateError, or TooLarge as soon as it grows beyond `limit` bytes."""
    codings = [name.strip().lower() for name in content_encoding.split(",")] if content_encoding else []
    codings = [name for name in codings if name not in _NO_CODINGS]
    if len(codings) > MAX_CODINGS:
        raise InflateError(f"{len(codings)} content codings")
    for name in reversed(codings):
        if name not in _DECODERS:
            raise InflateError(f"unknown content coding {name[:40]!r}")
        if body:
            body = _DECODERS[name](body, limit)
    if len(body) > limit:
        raise TooLarge(f"more than {limit} bytes")
    return body


class _Output:
    """What was inflated, and how much more may be."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._members = 0
        self._until = time.thread_time() + _LEAST_SECONDS + limit * _SECONDS_A_BYTE
        self.room = limit + 1

    def add(self, piece: bytes) -> None:
        """Raises TooLarge when it is more than may be, and InflateError when it took too long."""
        if time.thread_time() > self._until:
            raise InflateError("unpacking it takes too long")
        if not piece:
            return
        self._pieces.append(piece)
        self.room -= len(piece)
        if self.room <= 0:
            raise TooLarge(f"more than {self._limit} bytes after decompression")

    def begin_member(self) -> None:
        """Raises InflateError when there are too many."""
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise InflateError(f"more than {MAX_MEMBERS:,} members one after another")

    def whole(self) -> bytes:
        """All of it."""
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)


def _zlib(body: bytes, limit: int, wbits: int) -> bytes:
    output = _Output(limit)
    at = _member(body, 0, output, wbits)
    while body.startswith(_GZIP_MAGIC, at):  # else: the end, or trailing bytes, which every browser ignores
        at = _member(body, at, output, wbits)
    return output.whole()


def _member(body: bytes, at: int, output: _Output, wbits: int) -> int:
    """Inflate the member that begins at a position; returns where it ends. Slices begin small and grow, as a member may be tiny."""
    output.begin_member()
    inflater = isal_zlib.decompressobj(wbits)
    size = _FIRST_SLICE
    while at < len(body):
        data = body[at : at + size]
        at += len(data)
        while data and not inflater.eof:
            try:
                output.add(inflater.decompress(data, output.room))
            except isal_zlib.error as error:  # type: ignore[misc]  # its stub declares an instance
                raise InflateError(str(error)) from error
            data = inflater.unconsumed_tail
        if inflater.eof:
            return at - len(inflater.unused_data)
        size = min(2 * size, _LARGEST_SLICE)
    raise InflateError("compressed data ends early")


def _gzip(body: bytes, limit: int) -> bytes:
    return _zlib(body, limit, _GZIP)


def _deflate(body: bytes, limit: int) -> bytes:
    """Deflate should have a zlib header, but some servers have always left it out."""
    zlib_header = len(body) > 1 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _zlib(body, limit, _ZLIB if zlib_header else _RAW)


def _brotli(body: bytes, limit: int) -> bytes:
    inflater: Any = brotlicffi.Decompressor()
    output = _Output(limit)
    try:
        for start in range(0, len(body), _BROTLI_SLICE):
            data = body[start : start + _BROTLI_SLICE]
            if inflater.is_finished():
                raise InflateError("brotli: more data after its end")
            while not inflater.is_finished():
                # The library makes a buffer of the size that it may fill, so it gets more room only as it fills it.
                output.add(inflater.process(data, output_buffer_limit=min(output.room, _LARGEST_SLICE)))
                data = b""
                if inflater.can_accept_more_data():
                    break
    except brotlicffi.error as error:
        raise InflateError(f"brotli: {error}") from error
    if not inflater.is_finished():
        raise InflateError("compressed data ends early")
    return output.whole()


def _zstd(body: bytes, limit: int) -> bytes:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    output = _Output(limit)
    frame = decompressor.decompressobj()
    output.begin_member()
    try:
        for start in range(0, len(body), _ZSTD_SLICE):
            data = body[start : start + _ZSTD_SLICE]
            while data:
                if frame.eof:
                    frame = decompressor.decompressobj()
                    output.begin_member()
                output.add(frame.decompress(data))
                data = frame.unused_data
    except zstandard.ZstdError as error:
        raise InflateError(str(error)) from error
    if not frame.eof:
        raise InflateError("compressed data ends early")
    return output.whole()


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "br": _brotli, "zstd": _zstd,
}  # fmt: skip
