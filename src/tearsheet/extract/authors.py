"""Who wrote an article."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from tearsheet.extract.head import Head
from tearsheet.extract.names import clean, each, normalize_title

_MAX_AUTHORS = 20
_MAX_BYLINES = 12
_META = (
    "author", "article:author", "article:author_name", "dc.creator", "dcterms.creator", "byl", "parsely-author", "sailthru.author",
    "citation_author",
)  # fmt: skip
_BYLINES = (
    '[rel~="author"],[itemprop="author"],a[href*="/author/"],[class*="author" i],[class*="byline" i],[id*="author" i]'
)
_ASIDE = re.compile(r"\([^()]{0,60}\)|\[[^\[\]]{0,60}\]")
_SPLIT = re.compile(r"\s*(?:[,;/|&·•\n]|\b(?:and|und|et|y|e|og|och|en|with|mit|avec|con)\b)\s*", re.IGNORECASE)
_PREFIX = re.compile(
    r"^\W*(?:(?:written|posted|published|story|words|text|photos?|reviewed|updated|edited|reporting)\s+)?"
    r"(?:by|von|par|por|di|van|av|af|door|autor(?:in)?|author|reporter|автор|text|writer)\b[:\s]+",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"https?:|www\.|\.com\b|@|^\W*$|\d|[?!{}<>=]|\b(?:read|more|follow|published|updated|posted|view|share|comments?|min|ago|subscribe|"
    r"about|articles?|author|writer|editor|staff|contributor|reporter|correspondent|news(?:letter)?|profile|bio|redaktion)\b",
    re.IGNORECASE,
)


def authors(head: Head, tree: LexborHTMLParser) -> list[str]:
    """The people who wrote the article, without repeats: from machine-readable statements, or else from the byline."""
    for names in (
        (name for item in head.articles[:3] for name in _people(item.get("author"), head)),
        (name for key in _META for name in head.meta.get(key, ())),
    ):
        if found := _distinct(names, strict=False):
            return found
    for byline in _bylines(tree):
        if found := _distinct([byline], strict=True):
            return found
    return []


def _bylines(tree: LexborHTMLParser) -> Iterator[str]:
    for node in tree.css(_BYLINES)[:_MAX_BYLINES]:
        text = node.text(separator=" " if node.tag == "a" else "\n")[:400].strip()
        if 2 < len(text) < 200:
            yield text


def _distinct(names: Iterable[str], *, strict: bool) -> list[str]:
    """Individual names. A byline is read strictly: it ends at the first thing that is not a name."""
    found: dict[str, str] = {}
    for stated in names:
        if "://" in stated or stated.startswith("@"):
            continue
        for line in stated.split("\n"):
            for part in _SPLIT.split(_PREFIX.sub("", clean(_ASIDE.sub(" ", line)))):
                name = part.strip(" .-–—:()")
                if not 2 < len(name) < 50 or "@" in name or (name[0].isdigit() and not strict):
                    continue
                if strict and (_NO_NAME.search(name) or len(name.split()) > 4 or not name[0].isupper()):
                    if found:
                        return list(found.values())
                    continue
                found.setdefault(normalize_title(name), name)
    return list(found.values())[:_MAX_AUTHORS]


def _people(value: Any, head: Head) -> Iterable[str]:
    for person in each(value):
        name = person.get("name") if isinstance(person, dict) else person
        if isinstance(person, dict) and not name and person.get("@id"):
            name = next((o.get("name") for o in head.other if o.get("@id") == person["@id"]), None)
        yield from (n for n in each(name) if isinstance(n, str))
