"""Single documents that a program hands over: a page, a feed, an archive file.

They are read in this process: at once, and in time that grows with them. With `confined=True` they are read in another one, with
the limits that pages from the web have in a pipeline: it may take so long, use so much memory, and can neither write nor connect.
The first such document waits for its process to start. The processes end with the program.
"""

from __future__ import annotations

import atexit
import os
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import tearsheet.extract
import tearsheet.feeds
from tearsheet.errors import ItemRefused
from tearsheet.feeds import FeedError, ParsedFeed
from tearsheet.settings import PipelineSettings
from tearsheet.story import ContentMetadata
from tearsheet.urls import normalize_url

if TYPE_CHECKING:
    from tearsheet.app.library.reading import GivenDocument
    from tearsheet.work import ReadingJob, WaitingReader

A = TypeVar("A")


def extract_article(html: bytes | str, url: str | None = None, *, confined: bool = False) -> ContentMetadata:
    """The text, title, authors, language and date of publication of one page.

    Give the page as bytes where you have them: its encoding is then found as a browser finds it. What the page does not say is
    None. With the address, the date may be read from it, and links become absolute; without it, the fields made from it are
    None. `confined=True` reads the page in another process, with limits. Raises `BadURL` if it is no http(s) address,
    `ItemRefused` if the page exceeds a limit.

    >>> import tearsheet
    >>> page = "<title>Ferry returns</title><h1>Ferry returns</h1>" + "<p>The ferry to the island runs again.</p>" * 9
    >>> article = tearsheet.extract_article(page, "https://herald.example/2026/11/14/ferry")
    >>> article.article_title, article.publication_date, article.language
    ('Ferry returns', '2026-11-14', 'en')
    """
    if not confined:
        return tearsheet.extract.extract(html, url)
    from tearsheet.app.library.reading import READ_ARTICLE, GivenDocument

    if url:
        normalize_url(url)  # a wrong address is the caller's error, and no fault of the page
    return _confined(READ_ARTICLE, GivenDocument.of(html, url))


def parse_feed(body: bytes | str, url: str | None = None, *, confined: bool = False) -> ParsedFeed:
    """The entries of a feed or a sitemap: RSS, Atom, RDF, CDF, JSON Feed, sitemaps; damaged ones as far as they make sense.

    With the address of the feed, relative links become absolute. `confined=True` reads it in another process, with limits. Raises
    `FeedError` with its reason when it is no feed, `ItemRefused` when it exceeds a limit.

    >>> import tearsheet
    >>> text = '<rss version="2.0"><channel><title>Herald</title><item><link>/ferry</link></item></channel></rss>'
    >>> feed = tearsheet.parse_feed(text, "https://herald.example/feed.xml")
    >>> feed.title, feed.version, [entry.link for entry in feed.entries]
    ('Herald', 'rss 2.0', ['https://herald.example/ferry'])
    """
    if not confined:
        return tearsheet.feeds.parse_feed(body, url)
    from tearsheet.app.library.reading import READ_GIVEN_FEED, GivenDocument

    read = _confined(READ_GIVEN_FEED, GivenDocument.of(body, url))
    if isinstance(read, str):
        raise FeedError(read)
    return read


# --------------------------------------------------------------------------------------------- in processes with limits


def _confined(job: ReadingJob[GivenDocument, A], given: GivenDocument) -> A:
    from tearsheet.work import Quarantine  # most programs never need it

    try:
        return _processes(os.getpid()).read(job, given)
    except Quarantine as error:
        raise ItemRefused(f"this document cannot be read: {error.detail or error.reason}") from error


@cache
def _processes(pid: int) -> WaitingReader:
    """The processes that this process reads in: a fork of it needs some of its own."""
    from tearsheet.work import WaitingReader

    reader = WaitingReader(os.cpu_count() or 1, PipelineSettings().page_seconds)
    atexit.register(_end, reader, pid)
    return reader


def _end(reader: WaitingReader, pid: int) -> None:
    if pid == os.getpid():
        reader.close()
