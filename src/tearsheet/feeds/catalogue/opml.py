"""OPML: lists of feeds as feed readers import and export them. Folders belong to feeds, and come out as they went in.

A feed that is switched off is a comment (`isComment`), as OPML 2.0 calls outlines that are there and have no effect.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.folders import MAX_DEPTH, cleaned_folders, collection_of, folder_name
from tearsheet.feeds.catalogue.model import Folder, NewFeed
from tearsheet.feeds.formats import local_name, read_xml
from tearsheet.foreign_text import xml_safe
from tearsheet.tables import utf8_text

_MAX_ATTRIBUTES = 100
_IN_UTF8 = re.compile(rb"""(?:\xef\xbb\xbf)?\s*<(?!\?xml[^>]{0,200}encoding=["'](?!utf-8))""", re.IGNORECASE)
"""The start of a file that claims no other encoding."""
_MAX_MARKS = 3_000_000
"""Signs that begin an element or an attribute, each of which takes a hundred bytes of memory: enough for 300,000 feeds."""


def read_opml(body: bytes) -> list[NewFeed]:
    """The feeds of an OPML file, each with the folders that it is in; its source joins collections of their names.

    Feeds without an address come last. Raises UsageError when it is not OPML.
    """
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
    folders: dict[str, dict[Folder, None]] = {}
    without_address = []
    for feed in _outlines(root, (), 0):
        if not feed.url:
            without_address.append(feed)
            continue
        if found.setdefault(feed.url, feed).active is False:
            found[feed.url].active = feed.active  # off only where it is off in every folder
        folders.setdefault(feed.url, {}).update(dict.fromkeys(feed.folders))
    names: dict[Folder, str] = {}
    for url, paths in folders.items():
        found[url].folders = tuple(paths)
        found[url].collections = tuple(names.setdefault(path, collection_of(path)) for path in paths)
    return [*found.values(), *without_address]


def _refuse_losses(body: bytes) -> None:
    """A stray `&` is repaired without loss; feeds are lost where the file is cut off or its characters are not what it says."""
    if b"</opml" not in body.lower():
        last = body.count(b"\n") + 1
        raise UsageError(f"line {last}: the file is cut off: it does not end with </opml>")
    if _IN_UTF8.match(body):
        utf8_text(body)


def _outlines(parent: etree._Element, folder: Folder, depth: int, comment: bool = False) -> Iterator[NewFeed]:
    """Outlines with an address are feeds; the others are folders. `folder` is the path to this one; what is in a comment is one."""
    for element in parent:
        if local_name(element.tag) != "outline":
            if depth == 0 and local_name(element.tag) == "body":
                yield from _outlines(element, folder, depth + 1)
            continue
        if len(element.attrib) > _MAX_ATTRIBUTES:  # to list them takes time that grows with the square of their number
            continue
        attributes = {str(name).lower(): str(value).strip() for name, value in element.attrib.items()}
        off = comment or attributes.get("iscomment", "").lower() == "true"
        label = " ".join((attributes.get("title") or attributes.get("text") or "").split())
        url = attributes.get("xmlurl") or (
            attributes.get("url", "") if attributes.get("type", "").lower() in ("rss", "atom") else ""
        )
        if url or ("xmlurl" in attributes and not len(element)):  # some readers write folders with an empty one
            home = attributes.get("htmlurl") or None
            folders = (folder, *_categories(attributes.get("category", "")))
            yield NewFeed(
                url,
                name=label or None,
                homepage=home,
                folders=folders if folder else folders[1:],
                active=False if off else None,
                ignore_validators=None,
            )
        if len(element) and depth < MAX_DEPTH:
            inner = (name,) if not url and (name := folder_name(label)) else ()
            yield from _outlines(element, (*folder, *inner), depth + 1, off)


def _categories(text: str) -> tuple[Folder, ...]:
    """The categories of an outline, as OPML 2.0 has them: paths with slashes, separated by commas."""
    return cleaned_folders(one.split("/") for one in text.split(",")) if text else ()


@dataclass(slots=True)
class _Shelf:
    """A folder that is written: what is in it, and the folders in it."""

    feeds: dict[str, NewFeed] = field(default_factory=dict)
    """By address: a list for readers has each once."""
    inner: dict[str, _Shelf] = field(default_factory=dict)

    def at(self, path: Folder) -> _Shelf:
        """The folder with this path from here."""
        shelf = self
        for name in path:
            shelf = shelf.inner.setdefault(name, _Shelf())
        return shelf


def write_opml(feeds: Iterable[NewFeed], title: str) -> Iterator[str]:
    """An OPML 2.0 file, line by line: folders in folders, and in each, after its folders, its feeds by name.

    The same feeds make the same file, so there is no date in it.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n'
    yield f"<head><title>{escape(_line(title))}</title></head>\n<body>\n"
    top = _Shelf()
    first: dict[str, NewFeed] = {}
    polled: set[str] = set()
    for feed in feeds:
        shown = first.setdefault(xml_safe(feed.url).strip(), feed)
        if feed.active is not False:
            polled.add(xml_safe(feed.url).strip())
        for path in cleaned_folders(map(_names, feed.folders)) or ((),):
            top.at(path).feeds.setdefault(xml_safe(feed.url).strip(), shown)
    nowhere = {url for url in top.feeds if any(url in shelf.feeds for shelf in _all_shelves(top))}
    for url in nowhere:  # one of its namesakes is in a folder
        del top.feeds[url]
    yield from _written(top, polled)
    yield "</body>\n</opml>\n"


def _names(path: Folder) -> Iterator[str]:
    return map(_line, path)


def _all_shelves(top: _Shelf) -> Iterator[_Shelf]:
    for shelf in top.inner.values():
        yield shelf
        yield from _all_shelves(shelf)


def _written(shelf: _Shelf, polled: Container[str]) -> Iterator[str]:
    for name in sorted(shelf.inner):
        label = quoteattr(name)
        yield f"<outline text={label} title={label}>\n"
        yield from _written(shelf.inner[name], polled)
        yield "</outline>\n"
    lines = {url: (_line(feed.name or "") or _line(url), feed) for url, feed in shelf.feeds.items()}
    for url in sorted(lines, key=lambda url: (lines[url][0], url)):
        label, home = quoteattr(lines[url][0]), _line(lines[url][1].homepage or "")
        page = f" htmlUrl={quoteattr(home)}" if home else ""
        off = "" if url in polled else ' isComment="true"'
        yield f'<outline type="rss" text={label} title={label} xmlUrl={quoteattr(url)}{page}{off}/>\n'


def _line(text: str) -> str:
    return " ".join(xml_safe(text).split())
