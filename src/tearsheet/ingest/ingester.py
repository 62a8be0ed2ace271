"""One request, one result: follow the hops, read the document, fetch what belongs to it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace

from tearsheet.fetch import PoliteClient
from tearsheet.ingest.fetching import Fetched, Refused, Visitor
from tearsheet.ingest.file_facts import HTML_TYPES, cdx_row, file_meta, sha1_hex, sniff_type, time14
from tearsheet.ingest.hops import MAX_HOPS, clean_url, refusal, terminal_refusal
from tearsheet.ingest.model import MAX_ERROR, Biblio, CdxRow, HtmlBody, IngestWebResult, Terminal, WebResource
from tearsheet.ingest.reading import PageContents, ReceivedPage, page_contents
from tearsheet.ingest.requests import IngestRequest, request_for
from tearsheet.ingest.resource_fetching import Keep, ResourceLimits, ResourceRound
from tearsheet.ingest.resources import MAX_RESOURCES, within_limit
from tearsheet.ingest.scopes import BLOCKED, INGESTED, WALLED
from tearsheet.ingest.statuses import status_of_code
from tearsheet.settings import FetchSettings
from tearsheet.story import Exchange
from tearsheet.urls import BadURL
from tearsheet.work import Reader, ThreadReader

_log = logging.getLogger(__name__)


@dataclass(slots=True, frozen=True)
class IngestLimits:
    """How much may be spent on one document."""

    seconds: float = 600.0
    """For the whole document."""
    page_seconds: float = 60.0
    max_bytes: int = 128 * 1024 * 1024
    max_hops: int = MAX_HOPS
    max_resources: int = MAX_RESOURCES
    resource_seconds: float = 30.0
    resource_max_bytes: int = 32 * 1024 * 1024


@dataclass(slots=True, frozen=True)
class KnownDocument:
    """What an earlier ingest recorded about the same bytes."""

    cdx: CdxRow
    resources: list[WebResource]


Known = Callable[[str, str], KnownDocument | None]
"""By SHA-1 and address: what is known about a document that was ingested whole before."""


@dataclass(slots=True)
class _Progress:
    """How far one request has got."""

    result: IngestWebResult
    landing: Biblio | None = None
    page: Fetched | None = None


@dataclass(slots=True)
class Ingester:
    """Ingests documents. `keep` is called with every document that was received, to archive it."""

    visitor: Visitor
    reader: Reader
    limits: IngestLimits = field(default_factory=IngestLimits)
    known: Known = lambda sha1hex, url: None
    is_erased: Callable[[str], bool] = lambda url: False
    """Whether the document at an address was erased, and must not come back."""

    async def ingest(self, request: IngestRequest, keep: Keep = lambda fetched: None) -> IngestWebResult:
        """Work on one request. Never raises because of what the web does: the status says what happened."""
        progress = _Progress(IngestWebResult(status="timeout", hit=False, request=request.raw))
        try:
            async with asyncio.timeout(self.limits.seconds):
                await self._work(progress, request, keep)
        except TimeoutError:
            progress.result.status, progress.result.hit = "timeout", False
        except Refused as refused:
            _fail(progress.result, refused.status, refused.detail)
        except Exception as error:
            # Whatever a page does, the worker goes on with the next one.
            _log.exception("a document could not be ingested", extra={"url": request.base_url[:500]})
            _fail(progress.result, "internal-error", f"{type(error).__name__}: {error}")
        return progress.result

    async def _work(self, progress: _Progress, request: IngestRequest, keep: Keep) -> None:
        started = asyncio.get_running_loop().time()
        if request.ingest_type != "html":
            raise Refused("not-implemented", f"requests of type {request.ingest_type} are not served")
        contents = await self._follow(progress, request.base_url, keep)
        assert progress.page is not None
        _fill_in(progress.result, contents, progress.landing)
        if _judge(progress.result):
            left = self.limits.seconds - (asyncio.get_running_loop().time() - started)
            await self._fetch_resources(progress, contents, request, keep, left)
        else:
            keep(progress.page)

    async def _follow(self, progress: _Progress, base_url: str, keep: Keep) -> PageContents:
        """Go from page to page until one leads no further; returns its contents. Raises Refused."""
        try:
            url = clean_url(base_url)
        except BadURL as error:
            raise Refused("invalid-url", str(error)) from error
        visited = progress.result.hops
        visited.append(url)
        for _ in range(self.limits.max_hops):
            if status := refusal(url):
                progress.result.terminal = Terminal(url)
                raise Refused(status, url)
            await self._refuse_erased(progress, url)
            page = await self._get(progress, url)
            if page.url != url:
                await self._refuse_erased(progress, page.url)
            contents = await page_contents(self.reader, ReceivedPage(page.body, page.url, page.charset, visited))
            if contents.following is None:
                return contents
            keep(page)
            if progress.landing is None and contents.biblio.title:
                progress.landing = contents.biblio
            visited.append(contents.following)
            url = contents.following
        raise Refused("max-hops-exceeded", f"more than {self.limits.max_hops} pages")

    async def _refuse_erased(self, progress: _Progress, url: str) -> None:
        """Raises Refused for an erased address, which the result does not name again."""
        if await asyncio.to_thread(self.is_erased, url):
            result = progress.result
            result.hops.clear()
            result.terminal = result.cdx = result.file_meta = result.request = None
            raise Refused("skip-url-blocklist", "this document was erased")

    async def _get(self, progress: _Progress, url: str) -> Fetched:
        """Fetch one page, which must be an HTML document with a good status. Raises Refused."""
        result = progress.result
        result.terminal, result.file_meta, result.cdx = Terminal(url), None, None
        try:
            page = await self.visitor.get(
                url, max_bytes=self.limits.max_bytes, seconds=self.limits.page_seconds, patience=self.limits.seconds
            )
        except Refused as refused:
            _add_hops(result.hops, refused.exchanges)
            raise
        progress.page = page
        _add_hops(result.hops, page.exchanges)
        result.terminal = Terminal(page.url, time14(page.timestamp), page.code)
        if page.url != url and (status := terminal_refusal(page.url)):
            raise Refused(status, page.url)
        if status := status_of_code(page.code):
            raise Refused(status, f"{page.code} from {page.url}")
        if not page.body.strip():
            raise Refused("empty-blob", page.url)
        result.terminal.terminal_sha1hex = sha1_hex(page.body)
        mimetype = sniff_type(page.body, page.stated_type)
        result.file_meta = await asyncio.to_thread(file_meta, page.body, mimetype)  # digests of all of it
        result.cdx = cdx_row(page.url, page.code, page.timestamp, result.file_meta)
        if result.file_meta.mimetype not in HTML_TYPES:
            raise Refused("wrong-mimetype", result.file_meta.mimetype)
        return page

    async def _fetch_resources(
        self, progress: _Progress, contents: PageContents, request: IngestRequest, keep: Keep, seconds: float
    ) -> None:
        result, page = progress.result, progress.page
        assert page is not None and result.cdx is not None
        if not request.force_recrawl:
            known = await asyncio.to_thread(self.known, result.cdx.sha1hex, result.cdx.url)
            if known is not None:
                result.cdx, result.html_resources, result.unchanged = known.cdx, known.resources, True
                return
        keep(page)
        references = within_limit(contents.references, self.limits.max_resources)
        if references is None:
            raise Refused("too-many-resources", f"more than {self.limits.max_resources}")
        limits = ResourceLimits(self.limits.max_resources, self.limits.resource_max_bytes, self.limits.resource_seconds)
        # Stop shortly before the document's own deadline, so that its result can still say which resources are missing.
        round = ResourceRound(self.visitor, self.reader, page.url, contents.encoding, limits, keep)
        result.html_resources = await round.run(references, 0.95 * seconds)


def ingest_html(
    url: str,
    *,
    settings: FetchSettings | None = None,
    limits: IngestLimits | None = None,
    force_recrawl: bool = False,
) -> IngestWebResult:
    """Capture one web document: its hops, what it is, what it says about itself, its text and its sub-resources.

    Nothing is stored; `tearsheet ingest` archives and remembers what this only returns, and reads pages in processes with limits,
    where this reads them in a thread. The result's `html_body.tei_xml` is the text. Never raises because of what the web does:
    `result.status` says what happened.
    """

    async def run() -> IngestWebResult:
        async with PoliteClient(settings or FetchSettings()) as client:
            ingester = Ingester(Visitor(client), ThreadReader(), limits or IngestLimits())
            return await ingester.ingest(request_for(url, force_recrawl=force_recrawl))

    return asyncio.run(run())


def _fail(result: IngestWebResult, status: str, detail: str) -> None:
    result.status, result.hit, result.error_message = status, False, detail[:MAX_ERROR] or None


def _add_hops(hops: list[str], exchanges: list[Exchange]) -> None:
    for exchange in exchanges:
        if exchange.url not in hops:
            hops.append(exchange.url)


def _fill_in(result: IngestWebResult, contents: PageContents, landing: Biblio | None) -> None:
    """Fill in the result: what the document says, and what it is."""
    merged = merged_biblio(contents.biblio, landing)
    result.html_biblio = None if merged.is_empty else merged
    result.platform, result.scope, result.html_body = contents.platform, contents.scope, contents.body


def merged_biblio(own: Biblio, landing: Biblio | None) -> Biblio:
    """What the document says, completed by what the page that led to it said."""
    if landing is None:
        return own
    missing = {item.name: getattr(landing, item.name) for item in fields(own) if getattr(own, item.name) is None}
    return replace(own, **missing)


def _judge(result: IngestWebResult) -> bool:
    """Set the status by the scope; returns whether the document is captured with its resources."""
    scope = result.scope or "unknown"
    body: HtmlBody | None = result.html_body
    if body is not None and body.status == "teixml-error":
        raise Refused("html-teixml-error", body.error_msg or "")
    if scope in BLOCKED or scope in WALLED:
        result.html_body = None
        result.status = scope if scope in BLOCKED else "blocked-wall"
    elif scope not in INGESTED:
        result.status = "wrong-scope"
    else:
        result.status = "success" if scope == "article-fulltext" else "unknown-scope"
    result.hit = result.status == "success"
    return scope in INGESTED
