"""Reads a page: where it leads, and if nowhere, what it says, what it is and what belongs to it.

All the heavy work of an ingest is here, as one function from bytes to values, so that it can run in a separate process: a page
that keeps the parser busy for minutes, or crashes it, harms only itself.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType

import msgspec

from tearsheet.extract import MAX_PAGE, Document
from tearsheet.ingest.biblio import html_biblio
from tearsheet.ingest.fetching import Refused
from tearsheet.ingest.hops import next_hop
from tearsheet.ingest.model import Biblio, HtmlBody
from tearsheet.ingest.platforms import platform_of
from tearsheet.ingest.resources import Reference, page_references
from tearsheet.ingest.scopes import page_features, scope_of
from tearsheet.ingest.tei import html_body
from tearsheet.work import ProcessPool, Quarantine

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
class _Answer:
    """The answer of a process: what is in the page, or why it could not be read."""

    contents: PageContents | None = None
    status: str = ""
    detail: str = ""


PageReader = Callable[[ReceivedPage], Awaitable[PageContents]]
"""Reads a page. Raises Refused if it cannot be parsed."""


def read_page(page: ReceivedPage) -> PageContents:
    """Read a page. Raises Refused."""
    try:
        document = Document(_without_pictures(page.body), page.url, charset=page.charset)
    except ValueError as error:
        raise Refused("html-selectolax-error", str(error)) from error
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


async def read_in_thread(page: ReceivedPage) -> PageContents:
    """Read a page in a thread of this process: for single documents that are trusted."""
    return await asyncio.to_thread(read_page, page)


class ReadingPool:
    """Reads pages in separate processes, with a time limit for each. Use it in an `async with` block."""

    def __init__(self, size: int, seconds: float) -> None:
        self._pool = ProcessPool("tearsheet.ingest.reading:answering", (), size, seconds)

    async def __aenter__(self) -> ReadingPool:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._pool.close()

    async def __call__(self, page: ReceivedPage) -> PageContents:
        """Read a page. Raises Refused, also if it took too long or crashed its process."""
        try:
            said = msgspec.msgpack.decode(await self._pool.run(msgspec.msgpack.encode(page)), type=_Answer)
        except Quarantine as error:
            status = "timeout" if error.reason == "timeout" else "html-selectolax-error"
            raise Refused(status, f"parsing {page.url} {error.detail}") from error
        if said.contents is None:
            raise Refused(said.status, said.detail)
        return said.contents


def answering() -> Callable[[bytes], bytes]:
    """What a process of `ReadingPool` does."""
    decode = msgspec.msgpack.Decoder(ReceivedPage).decode
    return lambda frame: msgspec.msgpack.encode(_answer_to(decode(frame)))


def _answer_to(page: ReceivedPage) -> _Answer:
    try:
        return _Answer(read_page(page))
    except Refused as refused:
        return _Answer(status=refused.status, detail=refused.detail)
    except Exception as error:  # a defect costs one document, not the process
        return _Answer(status="internal-error", detail=f"{type(error).__name__}: {error}")
