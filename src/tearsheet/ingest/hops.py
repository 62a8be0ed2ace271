"""Hops: which address comes next on the way from a request to the document, and when to stop. Pure functions."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from tearsheet.extract import Document, refresh_target
from tearsheet.fetch import wire_url
from tearsheet.ingest.block_lists import ARCHIVES, COOKIE_WALLS, NEVER, NEVER_BELOW, WALLS
from tearsheet.urls import BadURL, split_http_url

MAX_HOPS = 8
"""How many pages are read on the way, the document included."""
_DOUBLED = re.compile(r"^(https?://)(?:https?://)+", re.IGNORECASE)
_STRAY_COLON = re.compile(r"^(https?://[^/?#:\s]+):(?=[/?#]|$)", re.IGNORECASE)


def clean_url(url: str) -> str:
    """An address as it is requested: with doubled schemes, stray colons and escapes repaired. Raises BadURL."""
    url = _DOUBLED.sub(r"\1", url.strip())
    return wire_url(_STRAY_COLON.sub(r"\1", url))


def refusal(url: str) -> str | None:
    """The status of an address that the block lists rule out; None if it may be fetched."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    below = f"{host.removeprefix('www.')}{parts.path}"
    if _is_below(host, ARCHIVES):
        return "not-implemented"
    if _is_below(host, NEVER) or below.startswith(tuple(NEVER_BELOW)):
        return "skip-url-blocklist"
    if any(part in url for part in WALLS):
        return "skip-wall"
    if any(part in url for part in COOKIE_WALLS):
        return "blocked-cookie"
    return None


def terminal_refusal(url: str) -> str | None:
    """The same for where redirects ended: by then a wall has been hit, not avoided."""
    status = refusal(url)
    return "blocked-wall" if status == "skip-wall" else status


def _is_below(host: str, domains: tuple[str, ...] | list[str]) -> bool:
    return any(host == domain or host.endswith("." + domain) for domain in domains)


def same_page(one: str, other: str) -> bool:
    """Whether two addresses differ only in scheme, `www.`, a trailing slash or a fragment."""
    try:
        return _page_key(one) == _page_key(other)
    except BadURL:
        return one == other


def _page_key(url: str) -> tuple[str, int | None, str, str]:
    parts = split_http_url(url)
    port = None if parts.port in (80, 443) else parts.port
    return (parts.hostname or "").removeprefix("www."), port, parts.path.rstrip("/"), parts.query


def next_hop(document: Document, fulltext: str | None, visited: list[str]) -> str | None:
    """Where to go from a page: its refresh target, or its full text. None if the page is the document.

    A page that has been visited is not visited again: that would be a loop, and the current page is just as good.
    """
    for target in (refresh_target(document), fulltext):
        if target is None:
            continue
        try:
            cleaned = clean_url(target)
        except BadURL:
            continue
        if not any(same_page(cleaned, url) for url in visited):
            return cleaned
    return None
