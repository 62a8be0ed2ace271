"""JSON Feed 1.0 and 1.1."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import msgspec

from tearsheet.feeds.formats.dates import parse_feed_date
from tearsheet.feeds.formats.model import MAX_ENTRIES, NO_VERSION, Entry, FeedError, ParsedFeed
from tearsheet.feeds.formats.self_links import json_links
from tearsheet.feeds.formats.titles import plain_title
from tearsheet.urls import join_url

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
    return ParsedFeed(
        version=f"json feed {version.rstrip('/').rpartition('/')[2]}"[:40],
        title=plain_title(_text(document.get("title"))),
        home=_absolute(_text(document.get("home_page_url")), url),
        entries=[_entry(item, url, now) for item in items[:MAX_ENTRIES]],
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


def _entry(item: dict[str, Any], url: str, now: datetime) -> Entry:
    guid = _text(item.get("id")).strip()
    link = _text(item.get("url")).strip() or _text(item.get("external_url")).strip()
    if not link and guid.startswith(("http://", "https://")):
        link = guid
    updated = parse_feed_date(_text(item.get("date_modified")), now)
    return Entry(
        link=_absolute(link, url),
        title=plain_title(_text(item.get("title"))),
        published=parse_feed_date(_text(item.get("date_published")), now) or updated,
        guid=guid or None,
        updated=updated,
    )


def _text(value: object) -> str:
    """A string, or a number as a string: in the wild, ids may be numbers."""
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def _absolute(link: str, base: str) -> str | None:
    if not link:
        return None
    try:
        return join_url(base, link)
    except ValueError:
        return link
