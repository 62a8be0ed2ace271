"""One poll of one feed: fetch it, read it, and report what happened. Writes nothing."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from tearsheet.feeds.formats import EMPTY, HTML, NEWS_SITEMAP, NO_VERSION, TOO_LARGE, ParsedFeed, fresh_minutes
from tearsheet.feeds.polling.dedupe import Candidate
from tearsheet.feeds.polling.reading import READ_FEED, READ_PART, SIFT, Merged, ReadFeed, ReceivedFeed
from tearsheet.feeds.polling.schedule import SOFT
from tearsheet.feeds.polling.statuses import FETCH_ERRORS, PARSE_ERROR, WORKING, http_status_text, http_weight
from tearsheet.feeds.polling.store import LeasedFeed
from tearsheet.fetch import FetchError, FetchRequest, FetchResponse, HostBusy, retry_after_seconds
from tearsheet.settings import FeedSettings
from tearsheet.work import Quarantine, Reader

log = logging.getLogger(__name__)

ACCEPT_FEED = (
    "application/rss+xml, application/atom+xml, application/feed+json, application/rdf+xml, "
    "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"
)
UNCONDITIONAL_EVERY = timedelta(days=7)
"""How often to fetch the whole document even if the server says that nothing changed: some always say so."""
NOT_MODIFIED, SAME_HASH = "not modified", "same hash"
_PERMANENT = frozenset({301, 308})

Sleep = Callable[[float], Awaitable[None]]


class FeedClient(Protocol):
    """What polling needs of the polite client."""

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        """GET a document, following redirects. Raises FetchError, or HostBusy when the host must be left alone now."""
        ...


@dataclass(slots=True)
class PollResult:
    """What a poll found."""

    feed: LeasedFeed
    started_at: datetime
    status: str = WORKING
    weight: float = 0.0
    detail: str = ""
    retrieved: bool = False
    """Whether the server sent a document, or said that it is unchanged; parsed or not."""
    http_status: int | None = None
    unchanged: str | None = None
    """`not modified` or `same hash`."""
    full: bool = False
    """Whether a document came and was parsed."""
    conditional: bool = False
    """Whether the request was conditional on a change."""
    body_hash: str | None = None
    entries_hash: str | None = None
    http_etag: str | None = None
    http_last_modified: str | None = None
    retry_after: float | None = None
    fresh_minutes: int | None = None
    moved_to: str | None = None
    """Where the redirects led, if every one was permanent."""
    parsed: ParsedFeed | None = None
    """What the feed says about itself, without its entries."""
    candidates: list[Candidate] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    unread: bytes | None = None
    """The document, if it could not be read."""

    def failed(self, status: str, weight: float, detail: str = "") -> PollResult:
        """Turn this poll into a failure."""
        self.status, self.weight, self.detail = status, weight, detail
        return self


async def poll_feed(
    client: FeedClient,
    reader: Reader,
    feed: LeasedFeed,
    settings: FeedSettings,
    now: datetime,
    sleep: Sleep = asyncio.sleep,
) -> PollResult:
    """Fetch and read one feed. Raises HostBusy when its host must be left alone now; all else that a server does is a result."""
    result = PollResult(feed, now)
    headers = conditional_headers(feed, now)
    result.conditional = bool(headers)
    try:
        response = await _get(client, feed.url, settings, headers)
    except FetchError as error:
        status, weight = FETCH_ERRORS[error.kind]
        return result.failed(status, weight, f"{error.kind}: {error.detail}")
    result.http_status = response.status
    if response.status == 304 and result.conditional:
        return _not_modified(result, response, now)
    if response.status != 200:
        result.retry_after = retry_after_seconds(response.header("Retry-After"), now.timestamp())
        return result.failed(http_status_text(response.status, response.reason), http_weight(response.status))
    return await _read(client, reader, result, response, settings, now, sleep)


def conditional_headers(feed: LeasedFeed, now: datetime) -> dict[str, str]:
    """The validators as the server sent them; none now and then, and none for a server that has lied."""
    due_in_full = feed.last_full_fetch is None or now - feed.last_full_fetch >= UNCONDITIONAL_EVERY
    if feed.http_lies or due_in_full:
        return {}
    headers = {}
    if feed.http_etag:
        headers["If-None-Match"] = feed.http_etag
    if feed.http_last_modified:
        headers["If-Modified-Since"] = feed.http_last_modified
    return headers


async def _get(
    client: FeedClient, url: str, settings: FeedSettings, headers: dict[str, str], patience: float = 0.0
) -> FetchResponse:
    return await client.fetch(
        FetchRequest(
            url,
            headers=headers,
            accept=ACCEPT_FEED,
            max_bytes=settings.max_bytes,
            timeout=settings.timeout_seconds,
            obey_robots=False,  # feeds are meant for machines
            patience=patience,
        )
    )


def _not_modified(result: PollResult, response: FetchResponse, now: datetime) -> PollResult:
    feed = result.feed
    result.retrieved, result.unchanged, result.detail = True, NOT_MODIFIED, NOT_MODIFIED
    result.http_etag = response.header("ETag") or feed.http_etag
    result.http_last_modified = response.header("Last-Modified") or feed.http_last_modified
    result.fresh_minutes = _fresh(response, now)
    return result


def _fresh(response: FetchResponse, now: datetime) -> int | None:
    return fresh_minutes(response.header("Cache-Control"), response.header("Expires"), response.header("Date"), now)


async def _read(
    client: FeedClient,
    reader: Reader,
    result: PollResult,
    response: FetchResponse,
    settings: FeedSettings,
    now: datetime,
    sleep: Sleep,
) -> PollResult:
    feed = result.feed
    result.retrieved = True
    result.body_hash = hashlib.md5(response.body, usedforsecurity=False).hexdigest()
    result.http_etag = response.header("ETag")
    result.http_last_modified = response.header("Last-Modified")
    result.fresh_minutes = _fresh(response, now)
    whole = feed.last_full_fetch is None or now - feed.last_full_fetch >= UNCONDITIONAL_EVERY
    if result.body_hash == feed.last_fetch_hash and not whole:
        result.unchanged = result.detail = SAME_HASH
        result.entries_hash = feed.entries_hash
        return result
    known = None if whole else feed.entries_hash
    try:
        read = await reader.read(READ_FEED, _received(response, settings, now, known))
        if read.feed.is_index:
            result.http_etag = result.http_last_modified = None  # the sitemaps change while their index stays the same
            merged = await _follow_index(client, reader, read, settings, now, sleep)
            read = await reader.read(SIFT, Merged(merged, now, settings.max_stories, known))
    except Quarantine as error:
        result.unread = response.body
        return result.failed(*unreadable(error))
    result.full, result.parsed = True, read.feed
    result.moved_to = permanent_target(feed.url, response)
    result.entries_hash = read.entries_hash
    if read.entries_hash == feed.entries_hash or result.body_hash == feed.last_fetch_hash:
        result.unchanged = result.detail = SAME_HASH
    result.candidates, result.skipped = read.candidates, Counter(read.skipped)
    return result


def _received(response: FetchResponse, settings: FeedSettings, now: datetime, known: str | None = None) -> ReceivedFeed:
    return ReceivedFeed(
        response.body, response.url, response.encoding, now, settings.max_bytes, settings.max_stories, known
    )


def unreadable(error: Quarantine) -> tuple[str, float, str]:
    """Status, weight and detail of a poll whose document was refused, or exceeded a limit while it was read."""
    if error.reason == TOO_LARGE:
        status, weight = FETCH_ERRORS["too-large"]
        return status, weight, f"too-large: {error.detail}"
    detail = error.detail if error.reason in (EMPTY, HTML, NO_VERSION) else f"{error.reason}: {error.detail}"
    return PARSE_ERROR, SOFT, detail


async def _follow_index(
    client: FeedClient, reader: Reader, index: ReadFeed, settings: FeedSettings, now: datetime, sleep: Sleep
) -> ParsedFeed:
    """The entries of the most promising sitemaps of an index. A sitemap that cannot be fetched or read is left out."""
    merged = ParsedFeed(NEWS_SITEMAP, index.feed.title)
    for child in index.sitemaps:
        await sleep(settings.interval_seconds)
        try:
            response = await _get(client, child, settings, {}, patience=settings.timeout_seconds)
            if response.status != 200:
                continue
            parsed = await reader.read(READ_PART, _received(response, settings, now))
        except (FetchError, Quarantine, HostBusy) as error:
            log.debug("a sitemap of an index is left out", extra={"url": child, "error": str(error)})
            continue
        if not parsed.is_index:
            merged.title = merged.title or parsed.title
            merged.version = parsed.version
            merged.entries += parsed.entries
            merged.tossed += parsed.tossed
    return merged


def permanent_target(url: str, response: FetchResponse) -> str | None:
    """Where the feed has moved for good: every hop was a 301 or 308."""
    hops = response.exchanges[:-1]
    if hops and all(hop.status in _PERMANENT for hop in hops) and response.url != url:
        return response.url
    return None
