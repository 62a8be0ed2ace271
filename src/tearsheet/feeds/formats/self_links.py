"""Where a feed says that it is, that more of it is, and who tells of its news: links of the feed itself, not of its entries."""

from __future__ import annotations

from typing import Any

from lxml import etree

from tearsheet.feeds.formats.entry_parts import text_of
from tearsheet.feeds.formats.model import ARCHIVE, HUB, NEW_ADDRESS, NEXT, SELF
from tearsheet.feeds.formats.xml_feed import local_name
from tearsheet.urls import join_url

_WANTED = frozenset({HUB, SELF, NEXT, ARCHIVE})
_CONTAINERS = frozenset({"channel", "feed"})
_MAX_LENGTH = 2048


def self_links(root: etree._Element, url: str) -> dict[str, str]:
    """The first link of each kind, absolute: of WebSub, of paged feeds (RFC 5005), and of podcasts that move."""
    found: dict[str, str] = {}
    for container in (root, *(child for child in root if local_name(child.tag) in _CONTAINERS)):
        for child in container:
            name = local_name(child.tag)
            if name == "link":
                for rel in (child.get("rel") or "").lower().split():
                    if rel in _WANTED:
                        _keep(found, rel, child.get("href") or "", url)
            elif name == NEW_ADDRESS:
                _keep(found, NEW_ADDRESS, text_of(child), url)
    return found


def json_links(document: dict[str, Any], url: str) -> dict[str, str]:
    """The same of a JSON Feed: `next_url`, `feed_url`, and the first of the `hubs` that speaks WebSub."""
    found: dict[str, str] = {}
    for kind, name in ((NEXT, "next_url"), (SELF, "feed_url")):
        if isinstance(address := document.get(name), str):
            _keep(found, kind, address, url)
    hubs = document.get("hubs")
    for hub in hubs if isinstance(hubs, list) else []:
        if isinstance(hub, dict) and str(hub.get("type")).lower() == "websub" and isinstance(hub.get("url"), str):
            _keep(found, HUB, hub["url"], url)
    return found


def _keep(found: dict[str, str], kind: str, link: str, base: str) -> None:
    try:
        absolute = join_url(base, link.strip())
    except ValueError:
        return
    if link.strip() and absolute.startswith(("http://", "https://")) and len(absolute) <= _MAX_LENGTH:
        found.setdefault(kind, absolute)
