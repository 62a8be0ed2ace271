"""Title, description, authors and picture of an article, from what the page says about itself."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from tearsheet.extract.head import Head

_MAX_TITLE = 1000
_MAX_AUTHORS = 20
_SEPARATOR = re.compile(r"\s+[|\-–—·•»:/]\s+|\s*[|»]\s*")
_AUTHOR_SPLIT = re.compile(r"\s*(?:[,;/|&·•]|\band\b|\bund\b|\bet\b|\by\b|\be\b)\s*", re.IGNORECASE)
_AUTHOR_PREFIX = re.compile(r"^(?:by|von|par|por|di|van|written by|words by|text)\b[:\s]+", re.IGNORECASE)
_NO_AUTHOR = re.compile(
    r"https?://|@|^\W*$|\d{3}|^(?:admin|administrator|editor|staff|redaktion|webmaster|none|null|unknown)$",
    re.IGNORECASE,
)
_AUTHOR_META = ("author", "article:author", "dc.creator", "byl", "parsely-author", "sailthru.author")
_NOT_WORD = re.compile(r"[\W_]+")


def article_title(head: Head) -> str | None:
    """The headline: what the page states for others to show, else its first heading, else its title without the site's name."""
    candidates = [
        *(_clean(item.get("headline")) for item in head.articles[:1]),
        _clean(head.first("og:title", "twitter:title", "dc.title", "parsely-title", "sailthru.title")),
        *(_clean(node.text(separator=" ")) for node in head.headings[:1]),
        _clean(head.title),
    ]
    site = _clean(head.first("og:site_name", "application-name"))
    for title in candidates:
        if title:
            return without_site_name(title, site)[:_MAX_TITLE]
    return None


def without_site_name(title: str, site: str) -> str:
    """Cut the publication's name off the end or the start of a title."""
    if not site:
        return title
    parts = _SEPARATOR.split(title)
    if len(parts) > 1:
        if normalize_title(parts[-1]) == normalize_title(site):
            return title[: title.rindex(parts[-1])].rstrip(" |-–—·•»:/")
        if normalize_title(parts[0]) == normalize_title(site):
            return title[title.index(parts[0]) + len(parts[0]) :].lstrip(" |-–—·•»:/")
    return title


def normalize_title(title: str) -> str:
    """The form by which two spellings of one title are recognised: words in lower case, one blank between them."""
    return _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", title).casefold()).strip()


def description(head: Head) -> str | None:
    """What the page says it is about."""
    return _clean(head.first("og:description", "description", "twitter:description", "dc.description")) or None


def image(head: Head) -> str | None:
    """The picture that stands for the article, as written."""
    if stated := head.first("og:image", "og:image:url", "twitter:image", "twitter:image:src"):
        return stated
    for item in head.articles:
        for value in _each(item.get("image")):
            address = value.get("url") if isinstance(value, dict) else value
            if isinstance(address, str) and address:
                return address
    return None


def authors(head: Head) -> list[str]:
    """The people who wrote the article, without repetition."""
    for names in (
        (name for item in head.articles for name in _people(item.get("author"))),
        (name for key in _AUTHOR_META for name in head.meta.get(key, ())),
    ):
        if found := _distinct(names):
            return found
    return []


def _distinct(names: Iterable[str]) -> list[str]:
    found: dict[str, str] = {}
    for stated in names:
        for part in _AUTHOR_SPLIT.split(_AUTHOR_PREFIX.sub("", _clean(stated))):
            name = part.strip(" .-")
            if 2 < len(name) < 60 and not _NO_AUTHOR.search(name):
                found.setdefault(normalize_title(name), name)
    return list(found.values())[:_MAX_AUTHORS]


def _people(value: Any) -> Iterable[str]:
    for person in _each(value):
        name = person.get("name") if isinstance(person, dict) else person
        yield from (n for n in _each(name) if isinstance(n, str))


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _clean(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
