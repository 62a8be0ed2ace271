"""CDXJ: where each capture is in a WARC file, sorted by address and time, as replay tools expect it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from tearsheet.urls import BadURL, surt


@dataclass(slots=True, frozen=True)
class CdxLine:
    """One capture: a response or a revisit."""

    url: str
    date: str
    """WARC-Date."""
    mime: str
    status: str
    digest: str
    offset: int
    length: int
    filename: str

    @property
    def key(self) -> str:
        """The sort key: the address in SURT form. An address that cannot be parsed is its own key."""
        try:
            return surt(self.url).replace(" ", "%20")
        except BadURL:
            return self.url.replace(" ", "%20")

    def text(self) -> str:
        """`KEY TIMESTAMP {JSON}`."""
        values = {
            "url": self.url,
            "mime": self.mime,
            "status": self.status,
            "digest": self.digest,
            "length": str(self.length),
            "offset": str(self.offset),
            "filename": self.filename,
        }
        return f"{self.key} {timestamp14(self.date)} {json.dumps(values)}"


def timestamp14(date: str) -> str:
    """The fourteen digits of a WARC-Date, `YYYYMMDDhhmmss`; missing digits become zeros."""
    return "".join(c for c in date if c.isascii() and c.isdigit())[:14].ljust(14, "0")


def cdxj_file(lines: Iterable[bytes]) -> bytes:
    """A whole CDXJ file: one line for each capture, sorted by their bytes, as binary search needs them."""
    return b"".join(line + b"\n" for line in sorted(lines))


def http_mime(head: bytes) -> tuple[str, str]:
    """Media type and status code of an HTTP head: (`text/html`, `200`); `-` where there is none."""
    lines = head.split(b"\r\n")
    status_line = lines[0].split(None, 2)
    status = status_line[1].decode("latin-1") if len(status_line) > 1 and status_line[1].isdigit() else "-"
    for line in lines[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-type":
            mime = value.partition(b";")[0].strip().decode("latin-1").lower()
            return (mime if mime and " " not in mime else "-"), status
    return "-", status
