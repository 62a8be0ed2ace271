"""Tag soup: a tree from markup that no XML parser takes, by the rules that readers of feeds have always had.

An end tag closes the nearest element of its name and everything in it; one that fits nothing is ignored. A new item closes the one
before, and the next field of an item closes a title or link that was never closed. All of it in one pass over the text.
"""

from __future__ import annotations

import re

from lxml import etree

from tearsheet.feeds.formats.element_roles import KNOWN_NAMESPACES, PREFIX_NAMESPACES
from tearsheet.foreign_text import unescape

MAX_DEPTH = 100
"""Below it, elements are read as if they were not there, and their texts as their parent's."""
MAX_ATTRIBUTES = 100
"""Of one element; each further one would be compared with all before."""
_MARK = re.compile(r"<(?:(!\[CDATA\[)|(!--)|([!?])|(/?)([A-Za-z_][\w.-]{0,200}(?::[A-Za-z_][\w.-]{0,200})?))", re.ASCII)
_ATTRIBUTE = re.compile(
    r"[\s/]*([A-Za-z_][\w.:-]{0,200})(?:\s*=\s*(?:\"([^\"<]*)\"|'([^'<]*)'|([^\s<>\"']+)))?", re.ASCII
)
_REST = re.compile(r"[^<>]*>?")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_XML_BASE = "{http://www.w3.org/XML/1998/namespace}"
_ITEMS = frozenset({"item", "entry", "url", "sitemap"})
_FRAMES = _ITEMS | {"rss", "rdf", "feed", "channel", "urlset", "sitemapindex", "opml", "body", "outline"}
_PLAIN = frozenset("title link guid id pubdate published updated issued modified created date".split())
"""Fields in which no other field can be."""
_FIELDS = _PLAIN | frozenset(
    "description summary content author category comments enclosure encoded creator subject source ttl image language "
    "contributor textinput group".split()
)
_MARKUP = frozenset("a b blockquote br center div em font hr i img li ol p span strong table td tr u ul".split())
"""What belongs into texts, and holds no field."""


class _Builder:
    """Keeps the open elements while a text is read."""

    def __init__(self) -> None:
        self.tree = etree.TreeBuilder()
        self.open: list[tuple[str, str]] = []
        """The tag of each open element, and its local name in lower case."""
        self._spaces: dict[str, str] = {}
        self._tags: dict[str, str] = {}
        self.tree.start("soup", {})

    def start(self, name: str, attributes: dict[str, str], empty: bool) -> None:
        """An element begins."""
        local = name.rpartition(":")[2].lower()
        self._declare(attributes)
        if local in _ITEMS and ":" not in name:
            self._close_item(local)
        elif local in _FIELDS:
            self._close_plain()
        if len(self.open) >= MAX_DEPTH:
            return
        tag = self._tags.get(name) or self._tags.setdefault(name, self._tag(name))
        self.tree.start(tag, {key: value for key, value in attributes.items() if ":" not in key or key[0] == "{"})
        if empty:
            self.tree.end(tag)
        else:
            self.open.append((tag, local))

    def end(self, name: str) -> None:
        """An element ends, and with it all that was left open in it."""
        local = name.rpartition(":")[2].lower()
        for depth in range(len(self.open) - 1, -1, -1):
            if self.open[depth][1] == local:
                self._close_from(depth)
                return
            if self.open[depth][1] in _FRAMES and local not in _FRAMES:
                return

    def _close_from(self, depth: int) -> None:
        while len(self.open) > depth:
            self.tree.end(self.open.pop()[0])

    def _close_item(self, local: str) -> None:
        for depth in range(len(self.open) - 1, -1, -1):
            if self.open[depth][1] == local:
                self._close_from(depth)
                return

    def _close_plain(self) -> None:
        """Close what cannot hold the field that begins: a field of plain words, or markup that is in no field."""
        for depth in range(len(self.open) - 1, -1, -1):
            local = self.open[depth][1]
            if local in _PLAIN:
                self._close_from(depth)
                return
            if local not in _MARKUP:
                if local in _FRAMES:
                    self._close_from(depth + 1)
                return

    def _declare(self, attributes: dict[str, str]) -> None:
        """Remember the namespaces that an element declares; one without a prefix only where a document begins."""
        for key in [key for key in attributes if key.startswith("xmlns")]:
            space, prefix = attributes.pop(key), key.partition(":")[2]
            if prefix or len(self.open) < 2:
                self._spaces[prefix.lower()] = space
                self._tags.clear()
        if "xml:base" in attributes:
            attributes[f"{_XML_BASE}base"] = attributes.pop("xml:base")

    def _tag(self, name: str) -> str:
        prefix, _, local = name.rpartition(":")
        space = self._spaces.get(prefix.lower()) or PREFIX_NAMESPACES.get(prefix.lower(), "")
        known = space.lower().rstrip("/#") in KNOWN_NAMESPACES and space.isascii() and space.isprintable()
        if known and space:
            return f"{{{space.strip()}}}{local}"
        return f"{{urn:unknown}}{local}" if prefix else local

    def finish(self) -> etree._Element | None:
        """The tree. What follows the first root, as where several documents stand in one, becomes a part of it."""
        self._close_from(0)
        self.tree.end("soup")
        soup = self.tree.close()
        roots = [child for child in soup if isinstance(child.tag, str)]
        if not roots:
            return None
        first = next((root for root in roots if etree.QName(root).localname.lower() in _FRAMES), roots[0])
        soup.remove(first)
        for other in roots:
            if other is not first:
                first.append(other)
        return first


def read_soup(text: str) -> etree._Element | None:
    """The tree of a text whose entities are those of XML; None when it has no element."""
    builder, at = _Builder(), 0
    ends = {"-->": True, "]]>": True}
    while mark := _MARK.search(text, at):
        if mark.start() > at:
            builder.tree.data(_plain(text[at : mark.start()]))
        at = mark.end()
        cdata, comment, other, slash, name = mark.groups()
        if cdata or comment:
            at = _skip(text, at, "]]>" if cdata else "-->", ends, builder if cdata else None)
        elif other:
            at = _REST.match(text, at).end()  # type: ignore[union-attr]  # it matches anything
        elif slash:
            at = _REST.match(text, at).end()  # type: ignore[union-attr]  # it matches anything
            builder.end(name)
        else:
            attributes, at, empty = _attributes(text, at)
            builder.start(name, attributes, empty)
    builder.tree.data(_plain(text[at:]))
    return builder.finish()


def _skip(text: str, at: int, mark: str, ends: dict[str, bool], builder: _Builder | None) -> int:
    """Where a comment or a CDATA section ends, whose text is data for the builder; where no end follows, it is none."""
    end = text.find(mark, at) if ends[mark] else -1
    if end < 0:
        ends[mark] = False
        return at
    if builder:
        builder.tree.data(text[at:end])
    return end + len(mark)


def _attributes(text: str, at: int) -> tuple[dict[str, str], int, bool]:
    """The attributes of a tag, where it ends, and whether the element ends with it."""
    found: dict[str, str] = {}
    while match := _ATTRIBUTE.match(text, at):
        at = match.end()
        if len(found) < MAX_ATTRIBUTES:
            found.setdefault(match[1], _plain(match[2] or match[3] or match[4] or ""))
    rest = _REST.match(text, at)
    assert rest is not None  # it matches anything
    return found, rest.end(), text.startswith("/", rest.end() - 2) and text.startswith(">", rest.end() - 1)


def _plain(text: str) -> str:
    return _NOT_XML.sub("", unescape(text)) if "&" in text else text
