"""What another site may do here through a reader's browser: lead the reader to a page, and nothing else.

A browser says in `Sec-Fetch-Site` whether a request was made by a page of ours, in `Sec-Fetch-Mode` and `Sec-Fetch-Dest` what for,
and in `Sec-Fetch-User` whether the reader asked for it. Programs send none of them and are left alone. Where a link on another site
leads to a page, the reader gets it; where a page of another site leads there by itself, say in a loop, the reader is asked
first, because a page may cost a search.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from urllib.parse import urlsplit

_PAGES = re.compile(
    r"/|/search|/outcomes(?:/sums)?|/gaps|/topics|/api|/stories/[0-9a-f]{64}(?:/replay)?|/topics/[0-9]+/snapshots/[0-9]+"
)
_OURS = ("same-origin", "none")


class Verdict(Enum):
    """What becomes of a request."""

    OURS = "it was made by a reader, by a page of ours, or by a program"
    LED = "a link on another site led the reader to a page"
    ASK = "another site opens a page by itself"
    REFUSED = "another site asks for something else than a page, or wants to change something"


def verdict(method: str, path: str, headers: Mapping[str, str]) -> Verdict:
    """Who made a request, and whether they may."""
    site = headers.get("sec-fetch-site")
    if site is None:
        return Verdict.OURS if _own_origin(headers) else Verdict.REFUSED
    if site in _OURS:
        return Verdict.OURS
    top = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    if method not in ("GET", "HEAD") or not top or not _PAGES.fullmatch(path):
        return Verdict.REFUSED
    return Verdict.LED if headers.get("sec-fetch-user") == "?1" else Verdict.ASK


def _own_origin(headers: Mapping[str, str]) -> bool:
    """Whether an older browser, which sends `Origin` only, is on a page of ours."""
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc == headers.get("host")
    except ValueError:
        return False
