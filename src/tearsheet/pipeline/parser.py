"""The parser: turns a fetched page into a story with text, or says why there is none."""

from __future__ import annotations

import re
from dataclasses import fields

from tearsheet import urls
from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.extract import Document, content_metadata, decode, refresh_target
from tearsheet.story import NEED_CANONICAL_URL, ContentMetadata, Story
from tearsheet.work import Drop, Quarantine

MIN_TEXT = 200
"""A text of this many characters or fewer is not an article."""

_FEED_TAGS = frozenset({"rss", "feed", "rdf", "rdf:rdf", "channel", "urlset", "sitemapindex"})
_FIRST_TAG = re.compile(r"<([a-z][\w:.-]{0,30})", re.IGNORECASE)
_FIRST_TAG_WITHIN = 20_000


class Parser:
    """The CPU stage between fetcher and importer.

    Drops a story with one of the reasons `no-html`, `feed`, `non-news`, `homepage`, `no-canonical-url`, `no-text`,
    `too-short` and `refresh`.
    """

    def __init__(self, clock: Clock = wall_clock) -> None:
        self._clock = clock

    def process(self, story: Story) -> Story:
        """Fill in `content_metadata` and the page's actual encoding."""
        now = utc_now(self._clock)
        page, encoding = _readable(story)
        url = story.url
        if url is None:
            raise Quarantine("no-url", "neither the fetcher nor the queuer gave an address")
        document = Document(page, url, today=now.date())
        if url == NEED_CANONICAL_URL:
            url = document.url = _canonical_url(document)
        try:
            if host := urls.non_news_host(url):
                raise Drop("non-news", host)
            if urls.is_homepage(url):
                raise Drop("homepage", url)
            found = content_metadata(document)
        except urls.BadURL as error:
            raise Quarantine("bad-url", str(error)) from error
        _check_text(found.text_content, document)
        story.raw_html.encoding = encoding
        story.http_metadata.final_url = url
        _keep(story.content_metadata, found)
        if story.content_metadata.parsed_date is None:
            story.content_metadata.parsed_date = now.strftime("%Y-%m-%dT%H:%M:%S.%f")
        return story


def _readable(story: Story) -> tuple[str, str]:
    """The characters of the page and their encoding, if it is HTML."""
    html = story.raw_html.html
    if not html or not html.strip(b"\0 \t\r\n"):
        raise Drop("no-html", "the page is empty")
    page, encoding = decode(html, story.http_metadata.encoding or story.raw_html.encoding)
    first = _FIRST_TAG.search(page, 0, _FIRST_TAG_WITHIN)
    if first is None:
        raise Drop("no-html", "there is no element at its start")
    if first[1].lower() in _FEED_TAGS:
        raise Drop("feed", f"the page is a feed or a sitemap: <{first[1]}>")
    return page, encoding


def _canonical_url(document: Document) -> str:
    """The address of a page that was fetched blind, as the page itself gives it."""
    url = document.canonical_url
    # A relative link cannot be resolved here: it would only lead back to the placeholder.
    if url is None or url.startswith(NEED_CANONICAL_URL.rpartition("/")[0]):
        raise Drop("no-canonical-url", "fetched blind, and the page does not give its address")
    return url


def _check_text(text: str | None, document: Document) -> None:
    if text and len(text) > MIN_TEXT:
        return
    if target := refresh_target(document):
        raise Drop("refresh", f"the page only sends its reader on to {target}")
    if not text:
        body = document.tree.body
        if body is not None and body.text().strip():
            raise Drop("too-short", "some text, but no article in it")
        raise Drop("no-text", "there is no text in the page")
    raise Drop("too-short", f"{len(text)} characters")


def _keep(known: ContentMetadata, found: ContentMetadata) -> None:
    """What the page says replaces what was known; what it does not say is kept, above all the first `parsed_date`."""
    for field in fields(found):
        value = getattr(found, field.name)
        if value is not None and not (field.name == "original_url" and known.original_url):
            setattr(known, field.name, value)
