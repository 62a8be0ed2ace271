"""WARC records as bytes: heads, dates, digests. Anything that came from the web is made safe for a header line here."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote

from deflate import gzip_compress
from isal import isal_zlib

SMALL = 384 * 1024
"""Records up to this size are packed by ISA-L at level 2, which is quicker; larger ones by libdeflate at level 1, which packs
them better. Real pages come out an eighth larger than with zlib's level 9, in a tenth of the time: see
`make bench-archive`."""
_GZIP_WINDOW = 31  # a gzip head and tail around the stream, window of 32 KiB
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_BASE32_PAIRS = tuple(first + second for first in _BASE32 for second in _BASE32)
_URI_SAFE = "!#$%&'()*+,/:;=?@[]~-._"

HeaderList = Sequence[tuple[str, str]]


@dataclass(slots=True)
class OutRecord:
    """A record about to be written. `version` is `1.0` or `1.1`."""

    version: str
    type: str
    id: str
    date: str
    content_type: str
    body: bytes
    head: bytes = b""
    """An HTTP head, which precedes the body. The two are separate because copying pages costs more than anything else."""
    uri: str | None = None
    headers: list[tuple[str, str]] = field(default_factory=list)

    @property
    def block(self) -> bytes:
        """Head and body."""
        return self.head + self.body

    def to_bytes(self) -> bytes:
        """The record as it is written to an uncompressed file."""
        lines = [f"WARC/{self.version}", f"WARC-Type: {self.type}", f"WARC-Record-ID: {self.id}"]
        if self.uri is not None:
            lines.append(f"WARC-Target-URI: {self.uri}")
        lines.append(f"WARC-Date: {self.date}")
        lines += [f"{name}: {value}" for name, value in self.headers]
        lines += [f"Content-Type: {self.content_type}", f"Content-Length: {len(self.head) + len(self.body)}", "", ""]
        return b"".join(("\r\n".join(lines).encode("utf-8", "replace"), self.head, self.body, b"\r\n\r\n"))


def compress(record: bytes) -> bytes:
    """One record as a separate gzip member, so that it can be read alone."""
    packed: bytes | bytearray
    packed = isal_zlib.compress(record, 2, _GZIP_WINDOW) if len(record) <= SMALL else gzip_compress(record, 1)
    return bytes(packed)


def record_id(key: str | None = None) -> str:
    """`<urn:uuid:KEY>`; without a key, a new UUID."""
    return f"<urn:uuid:{key or uuid.uuid4()}>"


def is_uuid(text: str) -> bool:
    """Whether the text is a UUID in its usual form, so that it can serve as the id of a record unchanged."""
    return _UUID.fullmatch(text) is not None


def warc_date(timestamp: float, version: str) -> str:
    """WARC-Date: whole seconds in WARC 1.0, microseconds in 1.1. An impossible timestamp becomes 1970."""
    try:
        time = datetime.fromtimestamp(timestamp, UTC)
    except (ValueError, OverflowError, OSError):
        time = datetime.fromtimestamp(0, UTC)
    if version == "1.0":
        return time.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")


def sha1_digest(*parts: bytes) -> str:
    """A digest as WARC writes it: `sha1:` and base 32."""
    digest = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        digest.update(part)
    number = int.from_bytes(digest.digest())
    return "sha1:" + "".join(_BASE32_PAIRS[number >> shift & 0x3FF] for shift in range(150, -1, -10))


def target_uri(url: str) -> str:
    """An address made safe for WARC-Target-URI: blanks, control characters and non-ASCII are percent-encoded."""
    return quote(url.encode("utf-8", "surrogatepass"), safe=_URI_SAFE)


def header_value(text: str) -> str:
    """Text for one header line: no line breaks, no other control characters."""
    return _CONTROL.sub(" ", text).strip()


def http_head(status_line: str, headers: HeaderList) -> bytes:
    """The head of an HTTP message. Headers with invalid names are left out; each value is kept to one line."""
    lines = [header_value(status_line)]
    lines += [f"{name}: {header_value(value)}" for name, value in headers if _TOKEN.fullmatch(name)]
    text = "\r\n".join((*lines, "", ""))
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")
