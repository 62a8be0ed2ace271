"""What an ingest reads, in a separate process: pages and style sheets. One that keeps the parser busy harms only itself.

Of a page: where it leads, and if nowhere, what it says, what it is and what belongs to it. Of a style sheet: what it loads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tearsheet.extract import MAX_PAGE, Document
from tearsheet.ingest.biblio import html_biblio
from tearsheet.ingest.css import sheet_text
from tearsheet.ingest.fetching import Refused
from tearsheet.ingest.hops import next_hop
from tearsheet.ingest.model import Biblio, HtmlBody
from tearsheet.ingest.platforms import platform_of
from tearsheet.ingest.resources import Reference, page_references, sheet_references
from tearsheet.ingest.scopes import page_features, scope_of
from tearsheet.ingest.tei import html_body
from tearsheet.work import Quarantine, Reader, ReadingJob

_UNPARSED = "html-selectolax-error"
_MARKUP_SHOWN = 2_000_000
_INLINE = re.compile(rb"data:[\w.+/;=-]{0,100}+,[A-Za-z0-9+/=%\s]{1000,}+")


@dataclass(slots=True, frozen=True)
class ReceivedPage:
    """A page as it came from the web."""

    body: bytes
    url: str
    charset: str | None
    """What HTTP stated."""
    visited: list[str]
    """Addresses visited so far, which it cannot lead back to."""


@dataclass(slots=True, frozen=True)
class PageContents:
    """What is in a page. The last five are set only if it leads nowhere."""

    biblio: Biblio
    following: str | None = None
    """The address that it leads to."""
    encoding: str = "utf-8"
    body: HtmlBody | None = None
    platform: str | None = None
    scope: str = "unknown"
    references: list[Reference] = field(default_factory=list)


@dataclass(slots=True, frozen=True)
class ReceivedSheet:
    """One of a page's style sheets as it came from the web."""

    body: bytes
    url: str
    charset: str | None
    """What HTTP stated."""
    page_url: str
    page_charset: str
    limit: int
    """How many references are wanted."""


def read_sheet(sheet: ReceivedSheet) -> list[Reference]:
    """What a style sheet loads."""
    text = sheet_text(sheet.body, sheet.charset, sheet.page_charset)
    return sheet_references(text, sheet.url, sheet.page_url)[: sheet.limit]


def read_page(page: ReceivedPage) -> PageContents:
    """Read a page. Raises Quarantine if it cannot be parsed."""
    try:
        document = Document(_without_pictures(page.body), page.url, charset=page.charset)
    except ValueError as error:
        raise Quarantine(_UNPARSED, str(error)) from error
    biblio = html_biblio(document)
    following = next_hop(document, biblio.html_fulltext_url, page.visited)
    if following is not None:
        return PageContents(biblio, following)
    body = html_body(document, biblio)
    markup = page.body[:_MARKUP_SHOWN].decode("utf-8", "replace")
    platform = platform_of(document, markup)
    scope = scope_of(page_features(document, markup, biblio, platform, body.word_count or 0))
    return PageContents(biblio, None, document.encoding, body, platform, scope, page_references(document))


def _without_pictures(body: bytes) -> bytes:
    """The page, without its inline pictures if it is too long to be parsed whole."""
    return _INLINE.sub(b"data:,", body) if len(body) > MAX_PAGE else body


READ_PAGE = ReadingJob(read_page, max_answer=64_000_000)
READ_SHEET = ReadingJob(read_sheet, seconds=5.0, max_answer=4_000_000)
_STATUSES = {"timeout": "timeout", "error": "internal-error"}


async def page_contents(reader: Reader, page: ReceivedPage) -> PageContents:
    """Read a page. Raises Refused, also if it took too long or crashed its process."""
    try:
        return await reader.read(READ_PAGE, page)
    except Quarantine as error:
        detail = error.detail if error.reason in (_UNPARSED, "error") else f"parsing {page.url} {error.detail}"
        raise Refused(_STATUSES.get(error.reason, _UNPARSED), detail) from error
