"""RSS 0.9 to 2.0, RDF and Atom. Feeds in the wild mix their elements so freely that one reader serves them all."""

from __future__ import annotations

from datetime import datetime

from lxml import etree

from tearsheet.feeds.formats.dates import parse_feed_date
from tearsheet.feeds.formats.element_roles import (
    CHANNEL_ROLES,
    CORE,
    DATE_ROLES,
    ENTRY_ROLES,
    HTML_TYPES,
    KNOWN_NAMESPACES,
    PREFIX_NAMESPACES,
    WEEKDAYS,
)
from tearsheet.feeds.formats.entry_parts import (
    add_author,
    add_category,
    add_enclosure,
    markup_of,
    text_of,
    title_of,
)
from tearsheet.feeds.formats.links import can_be_address, mended_link
from tearsheet.feeds.formats.model import MAX_ENTRIES, MAX_TEXT, MAX_TEXTS, Enclosure, Entry, ParsedFeed
from tearsheet.feeds.formats.periods import advertised_period
from tearsheet.feeds.formats.relative_links import LinkBases
from tearsheet.feeds.formats.titles import plain_title

_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_ADDRESS = ("http://", "https://", "/")
_ROOTS = frozenset({"rss", "rdf", "feed", "channel", "entry"})
_SAID = frozenset({"othertitle", "updated", "made"})
_CONTAINERS = frozenset({"channel", "feed"})
_ITEMS = frozenset({"item", "entry"})


def local_name(tag: object) -> str:
    """The name of an element in lower case, without namespace or prefix; empty for anything that is not an element."""
    if not isinstance(tag, str):
        return ""
    return tag.rpartition("}")[2].rpartition(":")[2].lower()


def namespace_of(tag: object) -> str:
    """The namespace of an element; empty if it has none."""
    return tag.rpartition("}")[0].removeprefix("{") if isinstance(tag, str) else ""


def read_xml_feed(root: etree._Element, url: str, now: datetime, *, damaged: bool) -> ParsedFeed | None:
    """Read the tree of a feed; None when the tree is something else."""
    name = local_name(root.tag)
    if name not in _ROOTS or (name == "rdf" and not _is_rss(root)):
        return None
    feed = ParsedFeed(_version(root, name))
    reader = _Reader(feed, url, now, root)
    if name == "entry":
        reader.add(root)
        reader.finish()
        return feed
    for container in [root, *(child for child in root if local_name(child.tag) in _CONTAINERS)]:
        reader.read_channel(container, items=not damaged)
    if damaged:
        # An unclosed tag puts items inside others: take them wherever they are.
        for element in root.iter(etree.Element):
            if local_name(element.tag) in _ITEMS:
                reader.add(element)
    reader.finish()
    return feed


def _attribute(element: etree._Element, name: str) -> str:
    """An attribute of CDF, which is written in capitals or not."""
    return (element.get(name) or element.get(name.upper()) or "").strip()


def _is_rss(root: etree._Element) -> bool:
    """Whether it is a feed: RDF describes anything, but a feed has a channel or items, or at least an RSS namespace."""
    return any("rss" in (space or "") or "netscape" in (space or "") for space in root.nsmap.values()) or any(
        local_name(child.tag) in ("channel", "item") for child in root
    )


def _version(root: etree._Element, name: str) -> str:
    namespace = namespace_of(root.tag)
    if name in ("feed", "entry"):
        return "atom 0.3" if "purl.org/atom" in namespace or root.get("version") == "0.3" else "atom 1.0"
    if name == "rdf":
        for child in root:
            space = namespace_of(child.tag)
            if "netscape" in space:
                return "rss 0.90"
            if space.endswith("rss1.1#"):
                return "rss 1.1"
        return "rss 1.0"
    return f"rss {(root.get('version') or '').strip()[:8] or '?'}"


class _Reader:
    """Collects what the elements of one feed say."""

    __slots__ = (
        "_bases",
        "_channel_roles",
        "_entry_roles",
        "_is_cdf",
        "_own",
        "_period",
        "_room",
        "_said",
        "feed",
        "now",
    )

    def __init__(self, feed: ParsedFeed, url: str, now: datetime, root: etree._Element) -> None:
        self.feed = feed
        self.now = now
        self._is_cdf = local_name(root.tag) == "channel"
        self._bases = LinkBases(url)
        self._entry_roles: dict[object, str] = {}
        self._channel_roles: dict[object, str] = {}
        self._period: dict[str, str] = {}
        self._said: dict[str, str] = {}
        self._own = "{" + (root.nsmap.get(None) or "") + "}"
        self._room = MAX_TEXTS

    def read_channel(self, channel: etree._Element, *, items: bool) -> None:
        """What the feed says about itself, and its items."""
        roles = self._channel_roles
        if self._is_cdf:
            self._bases.declare(_attribute(channel, "base"))
            self.feed.home = self._bases.absolute(_attribute(channel, "href"), channel)
            self._said["updated"] = _attribute(channel, "lastmod")
        for child in channel:
            tag = child.tag
            role = roles.get(tag)
            if role is None:
                role = roles[tag] = self._role(tag, CHANNEL_ROLES)
            if role == "item":
                if items:
                    self.add(child)
            elif role:
                self._channel_part(role, child)

    def _channel_part(self, role: str, child: etree._Element) -> None:
        feed = self.feed
        if role == "title":
            feed.title = feed.title or title_of(child)
        elif role == "link":
            href = child.get("href")
            if href is None or child.get("rel", "alternate") == "alternate":
                feed.home = feed.home or self._bases.absolute(href or text_of(child), child)
        elif role == "skiphours":
            hours = [text_of(hour).strip() for hour in child]
            # Some feeds count hours from 1 to 24.
            feed.skip_hours |= {int(h) % 24 for h in hours if h.isdecimal() and len(h) < 3 and int(h) <= 24}
        elif role == "skipdays":
            feed.skip_days |= {WEEKDAYS[day] for child in child if (day := text_of(child).strip().lower()) in WEEKDAYS}
        elif role == "id":
            if (text := text_of(child).strip()).lower().startswith(_ADDRESS):
                self._said.setdefault("id", self._bases.absolute(text, child) or "")
        elif role in _SAID:
            self._said.setdefault(role, text_of(child).strip())
        else:
            self._period.setdefault(role, text_of(child).strip())

    def finish(self) -> None:
        """Do what needs the whole channel."""
        feed, said = self.feed, self._said
        feed.update_minutes = advertised_period(
            self._period.get("updateperiod"), self._period.get("updatefrequency"), self._period.get("ttl")
        )
        feed.title = feed.title or plain_title(said.get("othertitle", ""))
        feed.home = feed.home or said.get("id") or None
        for role in ("updated", "made"):
            if feed.updated is None and said.get(role):
                feed.updated = parse_feed_date(said[role], self.now)
        self._bases.resolve(feed)

    def add(self, item: etree._Element) -> None:
        """Read one item."""
        if len(self.feed.entries) >= MAX_ENTRIES:
            self.feed.tossed += 1
            return
        roles = self._entry_roles
        entry = Entry()
        texts: dict[str, str] = {}
        authors: list[str] = []
        categories: list[str] = []
        enclosures: list[Enclosure] = []
        for child in item:
            tag = child.tag
            role = roles.get(tag)
            if role is None:
                role = roles[tag] = self._role(tag, ENTRY_ROLES)
            if not role:
                continue
            if role == "link":
                self._link(child, entry, enclosures)
            elif role == "author":
                add_author(child, authors)
            elif role == "category":
                add_category(child, categories)
            elif role in ("enclosure", "group"):
                self._enclosures(role, child, enclosures)
            else:
                self._text(role, child, texts)
        entry.authors, entry.categories, entry.enclosures = tuple(authors), tuple(categories), tuple(enclosures)
        self._fill(entry, item, texts)
        self.feed.entries.append(entry)

    def _text(self, role: str, child: etree._Element, texts: dict[str, str]) -> None:
        """Keep the first text of each role."""
        if role in ("summary", "content", "subtitle"):
            text = markup_of(child) if role not in texts and self._room > 0 else ""
            text = text.strip()[:MAX_TEXT]
            self._room -= len(text)
        elif role in ("title", "othertitle"):
            text = title_of(child) or ""
        else:
            text = (text_of(child) if len(child) else child.text or "").strip()
        if not text:
            return
        if role == "guid":
            texts["guid"] = text
            if child.get("isPermaLink", child.get("ispermalink", "true")).strip().lower() == "true":
                texts.setdefault("permalink", text)
        elif role not in texts:
            texts[role] = text

    def _fill(self, entry: Entry, item: etree._Element, texts: dict[str, str]) -> None:
        entry.guid = texts.get("guid") or item.get(_ABOUT) or None
        if texts.get("original", "").startswith(_ADDRESS[:2]):
            # What a service put in the place of the publisher's own link counts its readers, and goes when the service does.
            entry.link = mended_link(texts["original"])
        elif entry.link is None:
            self._link_otherwise(entry, item, texts)
        entry.title = texts.get("title") or texts.get("othertitle")
        changed = _attribute(item, "lastmod") if self._is_cdf else texts.get("updated")
        entry.updated = parse_feed_date(changed, self.now) if changed else None
        entry.published = self._published(texts) or entry.updated
        entry.summary = texts.get("summary") or texts.get("subtitle")
        entry.content = texts.get("content")

    def _link_otherwise(self, entry: Entry, item: etree._Element, texts: dict[str, str]) -> None:
        """The link of an entry that has none: the attribute that it is in CDF, or an id that is an address."""
        if self._is_cdf:
            self._bases.set_link(entry, _attribute(item, "href"), item)
            return
        permalink = texts.get("permalink") if "guid" in texts else entry.guid
        if permalink and permalink.lower().startswith(_ADDRESS) and can_be_address(permalink):
            self._bases.set_link(entry, permalink, item)

    def _published(self, texts: dict[str, str]) -> datetime | None:
        for role in DATE_ROLES:
            if role in texts and (found := parse_feed_date(texts[role], self.now)):
                return found
        return None

    def _link(self, element: etree._Element, entry: Entry, enclosures: list[Enclosure]) -> None:
        """The address of an RSS link (its text) or of an Atom link to the page itself; one to a file is an enclosure."""
        href = element.get("href")
        if href is None:
            href = text_of(element)
        else:
            relation = element.get("rel", "alternate").strip().lower()
            if relation == "enclosure":
                add_enclosure(element, self._bases.base_of(element), enclosures)
            kind = element.get("type", "text/html").partition(";")[0].strip().lower()
            if relation != "alternate" or kind not in HTML_TYPES:
                return
        self._bases.set_link(entry, href, element)

    def _enclosures(self, role: str, element: etree._Element, found: list[Enclosure]) -> None:
        for file in element if role == "group" else (element,):
            if role == "enclosure" or self._role(file.tag, ENTRY_ROLES) == "enclosure":
                add_enclosure(file, self._bases.base_of(file), found)

    def _role(self, tag: object, roles: dict[tuple[str, str], str]) -> str:
        """What an element means, by its namespace (or, where none is declared, its prefix) and its name; empty if we do not use it.

        The namespace that the feed declares for names without a prefix is taken as its own format.
        """
        if not isinstance(tag, str):
            return ""
        namespace, brace, name = tag.rpartition("}")
        if not brace:
            prefix, _, name = name.rpartition(":")
            namespace = "{" + PREFIX_NAMESPACES.get(prefix.lower(), "other" if prefix else "")
        family = KNOWN_NAMESPACES.get(namespace[1:].lower().rstrip("/#"), "other")
        if family == "other" and brace and tag.startswith(self._own):
            family = CORE
        return roles.get((family, name.lower()), "")
