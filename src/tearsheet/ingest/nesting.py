"""Pages that open elements without end: parsers need time by the square of the depth, so such pages are cut where it gets silly."""

from __future__ import annotations

import re

MAX_DEPTH = 1_000
"""Twice what browsers build."""
_TAG = re.compile(
    rb"<(/?)(?:ul|ol|dl|div|table|tbody|tr|td|span|b|i|u|em|strong|font|center|blockquote|section|article|svg|g|math|select|"
    rb"template|form|a|big|small|tt|code|nobr|s|strike|object|details|fieldset|marquee)(?![a-z0-9-])",
    re.IGNORECASE,
)


def shallow(body: bytes) -> bytes:
    """The page up to the place where more than MAX_DEPTH elements are open that should be closed; nearly always all of it."""
    depth = 0
    for found in _TAG.finditer(body):
        if not found[1]:
            depth += 1
            if depth > MAX_DEPTH:
                return body[: found.start()]
        elif depth:
            depth -= 1
    return body
