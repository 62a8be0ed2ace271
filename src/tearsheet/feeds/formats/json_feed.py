"""JSON Feed 1.0 and 1.1."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from tearsheet.feeds.formats.dates import parse_feed_date
from tearsheet.feeds.formats.links import mended_link
from tearsheet.feeds.formats.model import (
    MAX_ENTRIES,
    MAX_NAMED,
    MAX_TEXT,
    MAX_TEXTS,
    NO_VERSION,
    Enclosure,
    Entry,
    FeedError,
    ParsedFeed,
)
from tearsheet.feeds.formats.self_links import json_links
from tearsheet.feeds.formats.titles import plain_title

_BARE = frozenset({"1", "1.0", "1.1"})
"""Versions as some feeds write them, without the address that the specification requires."""


def read_json_feed(body: bytes, url: str, now: datetime) -> ParsedFeed:
    """Read a JSON Feed. Raises FeedError when it is other JSON, or not JSON."""
    document = _decode(body.decode("utf-8", "replace"))
    version, items = (document.get("version"), document.get("items")) if isinstance(document, dict) else (None, None)
    if not isinstance(version, str) or not (
        "jsonfeed.org" in version or (version in _BARE and isinstance(items, list))
    ):
        raise FeedError(NO_VERSION)
    items = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    # All contents together are bounded, however many there are.
    longest = min(MAX_TEXT, MAX_TEXTS // max(1, min(len(items), MAX_ENTRIES)))
    home = _text(document.get("home_page_url"))
    return ParsedFeed(
        version=f"json feed {version.rstrip('/').rpartition('/')[2]}"[:40],
        title=plain_title(_text(document.get("title"))),
        home=mended_link(home, url),
        entries=[_entry(item, url, now, longest) for item in items[:MAX_ENTRIES]],
        tossed=max(0, len(items) - MAX_ENTRIES),
        links=json_links(document, url),
    )


def _decode(text: str) -> Any:
    """The document; a lone surrogate or a raw line break inside a string is tolerated."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise FeedError(NO_VERSION) from error


def _entry(item: dict[str, Any], url: str, now: datetime, longest: int) -> Entry:
    guid = _text(item.get("id")).strip()
    link = _text(item.get("url")).strip() or _text(item.get("external_url")).strip()
    if not link and guid.startswith(("http://", "https://")):
        link = guid
    updated = parse_feed_date(_text(item.get("date_modified")), now)
    return Entry(
        link=mended_link(link, url),
        title=plain_title(_text(item.get("title"))),
        published=parse_feed_date(_text(item.get("date_published")), now) or updated,
        guid=guid or None,
        updated=updated,
        summary=_text(item.get("summary"))[:longest] or None,
        content=(_text(item.get("content_html")) or _text(item.get("content_text")))[:longest] or None,
        authors=_names([part.get("name") for part in _parts(item, "authors", "author")]),
        categories=_names(_list(item.get("tags"))),
        enclosures=tuple(_enclosures(item, url)),
    )


def _enclosures(item: dict[str, Any], url: str) -> Iterator[Enclosure]:
    for part in _parts(item, "attachments")[:MAX_NAMED]:
        size = part.get("size_in_bytes")
        if link := mended_link(_text(part.get("url")), url):
            yield Enclosure(link, _text(part.get("mime_type"))[:200] or None, size if type(size) is int else None)


def _parts(item: dict[str, Any], name: str, single: str = "") -> list[dict[str, Any]]:
    """The objects of a list, or the one that older feeds have in its place."""
    return [part for part in [*_list(item.get(name)), item.get(single)] if isinstance(part, dict)]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _names(values: list[Any]) -> tuple[str, ...]:
    found = [name[:200] for value in values[:MAX_NAMED] if (name := plain_title(_text(value)))]
    return tuple(dict.fromkeys(found))


def _text(value: object) -> str:
    """A string, or a number as a string: in the wild, ids may be numbers."""
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else ""
