"""Sitemaps: Google News sitemaps, plain ones, and indexes of them."""

from __future__ import annotations

from datetime import datetime

from lxml import etree

from tearsheet.feeds.formats.dates import parse_feed_date
from tearsheet.feeds.formats.entry_parts import text_of
from tearsheet.feeds.formats.links import mended_link
from tearsheet.feeds.formats.model import MAX_ENTRIES, NEWS_SITEMAP, SITEMAP, SITEMAP_INDEX, Entry, ParsedFeed
from tearsheet.feeds.formats.titles import plain_title
from tearsheet.feeds.formats.xml_feed import local_name


def read_sitemap(root: etree._Element, url: str, now: datetime, *, damaged: bool = False) -> ParsedFeed:
    """Read a `urlset` or a `sitemapindex`. Namespaces are ignored; only the names count."""
    feed = ParsedFeed(SITEMAP_INDEX if local_name(root.tag) == "sitemapindex" else SITEMAP)
    names: dict[str, str] = {}
    # Where several documents stand in one, the others are in the first.
    for element in root.iter(etree.Element) if damaged else root:
        if local_name(element.tag) not in ("url", "sitemap"):
            continue
        if len(feed.entries) >= MAX_ENTRIES:
            feed.tossed += 1
            continue
        _add(element, feed, names, url, now)
    return feed


def _add(element: etree._Element, feed: ParsedFeed, names: dict[str, str], url: str, now: datetime) -> None:
    entry = Entry()
    for child in element:
        tag = child.tag
        name = names.get(tag) or names.setdefault(tag, local_name(tag))
        if name == "loc":
            entry.link = mended_link(text_of(child), url)
        elif name == "lastmod":
            entry.updated = parse_feed_date(text_of(child), now)
        elif name == "news":
            _add_news(child, entry, feed, now)
    if entry.link:
        entry.guid = entry.link
        feed.entries.append(entry)


def _add_news(news: etree._Element, entry: Entry, feed: ParsedFeed, now: datetime) -> None:
    for child in news:
        name = local_name(child.tag)
        if name == "publication_date":
            entry.published = parse_feed_date(text_of(child), now)
        elif name == "title":
            entry.title = plain_title(text_of(child))
        elif name == "publication" and feed.title is None:
            for part in child:
                if local_name(part.tag) == "name" and (publication := plain_title(text_of(part))):
                    feed.title = f"{publication} Google News sitemap"
        feed.version = NEWS_SITEMAP
