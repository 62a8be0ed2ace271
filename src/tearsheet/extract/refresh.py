"""Pages that send their reader on at once, by `meta refresh` instead of a redirect."""

from __future__ import annotations

import re

from tearsheet.extract.document import Document

LONGEST_REFRESH = 30.0
"""In seconds. A page that refreshes itself later than that is meant to be read."""
_REFRESH = re.compile(
    r"""\s*(\d{0,6})(?:\.[\d.]*)?\s*(?:[;,]\s*|\s+)(?:url\s*=\s*)?(["']?)(.*)""", re.IGNORECASE | re.DOTALL
)


def refresh_target(document: Document) -> str | None:
    """Where a page sends its reader right away by `meta refresh`; None if nowhere, or only later."""
    for content in document.head.meta.get("refresh", ()):
        found = _REFRESH.match(content[:4096])
        if not found or float(found[1] or 0) > LONGEST_REFRESH:
            continue
        quote, rest = found[2], found[3]
        target = rest.partition(quote)[0] if quote else rest
        if target.strip() and (url := document.absolute(target)):
            return url
    return None
