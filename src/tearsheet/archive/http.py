"""HTTP messages as they stand in WARC records, and the page inside them."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO

import zstandard

MAX_BODY = 64 * 1024 * 1024
"""Largest page after decompression."""


@dataclass(slots=True)
class HttpResponse:
    """A response: its head taken apart, its body as it stands."""

    version: str
    status: int
    reason: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        """The first header of a name, or nothing."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def mime(self) -> str:
        """The media type, in lower case, without parameters."""
        return self.header("content-type").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        """What the Content-Type states as the charset (or, as Media Cloud writes it, encoding)."""
        for part in self.header("content-type").split(";")[1:]:
            name, _, value = part.partition("=")
            if name.strip().lower() in ("charset", "encoding") and value.strip(" \t'\""):
                return value.strip(" \t'\"")
        return None


def parse_response(block: bytes) -> HttpResponse:
    """Take an HTTP response apart. Raises ValueError when it is none."""
    head, separator, body = block.partition(b"\r\n\r\n")
    if not separator or len(head) > 256 * 1024:
        head, separator, body = block.partition(b"\n\n")
    lines = head.decode("latin-1").splitlines()
    words = lines[0].split(None, 2) if lines else []
    if len(words) < 2 or not words[0].startswith("HTTP/") or not (words[1].isascii() and words[1].isdigit()):
        raise ValueError("not an HTTP response")
    headers = []
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers.append((name.strip(), value.strip()))
    return HttpResponse(words[0][5:], int(words[1][:6]), words[2] if len(words) > 2 else "", headers, body)


def decoded_body(response: HttpResponse, limit: int = MAX_BODY) -> bytes:
    """The body without transfer and content encoding. Raises ValueError when it is damaged, unknown or too large."""
    body = response.body
    if response.header("transfer-encoding").strip().lower() == "chunked":
        body = _dechunk(body)
    for coding in reversed(response.header("content-encoding").lower().split(",")):
        coding = coding.strip()
        if coding in ("", "identity"):
            continue
        decode = _DECODERS.get(coding)
        if decode is None:
            raise ValueError(f"content encoding {coding[:20]!r} is not known")
        body = decode(body, limit)
    if len(body) > limit:
        raise ValueError(f"page is larger than {limit} bytes")
    return body


def _dechunk(data: bytes) -> bytes:
    """Undo chunked transfer encoding; data that was stored without its chunks is given back as it is."""
    parts, at = [], 0
    while at < len(data):
        line_end = data.find(b"\r\n", at, at + 1024)
        size_text = data[at:line_end].partition(b";")[0].strip() if line_end >= 0 else b""
        try:
            size = int(size_text, 16) if len(size_text) <= 15 else -1
        except ValueError:
            size = -1
        if size < 0:
            if at == 0:
                return data
            raise ValueError("chunked body is damaged")
        if size == 0:
            break
        chunk = data[line_end + 2 : line_end + 2 + size]
        if len(chunk) < size:
            raise ValueError("chunked body is cut off")
        parts.append(chunk)
        at = line_end + 2 + size + 2
    return b"".join(parts)


def _inflate(data: bytes, limit: int, window: int) -> bytes:
    unpacker = zlib.decompressobj(window)
    try:
        out = unpacker.decompress(data, limit + 1)
    except zlib.error as error:
        raise ValueError(f"compressed body is damaged: {error}") from error
    if len(out) <= limit and not unpacker.eof:
        raise ValueError("compressed body is cut off")
    return out


def _gunzip(data: bytes, limit: int) -> bytes:
    return _inflate(data, limit, 31) if data[:2] == b"\x1f\x8b" else data  # some writers store it unpacked


def _deflate(data: bytes, limit: int) -> bytes:
    try:
        return _inflate(data, limit, 15)
    except ValueError:
        return _inflate(data, limit, -15)


def _unzstd(data: bytes, limit: int) -> bytes:
    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            return reader.read(limit + 1)
    except zstandard.ZstdError as error:
        raise ValueError(f"compressed body is damaged: {error}") from error


def _unbrotli(data: bytes, limit: int) -> bytes:
    with warnings.catch_warnings():  # its old names warn when they are defined, though nobody uses them
        warnings.simplefilter("ignore", DeprecationWarning)
        from fastwarc.stream_io import BrotliReader
    try:
        out: bytes = BrotliReader(BytesIO(data)).read(limit + 1)
    except OSError as error:
        raise ValueError(f"compressed body is damaged: {error}") from error
    return out


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gunzip, "x-gzip": _gunzip, "deflate": _deflate, "br": _unbrotli, "zstd": _unzstd,
}  # fmt: skip
