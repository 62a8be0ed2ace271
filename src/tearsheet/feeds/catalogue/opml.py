"""OPML: lists of feeds as feed readers import and export them. Folders are collections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from email.utils import format_datetime
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.formats import local_name, read_xml

_MAX_DEPTH = 20
_NOT_XML = {number: None for number in range(32) if number not in (9, 10, 13)}


def read_opml(body: bytes) -> list[NewFeed]:
    """The feeds of an OPML file, each with the folders that it is in. Raises UsageError when it is not OPML."""
    root, _ = read_xml(body, "")
    if root is None or local_name(root.tag) != "opml":
        raise UsageError("this is not an OPML file: its first element should be <opml>")
    found: dict[str, NewFeed] = {}
    for feed in _outlines(root, (), 0):
        known = found.setdefault(feed.url, feed)
        known.collections = tuple(dict.fromkeys(known.collections + feed.collections))
    return list(found.values())


def _outlines(parent: etree._Element, folders: tuple[str, ...], depth: int) -> Iterator[NewFeed]:
    """Outlines with an address are feeds; the others are folders. A nested folder is named by its path."""
    for element in parent:
        if local_name(element.tag) != "outline":
            if depth == 0 and local_name(element.tag) == "body":
                yield from _outlines(element, folders, depth + 1)
            continue
        attributes = {str(name).lower(): str(value).strip() for name, value in element.attrib.items()}
        label = " ".join((attributes.get("title") or attributes.get("text") or "").split())
        url = attributes.get("xmlurl") or (
            attributes.get("url", "") if attributes.get("type", "").lower() in ("rss", "atom") else ""
        )
        if url:
            more = tuple(c.strip("/ ") for c in attributes.get("category", "").split(",") if c.strip("/ "))
            home = attributes.get("htmlurl") or None
            yield NewFeed(url, name=label or None, homepage=home, collections=(*_path(folders), *more))
        if len(element) and depth < _MAX_DEPTH:
            yield from _outlines(element, (*folders, label) if label and not url else folders, depth + 1)


def _path(folders: tuple[str, ...]) -> tuple[str, ...]:
    return (" / ".join(folders),) if folders else ()


def write_opml(feeds: Iterable[NewFeed], title: str, now: datetime) -> Iterator[str]:
    """An OPML 2.0 file, line by line: a folder for each collection, and at the end the feeds that are in none."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n'
    yield f"<head><title>{escape(_clean(title))}</title><dateCreated>{format_datetime(now)}</dateCreated></head>\n<body>\n"
    folders: dict[str, list[NewFeed]] = {}
    for feed in feeds:
        for folder in feed.collections or ("",):
            folders.setdefault(folder, []).append(feed)
    for folder in sorted(folders, key=lambda name: (name == "", name)):
        lines = [_line(feed) for feed in folders[folder]]
        if folder:
            label = quoteattr(_clean(folder))
            lines = [f"<outline text={label} title={label}>\n", *lines, "</outline>\n"]
        yield from lines
    yield "</body>\n</opml>\n"


def _line(feed: NewFeed) -> str:
    label = quoteattr(_clean(feed.name or feed.url))
    home = f" htmlUrl={quoteattr(_clean(feed.homepage))}" if feed.homepage else ""
    return f'<outline type="rss" text={label} title={label} xmlUrl={quoteattr(_clean(feed.url))}{home}/>\n'


def _clean(text: str) -> str:
    return text.translate(_NOT_XML)
