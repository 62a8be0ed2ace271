"""Pages that would keep the parser busy for minutes, made harmless before it sees them.

The parser's work grows with the square of how deep elements are nested and of how many attributes one of them has. Nothing that
people read comes near the limits here.
"""

from __future__ import annotations

import re

MAX_DEPTH = 3000
_MANY_TAGS = 10_000
_MANY_ATTRIBUTES = 5000
_LONG_TAG = 30_000
_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_NOT_NESTED = frozenset(
    b"""
    area base br col embed hr img input link meta param source track wbr p li td th tr dd dt option optgroup thead tbody tfoot
    colgroup caption rp rt body html head
    """.split()
)
"""Elements that hold nothing, or that the next of their kind closes."""


def tame(page: bytes) -> bytes:
    """The page without what makes parsing it a burden; nearly always the page itself."""
    if page.count(b"<") > _MANY_TAGS:
        page = _without_abyss(page)
    if page.count(b"=") > 3 * _MANY_ATTRIBUTES or page.count(b" ") + page.count(b"\n") > 20 * _MANY_ATTRIBUTES:
        page = _without_endless_tags(page)
    return page


def _without_abyss(page: bytes) -> bytes:
    """Cut the page off where its elements are nested too deep."""
    depth = 0
    for found in _TAG.finditer(page):
        if found[2].lower() in _NOT_NESTED:
            continue
        depth = max(0, depth - 1) if found[1] else depth + 1
        if depth > MAX_DEPTH:
            return page[: found.start()]
    return page


def _without_endless_tags(page: bytes) -> bytes:
    """Leave out tags with thousands of attributes."""
    parts = page.split(b">")
    if len(max(parts, key=len)) < _LONG_TAG:
        return page
    for i, part in enumerate(parts):
        start = part.find(b"<") if len(part) >= _LONG_TAG else -1
        if start >= 0 and len(part[start:].split(None, _MANY_ATTRIBUTES)) > _MANY_ATTRIBUTES:
            parts[i] = part[:start] + b"<br"
    return b">".join(parts)
