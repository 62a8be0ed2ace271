"""Title, description and picture of an article, from what the page says about itself."""

from __future__ import annotations

import re
from typing import Any

from tearsheet.extract.head import Head
from tearsheet.foreign_text import nfkc, unescape

_MAX_TITLE = 1000
_SEPARATOR = re.compile(r"\s+[|\-–—·•»:/]\s+|\s*[|»]\s*")
_ENDS = " |-–—·•»:/"
_NOT_WORD = re.compile(r"[\W_]+")


def article_title(head: Head) -> str | None:
    """The headline: the heading that the page's own statements confirm, or else what it states, without the site's name."""
    site = clean(head.first("og:site_name", "application-name"))
    stated = [
        clean(head.first("og:title", "twitter:title", "dc.title", "parsely-title", "sailthru.title")),
        *(clean(item.get("headline")) for item in head.articles[:1]),
        clean(head.title),
    ]
    headings = [clean(node.text()) for node in head.headings]
    for heading in headings:
        if normalize_title(heading) != normalize_title(site) and any(
            alike(heading, other) for other in stated if other
        ):
            return heading[:_MAX_TITLE]
    for title in (*stated[:2], *(headings if len(headings) == 1 else ()), *stated[2:], *headings):
        if title:
            return without_site_name(title, site)[:_MAX_TITLE]
    return None


def alike(a: str, b: str) -> bool:
    """Whether two titles have most of their words in common."""
    x, y = set(normalize_title(a).split()), set(normalize_title(b).split())
    # In scripts without spaces, a title is one word.
    if len(x) == 1 or len(y) == 1:
        x, y = set(normalize_title(a)), set(normalize_title(b))
    return len(x & y) >= 0.4 * max(len(x), len(y), 1)


def without_site_name(title: str, site: str) -> str:
    """Cut the publication's name off the end or the start of a title."""
    parts = _SEPARATOR.split(title)
    if site and len(parts) > 1:
        if normalize_title(parts[-1]) == normalize_title(site):
            return title[: title.rindex(parts[-1])].rstrip(_ENDS)
        if normalize_title(parts[0]) == normalize_title(site):
            return title[title.index(parts[0]) + len(parts[0]) :].lstrip(_ENDS)
    return title


def normalize_title(title: str) -> str:
    """The form that two spellings of one title share: words in lower case, with one space between them."""
    return _NOT_WORD.sub(" ", nfkc(title).casefold()).strip()


def description(head: Head) -> str | None:
    """What the page says it is about."""
    return clean(head.first("og:description", "description", "twitter:description", "dc.description")) or None


def image(head: Head) -> str | None:
    """The picture that stands for the article, as written."""
    if stated := head.first("og:image", "og:image:url", "twitter:image", "twitter:image:src"):
        return stated
    for item in head.articles:
        for value in each(item.get("image")):
            address = value.get("url") if isinstance(value, dict) else value
            if isinstance(address, str) and address:
                return address
    return None


def each(value: Any) -> list[Any]:
    """A JSON-LD value that may be one, several or none, as a list."""
    return value if isinstance(value, list) else [] if value is None else [value]


def clean(value: Any) -> str:
    """A stated text without redundant spaces and without character references, which pages often escape twice."""
    if not isinstance(value, str):
        return ""
    if "&" in value:
        value = unescape(value)
    return " ".join(value.split())
