"""What relative links of a feed are relative to: `xml:base`, else the site that the feed names, else the feed itself."""

from __future__ import annotations

from urllib.parse import urlsplit

from lxml import etree

from tearsheet.feeds.formats.links import mended_link
from tearsheet.feeds.formats.model import Entry, ParsedFeed
from tearsheet.urls import join_url

_ABSOLUTE = ("http://", "https://")


class LinkBases:
    """Resolves the links of one feed; those of entries at its end, when everything that the feed says about itself is known."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._base = ""
        self._relative: list[tuple[Entry, str]] = []

    def declare(self, base: str) -> None:
        """Take what a channel of CDF calls its base as one."""
        self._base = mended_link(base, self._url) or ""

    def base_of(self, element: etree._Element) -> str:
        """What an element's links are relative to, as far as it is known already."""
        return self._declared(element) or self._url

    def absolute(self, link: str, element: etree._Element) -> str | None:
        """A link of the feed itself."""
        link = link.strip()
        return mended_link(link, "" if link.startswith(_ABSOLUTE) else self.base_of(element))

    def set_link(self, entry: Entry, link: str, element: etree._Element) -> None:
        """Give an entry its link; an empty one takes no other away."""
        link = link.strip()
        if not link:
            return
        if link.startswith(_ABSOLUTE):
            entry.link = mended_link(link)
        elif declared := self._declared(element):
            entry.link = mended_link(link, declared)
        else:
            entry.link = mended_link(link, self._url)
            self._relative.append((entry, link))

    def resolve(self, feed: ParsedFeed) -> None:
        """Resolve the links that were left until the feed's own site is known."""
        base = base_of_feed(self._url, feed) if self._relative else ""
        for entry, link in self._relative:
            entry.link = mended_link(link, base)

    def _declared(self, element: etree._Element) -> str | None:
        base = element.base
        if not base or base == self._url:
            return self._base or None
        try:
            return join_url(self._url, base)
        except ValueError:
            return None


def base_of_feed(url: str, feed: ParsedFeed) -> str:
    """The base of a feed that declares none. In Atom it is the feed's own address, unless that is a service's."""
    home = feed.home or ""
    if not home.startswith(_ABSOLUTE):
        return url
    return url if feed.version.startswith("atom") and _host(home) == _host(url) else home


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower().removeprefix("www.")
    except ValueError:
        return ""
