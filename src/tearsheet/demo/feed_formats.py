"""Feeds as their owners write them: RSS 2.0, Atom, RDF, JSON Feed and Google News sitemaps."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape

from tearsheet.demo.model import Feed, FeedFormat, FeedItem, Reply

CONTENT_TYPES: dict[FeedFormat, str] = {
    FeedFormat.RSS: "application/rss+xml; charset=utf-8",
    FeedFormat.ATOM: "application/atom+xml",
    FeedFormat.RDF: "application/rdf+xml",
    FeedFormat.JSON: "application/feed+json",
    FeedFormat.SITEMAP: "application/xml",
}
_RDF_CHARSET = "windows-1252"


Summaries = Callable[[FeedItem], str]
"""Returns the first lines of an entry's article."""


def render_feed(feed: Feed, summaries: Summaries) -> Reply:
    """The feed as the server sends it, with validators for conditional requests."""
    body = _WRITERS[feed.format](feed, summaries)
    newest = max((entry.published for entry in feed.entries), default=datetime(2026, 1, 1, tzinfo=UTC))
    headers = (
        ("Content-Type", CONTENT_TYPES[feed.format]),
        ("ETag", f'"{zlib.crc32(body):08x}"'),
        ("Last-Modified", format_datetime(newest, usegmt=True)),
        ("Cache-Control", "max-age=600"),
    )
    return Reply(200, headers, body, compress=feed.site.compress)


def _home(feed: Feed) -> str:
    return f"http://{feed.site.host}/"


def _rss(feed: Feed, summaries: Summaries) -> bytes:
    items = "".join(
        f"<item><title>{escape(entry.title)}</title><link>{escape(entry.link)}</link>"
        f'<guid isPermaLink="false">{feed.site.host}-{position}</guid>'
        f"<pubDate>{format_datetime(entry.published, usegmt=position % 2 == 0)}</pubDate>"
        f"<description><![CDATA[<p>{escape(summaries(entry))}</p>]]></description></item>\n"
        for position, entry in enumerate(feed.entries)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<rss version="2.0" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"><channel>\n'
        f"<title>{escape(feed.title)}</title><link>{_home(feed)}</link><language>{feed.language}</language><ttl>60</ttl>\n"
        f"<sy:updatePeriod>hourly</sy:updatePeriod>\n{items}</channel></rss>\n"
    ).encode()


def _atom(feed: Feed, summaries: Summaries) -> bytes:
    items = "".join(
        f'<entry><title type="html">{escape(escape(entry.title))}</title><link rel="alternate" href="{escape(entry.link)}"/>'
        f"<id>tag:{feed.site.host},2026:{position}</id><published>{entry.published.isoformat()}</published>"
        f"<updated>{entry.published.isoformat()}</updated><summary>{escape(summaries(entry))}</summary></entry>\n"
        for position, entry in enumerate(feed.entries)
    )
    newest = max((entry.published for entry in feed.entries), default=datetime(2026, 1, 1, tzinfo=UTC))
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{feed.language}">\n'
        f'<title>{escape(feed.title)}</title><link href="{_home(feed)}"/><link rel="self" href="{escape(feed.url)}"/>'
        f"<id>{_home(feed)}</id><updated>{newest.isoformat()}</updated>\n{items}</feed>\n"
    ).encode()


def _rdf(feed: Feed, summaries: Summaries) -> bytes:
    abouts = [f"{_home(feed)}item/{position}" for position in range(len(feed.entries))]
    order = "".join(f'<rdf:li rdf:resource="{about}"/>' for about in abouts)
    items = "".join(
        f'<item rdf:about="{about}"><title>{escape(entry.title)}</title><link>{escape(entry.link)}</link>'
        f"<dc:date>{entry.published.isoformat()}</dc:date><description>{escape(summaries(entry))}</description></item>\n"
        for about, entry in zip(abouts, feed.entries, strict=True)
    )
    text = (
        f'<?xml version="1.0" encoding="{_RDF_CHARSET}"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
        f'<channel rdf:about="{escape(feed.url)}"><title>{escape(feed.title)}</title><link>{_home(feed)}</link>'
        f"<description>{escape(feed.title)}</description><dc:language>{feed.language}</dc:language>"
        f"<items><rdf:Seq>{order}</rdf:Seq></items></channel>\n{items}</rdf:RDF>\n"
    )
    return text.encode(_RDF_CHARSET, "xmlcharrefreplace")


def _json_item(position: int, entry: FeedItem, feed: Feed, summary: str) -> dict[str, str]:
    item = {
        "id": f"{feed.site.host}/{position}",
        "url": entry.link,
        "title": entry.title,
        "content_text": summary,
        "date_published": entry.published.isoformat(),
    }
    return {key: value for key, value in item.items() if value}


def _json(feed: Feed, summaries: Summaries) -> bytes:
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": _home(feed),
        "feed_url": feed.url,
        "language": feed.language,
        "items": [_json_item(position, entry, feed, summaries(entry)) for position, entry in enumerate(feed.entries)],
    }
    return json.dumps(document, ensure_ascii=False, indent=1).encode()


def _sitemap(feed: Feed, summaries: Summaries) -> bytes:
    items = "".join(
        f"<url><loc>{escape(entry.link)}</loc><news:news><news:publication><news:name>{escape(feed.site.name)}</news:name>"
        f"<news:language>{feed.language}</news:language></news:publication>"
        f"<news:publication_date>{entry.published.isoformat()}</news:publication_date>"
        f"<news:title>{escape(entry.title)}</news:title></news:news></url>\n"
        for entry in feed.entries
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        f'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">\n{items}</urlset>\n'
    ).encode()


_WRITERS: dict[FeedFormat, Callable[[Feed, Summaries], bytes]] = {
    FeedFormat.RSS: _rss,
    FeedFormat.ATOM: _atom,
    FeedFormat.RDF: _rdf,
    FeedFormat.JSON: _json,
    FeedFormat.SITEMAP: _sitemap,
}
