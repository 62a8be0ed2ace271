"""What other projects' parsers found in the shared feeds, each in its own shape, brought to one: links, title, date."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tearsheet.feeds.formats.dates import parse_feed_date
from tearsheet.feeds.formats.titles import plain_title


@dataclass
class Expected:
    """One entry: any of the links, the title, any of the dates. Empty where the other parser says nothing."""

    links: list[str]
    title: str | None
    dates: list[datetime]


def read_expected(origin: str, body: bytes) -> list[Expected]:
    """The entries that are expected, by the project that the expectation comes from."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("latin-1")
    return _READERS[origin](json.loads(text))


def _feed_rs(data: Any) -> list[Expected]:
    return [
        Expected(
            [link["href"] for link in entry["links"] if link["rel"] in (None, "alternate")],
            (entry["title"] or {}).get("content"),
            _dates(entry["published"], entry["updated"]),
        )
        for entry in data["entries"]
    ]


def _rbren(data: Any) -> list[Expected]:
    return [
        Expected(_some(item.get("link")), item.get("title"), _dates(item.get("isoDate"), item.get("pubDate")))
        for item in data["feed"].get("items", [])
        if isinstance(item.get("title"), str | None)
    ]


def _gofeed(data: Any) -> list[Expected]:
    return [
        Expected(
            _some(item.get("link")) or [link for link in item.get("links", []) if isinstance(link, str)],
            item.get("title"),
            _dates(item.get("publishedParsed"), item.get("updatedParsed")),
        )
        for item in data.get("items") or data.get("entries") or []
    ]


def _dhvcc(data: Any) -> list[Expected]:
    root = data.get("feed") or data.get("channel") or data
    content = root.get("content") or root
    words = ("entry", "entries", "item", "items")
    found = [items for holder in (content, data) for word in words if isinstance(items := holder.get(word), list)]
    entries = found[0] if found else []
    return [_dhvcc_entry(entry.get("content") or entry) for entry in entries if isinstance(entry, dict)]


def _dhvcc_entry(entry: Any) -> Expected:
    def texts(name: str) -> list[str]:
        values = entry.get(name) or entry.get(name + "s") or []
        values = values if isinstance(values, list) else [values]
        return [text for value in values if isinstance(value, dict) and (text := value.get("content"))]

    links = texts("link")
    for link in entry.get("link") or entry.get("links") or []:
        if isinstance(link, dict) and (link.get("attributes") or {}).get("rel") in (None, "alternate"):
            links += _some((link.get("attributes") or {}).get("href"))
    dates = [date for name in ("pub_date", "published", "updated") for text in texts(name) for date in _dates(text)]
    return Expected(links, next(iter(texts("title")), None), dates)


def _gpodder(data: Any) -> list[Expected]:
    return [
        Expected(
            _some(item.get("link")),
            item.get("title"),
            [datetime.fromtimestamp(item["published"], UTC)] if item.get("published") else [],
        )
        for item in data["episodes"]
    ]


_READERS: dict[str, Callable[[Any], list[Expected]]] = {
    "feed-rs/feed-rs": _feed_rs,
    "rbren/rss-parser": _rbren,
    "mmcdole/gofeed": _gofeed,
    "dhvcc/rss-parser": _dhvcc,
    "gpodder/podcastparser": _gpodder,
}
_NOW = datetime(2026, 11, 15, tzinfo=UTC)


def _some(value: Any) -> list[str]:
    return [value] if isinstance(value, str) and value else []


def _dates(*texts: Any) -> list[datetime]:
    return [date for text in texts if isinstance(text, str) and (date := parse_feed_date(text, _NOW))]


def bare(text: str | None) -> str:
    """For comparing texts that differ in blanks and markup only."""
    return "".join((plain_title(text or "") or "").split())
