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
    PREFIXES,
    WEEKDAYS,
)
from tearsheet.feeds.formats.model import MAX_ENTRIES, Entry, ParsedFeed
from tearsheet.feeds.formats.periods import advertised_period
from tearsheet.feeds.formats.titles import plain_title
from tearsheet.urls import join_url

_ROOTS = frozenset({"rss", "rdf", "feed", "channel", "entry"})
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


def text_of(element: etree._Element) -> str:
    """All text of an element, including its children's."""
    return "".join(map(str, element.itertext())) if len(element) else element.text or ""


def resolved(link: str, element: etree._Element, url: str) -> str | None:
    """A link made absolute by `xml:base` and the feed's address; left as it is where that is impossible."""
    if not link or link.startswith(("http://", "https://")):
        return link or None
    try:
        return join_url(element.base or url, link)
    except ValueError:
        return link


def read_xml_feed(root: etree._Element, url: str, now: datetime, *, damaged: bool) -> ParsedFeed | None:
    """Read the tree of a feed; None when the tree is something else."""
    name = local_name(root.tag)
    if name not in _ROOTS or (name == "rdf" and not _is_rss(root)):
        return None
    feed = ParsedFeed(_version(root, name))
    reader = _Reader(feed, url, now, root.nsmap.get(None))
    if name == "entry":
        reader.add(root)
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

    __slots__ = ("_channel_roles", "_entry_roles", "_own", "_period", "feed", "now", "url")

    def __init__(self, feed: ParsedFeed, url: str, now: datetime, own_namespace: str | None) -> None:
        self.feed = feed
        self.url = url
        self.now = now
        self._entry_roles: dict[object, str] = {}
        self._channel_roles: dict[object, str] = {}
        self._period: dict[str, str] = {}
        self._own = "{" + (own_namespace or "") + "}"

    def read_channel(self, channel: etree._Element, *, items: bool) -> None:
        """What the feed says about itself, and its items."""
        roles = self._channel_roles
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
            feed.title = feed.title or plain_title(text_of(child))
        elif role == "link":
            href = child.get("href")
            if href is None or child.get("rel", "alternate") == "alternate":
                feed.home = feed.home or resolved("".join((href or text_of(child)).split()), child, self.url)
        elif role == "skiphours":
            hours = [text_of(hour).strip() for hour in child]
            # Some feeds count hours from 1 to 24.
            feed.skip_hours |= {int(h) % 24 for h in hours if h.isdecimal() and len(h) < 3 and int(h) <= 24}
        elif role == "skipdays":
            feed.skip_days |= {WEEKDAYS[day] for child in child if (day := text_of(child).strip().lower()) in WEEKDAYS}
        else:
            self._period.setdefault(role, text_of(child).strip())

    def finish(self) -> None:
        """Do what needs the whole channel."""
        self.feed.update_minutes = advertised_period(
            self._period.get("updateperiod"), self._period.get("updatefrequency"), self._period.get("ttl")
        )

    def add(self, item: etree._Element) -> None:
        """Read one item."""
        if len(self.feed.entries) >= MAX_ENTRIES:
            self.feed.tossed += 1
            return
        roles = self._entry_roles
        texts: dict[str, str] = {}
        link: str | None = None
        for child in item:
            tag = child.tag
            role = roles.get(tag)
            if role is None:
                role = roles[tag] = self._role(tag, ENTRY_ROLES)
            if not role:
                continue
            if role == "link":
                link = self._link(child) or link
                continue
            text = text_of(child) if len(child) else child.text
            if not text:
                continue
            if role == "guid":
                texts["guid"] = text.strip()
                if child.get("isPermaLink", child.get("ispermalink", "true")).strip().lower() == "true":
                    texts.setdefault("permalink", texts["guid"])
            elif role not in texts:
                texts[role] = text
        self.feed.entries.append(self._entry(item, texts, link))

    def _entry(self, item: etree._Element, texts: dict[str, str], link: str | None) -> Entry:
        guid = texts.get("guid")
        if guid is None:
            guid = item.get("{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about")
        if link is None:
            permalink = texts.get("permalink") if "guid" in texts else guid
            if permalink and permalink.startswith(("http://", "https://", "/")):
                link = resolved(permalink, item, self.url)
        title = texts.get("title") or texts.get("othertitle")
        updated = parse_feed_date(texts["updated"], self.now) if "updated" in texts else None
        return Entry(
            link, plain_title(title) if title else None, self._published(texts) or updated, guid or None, updated
        )

    def _published(self, texts: dict[str, str]) -> datetime | None:
        for role in DATE_ROLES:
            if role in texts and (found := parse_feed_date(texts[role], self.now)):
                return found
        return None

    def _link(self, element: etree._Element) -> str | None:
        """The address of an RSS link (its text) or of an Atom link to the page itself."""
        href = element.get("href")
        if href is None:
            href = text_of(element)
        elif (
            element.get("rel", "alternate").strip().lower() != "alternate"
            or element.get("type", "text/html").partition(";")[0].strip().lower() not in HTML_TYPES
        ):
            return None
        return resolved("".join(href.split()), element, self.url)

    def _role(self, tag: object, roles: dict[tuple[str, str], str]) -> str:
        """What an element means, by its namespace (or, where none is declared, its prefix) and its name; empty if we do not use it.

        The namespace that the feed declares for names without a prefix is taken as its own format.
        """
        if not isinstance(tag, str):
            return ""
        namespace, brace, name = tag.rpartition("}")
        if brace:
            family = KNOWN_NAMESPACES.get(namespace[1:].lower().rstrip("/#"), "other")
            if family == "other" and tag.startswith(self._own):
                family = CORE
        else:
            prefix, _, name = name.rpartition(":")
            family = PREFIXES.get(prefix.lower(), "other")
        return roles.get((family, name.lower()), "")
