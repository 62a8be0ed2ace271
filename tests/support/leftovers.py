"""Where a phrase can still be read in a folder: in any file, as it is or packed."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from pathlib import Path

import zstandard

_ZSTD = b"\x28\xb5\x2f\xfd"
_GZIP = b"\x1f\x8b\x08"


def places_of(folder: Path, phrase: str) -> list[str]:
    """The files below a folder that hold a phrase, whatever its case: as it is, in gzip members or in zstd frames."""
    wanted = phrase.lower().encode()
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(wanted in data.lower() for data in _readings(path.read_bytes()))
    )


def _readings(data: bytes):
    """The bytes of a file, and what is packed in them."""
    yield data
    for start in _each(data, _ZSTD):
        unpacked = _unzstd(data[start:])
        if unpacked:
            yield unpacked
            yield from _nested(unpacked)
    for start in _each(data, _GZIP):
        try:
            unpacked = zlib.decompressobj(31).decompress(data[start:])
        except zlib.error:
            continue
        yield unpacked
        yield from _nested(unpacked)


def _nested(data: bytes):
    if data[:3] == _GZIP:
        yield gzip.decompress(data)
    if data[:3] == b"BZh":
        yield bz2.decompress(data)


def _unzstd(data: bytes) -> bytes:
    """What a frame holds, as far as it is whole: a torn one still tells much."""
    found = bytearray()
    reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data))
    try:
        while piece := reader.read(1 << 14):
            found += piece
    except zstandard.ZstdError:
        pass
    return bytes(found)


def _each(data: bytes, mark: bytes):
    at = data.find(mark)
    while at >= 0:
        yield at
        at = data.find(mark, at + 1)
