"""HTTP messages as WARC records hold them, and the page inside them."""

from __future__ import annotations

from dataclasses import dataclass

from tearsheet.fetch import inflate

_GZIP_MAGIC = b"\x1f\x8b"
_MAX_HEAD = 256 * 1024
MAX_BODY = 64 * 1024 * 1024
"""Largest page after decompression."""


@dataclass(slots=True)
class HttpResponse:
    """A response: its head parsed, its body as it was recorded."""

    version: str
    status: int
    reason: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        """The first header of a (lower-case) name, or an empty string."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def mime(self) -> str:
        """The media type, in lower case, without parameters."""
        return self.header("content-type").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        """The charset that the Content-Type states (Media Cloud writes it as `encoding`)."""
        for part in self.header("content-type").split(";")[1:]:
            name, _, value = part.partition("=")
            if name.strip().lower() in ("charset", "encoding") and value.strip(" \t'\""):
                return value.strip(" \t'\"")
        return None


def parse_response(data: bytes | bytearray, start: int = 0, end: int | None = None) -> HttpResponse:
    """Parse the HTTP response between `start` and `end`. Raises ValueError when it is not one."""
    end = len(data) if end is None else end
    head_end, width = data.find(b"\r\n\r\n", start, min(end, start + _MAX_HEAD)), 4
    if head_end < 0:
        head_end, width = data.find(b"\n\n", start, min(end, start + _MAX_HEAD)), 2
    if head_end < 0:
        head_end, width = min(end, start + _MAX_HEAD), 0
    head, body = bytes(data[start:head_end]), bytes(memoryview(data)[head_end + width : end])
    lines = head.decode("latin-1").splitlines()
    version, status, reason = [*(lines[0].split(None, 2) if lines else ()), "", "", ""][:3]
    if not version.startswith("HTTP/") or not (status.isascii() and status.isdigit()):
        raise ValueError("not an HTTP response")
    headers = []
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers.append((name.strip(), value.strip()))
    return HttpResponse(version.removeprefix("HTTP/"), int(status[:6]), reason, headers, body)


def decoded_body(response: HttpResponse, limit: int = MAX_BODY) -> bytes:
    """The body without transfer and content encoding. Raises ValueError when it is damaged, unknown or too large."""
    body = response.body
    if len(body) <= limit and not any("encoding" in name.lower() for name, _ in response.headers):
        return body  # as in all our own files
    if response.header("transfer-encoding").strip().lower() == "chunked":
        body = _dechunk(body)
    coding = response.header("content-encoding").strip().lower()
    if coding in ("gzip", "x-gzip") and not body.startswith(_GZIP_MAGIC):
        coding = ""  # some writers unpack the body and leave the header as it was
    return inflate(body, coding, limit)


def _dechunk(data: bytes) -> bytes:
    """Undo chunked transfer encoding; data that was stored without its chunks is returned as it is."""
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
