"""Undoing Content-Encoding within a limit: a few bytes from the web can inflate to gigabytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import brotlicffi
import zstandard
from isal import isal_zlib

from tearsheet.errors import StoryError

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
MAX_CODINGS = 3
_GZIP, _ZLIB, _RAW = 31, 15, -15
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_WINDOW = 8 << 20
"""RFC 9659: the largest window that a zstd frame on the web may ask for."""
_ZSTD_SLICE = 1024
"""Four bytes can stand for 128 KiB, so this many are inflated (to 32 MiB at most) before the size is checked again."""


class InflateError(StoryError, ValueError):
    """The body is not encoded as its headers say."""


class TooLarge(StoryError, ValueError):
    """The body is larger than allowed."""


def inflate(body: bytes, content_encoding: str | None, limit: int) -> bytes:
    """The body without its content codings. Raises InflateError, or TooLarge as soon as it grows beyond `limit` bytes."""
    codings = [name.strip().lower() for name in content_encoding.split(",")] if content_encoding else []
    codings = [name for name in codings if name not in ("", "identity", "none")]
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


def _zlib(body: bytes, limit: int, wbits: int) -> bytes:
    pieces: list[bytes] = []
    room = limit + 1
    while room > 0:
        inflater = isal_zlib.decompressobj(wbits)
        try:
            piece = inflater.decompress(body, room)
        except isal_zlib.error as error:  # type: ignore[misc]  # its stub declares an instance
            raise InflateError(str(error)) from error
        pieces.append(piece)
        room -= len(piece)
        if not inflater.eof and room > 0:
            raise InflateError("compressed data ends early")
        body = inflater.unused_data
        if not body.startswith(_GZIP_MAGIC):  # the end, or trailing bytes, which every browser ignores
            break
    return _bounded(b"".join(pieces), limit)


def _gzip(body: bytes, limit: int) -> bytes:
    return _zlib(body, limit, _GZIP)


def _deflate(body: bytes, limit: int) -> bytes:
    """Deflate should have a zlib header, but some servers have always left it out."""
    zlib_header = len(body) > 1 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _zlib(body, limit, _ZLIB if zlib_header else _RAW)


def _brotli(body: bytes, limit: int) -> bytes:
    inflater: Any = brotlicffi.Decompressor()
    pieces: list[bytes] = []
    size = 0
    try:
        while not inflater.is_finished() and size <= limit:
            piece = inflater.process(body, output_buffer_limit=limit + 1 - size)
            if not piece and not body and inflater.can_accept_more_data():
                raise InflateError("compressed data ends early")
            body = b""
            pieces.append(piece)
            size += len(piece)
    except brotlicffi.error as error:
        raise InflateError(f"brotli: {error}") from error
    return _bounded(b"".join(pieces), limit)


def _zstd(body: bytes, limit: int) -> bytes:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    frame = decompressor.decompressobj()
    pieces: list[bytes] = []
    size = 0
    try:
        for start in range(0, len(body), _ZSTD_SLICE):
            data = body[start : start + _ZSTD_SLICE]
            while data and size <= limit:
                if frame.eof:
                    frame = decompressor.decompressobj()
                pieces.append(frame.decompress(data))
                size += len(pieces[-1])
                data = frame.unused_data
    except zstandard.ZstdError as error:
        raise InflateError(str(error)) from error
    if size <= limit and not frame.eof:
        raise InflateError("compressed data ends early")
    return _bounded(b"".join(pieces), limit)


def _bounded(body: bytes, limit: int) -> bytes:
    if len(body) > limit:
        raise TooLarge(f"more than {limit} bytes after decompression")
    return body


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "br": _brotli, "zstd": _zstd,
}  # fmt: skip
