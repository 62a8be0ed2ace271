"""OPML: lists of feeds as feed readers import and export them. Folders are collections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from email.utils import format_datetime
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.formats import local_name, read_xml
from tearsheet.tables import utf8_text

_MAX_DEPTH, _MAX_LABEL = 20, 200
"""How deep folders may be nested, and how much of their names is kept, so that all paths together are no longer than the list."""
_MAX_ATTRIBUTES = 100
_IN_UTF8 = re.compile(rb"""(?:\xef\xbb\xbf)?\s*<(?!\?xml[^>]{0,200}encoding=["'](?!utf-8))""", re.IGNORECASE)
"""The start of a file that claims no other encoding."""
_MAX_MARKS = 3_000_000
"""Signs that begin an element or an attribute, each of which takes a hundred bytes of memory: enough for 300,000 feeds."""
_NOT_XML = {number: None for number in range(32) if number not in (9, 10, 13)}


def read_opml(body: bytes) -> list[NewFeed]:
    """The feeds of an OPML file, each with the folders that it is in. Raises UsageError when it is not OPML."""
    if body.count(b"<") + body.count(b"=") > _MAX_MARKS:
        raise UsageError(
            f"the OPML file has more than {_MAX_MARKS:,} elements and attributes: split it and import the parts"
        )
    root, repaired = read_xml(body, "")
    if root is None or local_name(root.tag) != "opml":
        raise UsageError("line 1: this is not an OPML file: its first element should be <opml>")
    if repaired:
        _refuse_losses(body)
    found: dict[str, NewFeed] = {}
    folders: dict[str, dict[str, None]] = {}
    for feed in _outlines(root, "", 0):
        found.setdefault(feed.url, feed)
        folders.setdefault(feed.url, {}).update(dict.fromkeys(feed.collections))
    for url, names in folders.items():
        found[url].collections = tuple(names)
    return list(found.values())


def _refuse_losses(body: bytes) -> None:
    """A stray `&` is repaired without loss; feeds are lost where the file is cut off or its characters are not what it says."""
    if b"</opml" not in body.lower():
        last = body.count(b"\n") + 1
        raise UsageError(f"line {last}: the file is cut off: it does not end with </opml>")
    if _IN_UTF8.match(body):
        utf8_text(body)


def _outlines(parent: etree._Element, folder: str, depth: int) -> Iterator[NewFeed]:
    """Outlines with an address are feeds; the others are folders. A nested folder is named by its path, here `folder`."""
    for element in parent:
        if local_name(element.tag) != "outline":
            if depth == 0 and local_name(element.tag) == "body":
                yield from _outlines(element, folder, depth + 1)
            continue
        if len(element.attrib) > _MAX_ATTRIBUTES:  # to list them takes time that grows with the square of their number
            continue
        attributes = {str(name).lower(): str(value).strip() for name, value in element.attrib.items()}
        label = " ".join((attributes.get("title") or attributes.get("text") or "").split())
        url = attributes.get("xmlurl") or (
            attributes.get("url", "") if attributes.get("type", "").lower() in ("rss", "atom") else ""
        )
        if url:
            more = tuple(c.strip("/ ") for c in attributes.get("category", "").split(",") if c.strip("/ "))
            home = attributes.get("htmlurl") or None
            yield NewFeed(url, name=label or None, homepage=home, collections=(folder, *more) if folder else more)
        if len(element) and depth < _MAX_DEPTH:
            yield from _outlines(element, folder if url else _path(folder, label[:_MAX_LABEL]), depth + 1)


def _path(folder: str, label: str) -> str:
    return f"{folder} / {label}" if folder and label else folder or label


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
