"""The captured parts of a page, and how they are put into it: as `data:` addresses, with limits on how much they are together."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tearsheet.extract import Document
from tearsheet.ingest.css import rewrite_css, sheet_text

MAX_REPLAY = 100_000_000
"""How many bytes of sub-resources are inlined into one page, counting repeats."""
_MAX_IMPORTS = 5
_MIME = re.compile(r"[a-z0-9.+-]+/[a-z0-9.+-]+")


@dataclass(slots=True, frozen=True)
class Part:
    """A captured sub-resource."""

    url: str
    """Where it really was, after redirects."""
    mimetype: str
    body: bytes
    charset: str | None = None
    """What HTTP stated."""


Parts = Callable[[str], Part | None]
"""By the address that the page names."""


def rationed(parts: Mapping[str, Part], left: int = MAX_REPLAY) -> Parts:
    """The parts, until this many bytes have been handed out: a page may name a large picture a thousand times."""

    def give(address: str) -> Part | None:
        nonlocal left
        part = parts.get(address)
        left -= len(part.body) if part is not None else 0
        return part if left >= 0 else None

    return give


def data_url(part: Part) -> str:
    """The `data:` address of a part."""
    mimetype = part.mimetype if _MIME.fullmatch(part.mimetype) else "application/octet-stream"
    return f"data:{mimetype};base64,{base64.b64encode(part.body).decode()}"


class Sheets:
    """The style sheets of a page, with everything that they name inlined. Each is made once, however often it is imported.

    One that imports itself, by whatever way, shows nothing there. What is handed out is counted, because a sheet is in every
    sheet that imports it, and grows by a third each time.
    """

    def __init__(self, parts: Parts, left: int = MAX_REPLAY) -> None:
        self._parts = parts
        self._left = left
        self._made: dict[tuple[str, str], str | None] = {}
        """By their addresses and the encoding of the page, which is theirs unless they state another."""
        self._depth = 0

    def address(self, document: Document, url: str | None) -> str | None:
        """A captured sheet as a `data:` address. None if it was not captured, or would be too much."""
        if url is None:
            return None
        key = url, document.encoding
        if key not in self._made:
            if self._depth > _MAX_IMPORTS:
                return None
            self._made[key] = None  # until it is made: so it cannot import itself
            self._made[key] = self._make(document, url)
        found = self._made[key]
        self._left -= len(found or "")
        return found if self._left >= 0 else None

    def _make(self, document: Document, url: str) -> str | None:
        part = self._parts(url)
        if part is None:
            return None
        self._depth += 1
        text = self.text(document, sheet_text(part.body, part.charset, document.encoding), part.url)
        self._depth -= 1
        return f"data:text/css;charset=utf-8;base64,{base64.b64encode(text.encode('utf-8', 'replace')).decode()}"

    def text(self, document: Document, text: str, base: str) -> str:
        """A style sheet with everything that it names inlined; `base` is what its addresses are relative to."""

        def put_in(kind: str, address: str) -> str | None:
            target = document.absolute(address.partition("#")[0], base)
            if kind == "stylesheet":
                return self.address(document, target)
            part = self._parts(target) if target else None
            return data_url(part) if part is not None else None

        return rewrite_css(text, put_in)
