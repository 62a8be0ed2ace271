"""One poll of one feed: fetch it, read it, and report what happened. Writes nothing."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tearsheet.feeds.formats import NEW_ADDRESS, ParsedFeed, fresh_minutes
from tearsheet.feeds.polling.asking import Asking
from tearsheet.feeds.polling.dedupe import Candidate
from tearsheet.feeds.polling.failures import failure_of, unreadable
from tearsheet.feeds.polling.index_reading import IndexReading, read_index
from tearsheet.feeds.polling.moves import has_held, permanent_target, try_former
from tearsheet.feeds.polling.paging import fill_gap
from tearsheet.feeds.polling.reading import READ_FEED, SIFT, Merged
from tearsheet.feeds.polling.statuses import WORKING, http_status_text, http_weight
from tearsheet.feeds.polling.store import LeasedFeed
from tearsheet.feeds.polling.websub import hub_and_topic
from tearsheet.fetch import FetchError, FetchResponse, HostBusy, retry_after_seconds
from tearsheet.work import Quarantine

UNCONDITIONAL_EVERY = timedelta(days=7)
"""How often to fetch the whole document even if the server says that nothing changed: some always say so."""
NOT_MODIFIED, SAME_HASH = "not modified", "same hash"


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
    announced: bool = False
    """Whether the feed itself said so."""
    parsed: ParsedFeed | None = None
    """What the feed says about itself, without its entries."""
    candidates: list[Candidate] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    unread: bytes | None = None
    """The document, if it could not be read."""
    pages: int = 0
    """Older pages that were read to fill a gap."""
    gap: bool = False
    """Whether nothing of the document was known before: stories in between may have been missed."""
    returned: bool = False
    """Whether this was a poll of the address from which the feed had moved, and it works again."""
    former_tried: bool = False
    sitemaps: str | None = None
    """What to remember of an index of sitemaps."""
    sitemaps_left: int = 0
    sitemaps_failed: int = 0
    hub: tuple[str, str] | None = None
    """Who tells of its news, and the address under which they know it."""

    def failed(self, status: str, weight: float, detail: str = "") -> PollResult:
        """Turn this poll into a failure."""
        self.status, self.weight, self.detail = status, weight, detail
        return self


async def poll_feed(asking: Asking) -> PollResult:
    """Fetch and read one feed. Raises HostBusy when its host must be left alone now; all else that a server does is a result."""
    tried = try_former(asking.feed.columns, asking.now)
    if tried and (result := await _from_former_address(asking)):
        return result
    result = await _poll(asking)
    result.former_tried = tried
    return result


async def _poll(asking: Asking) -> PollResult:
    feed, now = asking.feed, asking.now
    result = PollResult(feed, now)
    headers = conditional_headers(feed, now)
    result.conditional = bool(headers)
    try:
        response = await asking.get(feed.url, headers)
    except FetchError as error:
        return result.failed(*failure_of(error))
    result.http_status = response.status
    if response.status == 304 and result.conditional:
        return _not_modified(result, response, now)
    if response.status != 200:
        result.retry_after = retry_after_seconds(response.header("Retry-After"), now.timestamp())
        return result.failed(http_status_text(response.status, response.reason), http_weight(response.status))
    result = await _read(asking, result, response)
    return await _at_announced_address(asking, result)


async def _from_former_address(asking: Asking) -> PollResult | None:
    """The poll of the address from which the feed moved, if it has a feed again; None if not."""
    former = asking.feed.columns["former_url"]
    try:
        response = await asking.get(former, max_redirects=0)
    except (FetchError, HostBusy):
        return None
    if response.status != 200:
        return None
    result = PollResult(asking.feed, asking.now, http_status=200, returned=True)
    result = await _read(asking, result, response)
    return None if result.weight else result


async def _at_announced_address(asking: Asking, result: PollResult) -> PollResult:
    """Where a feed has said for days that it has a new address (`itunes:new-feed-url`), the poll of that, if a feed is there."""
    parsed, row = result.parsed, asking.feed.columns
    announced = parsed.links.get(NEW_ADDRESS) if parsed and not result.moved_to else None
    if announced is None or announced == asking.feed.url:
        return result
    result.moved_to, result.announced = announced, True
    if not has_held(row, announced, asking.now, asking.settings.move_days):
        return result
    there = PollResult(asking.feed, asking.now, http_status=200)
    try:
        response = await asking.get_further(announced)
    except (FetchError, HostBusy):
        response = None
    if response is not None and response.status == 200:
        there = await _read(asking, there, response)
        if not there.weight:
            there.moved_to, there.announced = announced, True
            return there
    result.moved_to = None
    return result


def conditional_headers(feed: LeasedFeed, now: datetime) -> dict[str, str]:
    """The validators as the server sent them; none now and then, and none for a server that has lied or is said to."""
    due_in_full = feed.last_full_fetch is None or now - feed.last_full_fetch >= UNCONDITIONAL_EVERY
    if feed.http_lies or feed.ignore_validators or due_in_full:
        return {}
    headers = {}
    if feed.http_etag:
        headers["If-None-Match"] = feed.http_etag
    if feed.http_last_modified:
        headers["If-Modified-Since"] = feed.http_last_modified
    return headers


def _not_modified(result: PollResult, response: FetchResponse, now: datetime) -> PollResult:
    feed = result.feed
    result.retrieved, result.unchanged, result.detail = True, NOT_MODIFIED, NOT_MODIFIED
    result.http_etag = response.header("ETag") or feed.http_etag
    result.http_last_modified = response.header("Last-Modified") or feed.http_last_modified
    result.fresh_minutes = _fresh(response, now)
    return result


def _fresh(response: FetchResponse, now: datetime) -> int | None:
    return fresh_minutes(response.header("Cache-Control"), response.header("Expires"), response.header("Date"), now)


async def _read(asking: Asking, result: PollResult, response: FetchResponse) -> PollResult:
    feed, now = asking.feed, asking.now
    result.retrieved = True
    result.body_hash = hashlib.md5(response.body, usedforsecurity=False).hexdigest()
    result.http_etag = response.header("ETag")
    result.http_last_modified = response.header("Last-Modified")
    result.fresh_minutes = _fresh(response, now)
    whole = feed.last_full_fetch is None or now - feed.last_full_fetch >= UNCONDITIONAL_EVERY
    if result.body_hash == feed.last_fetch_hash and not whole:
        result.unchanged = result.detail = SAME_HASH
        result.entries_hash = feed.entries_hash
        result.moved_to = permanent_target(feed.url, response)
        return result
    known = None if whole else feed.entries_hash
    try:
        read = await asking.reader.read(READ_FEED, asking.received(response, known))
        if read.feed.is_index:
            index = await read_index(asking, read.feed.title, read.sitemaps)
            if not _note_index(result, index):
                return result
            read = await asking.reader.read(SIFT, Merged(index.feed, now, asking.settings.max_stories, known))
    except Quarantine as error:
        result.unread = response.body
        return result.failed(*unreadable(error))
    result.full, result.parsed = True, read.feed
    result.hub = hub_and_topic(response.header("Link"), read.feed.links, response.url)
    result.moved_to = permanent_target(feed.url, response)
    result.entries_hash = read.entries_hash
    if read.entries_hash == feed.entries_hash or result.body_hash == feed.last_fetch_hash:
        result.unchanged = result.detail = SAME_HASH
    result.skipped = Counter(read.skipped)
    filling = await fill_gap(asking, read.feed, read.candidates)
    result.candidates, result.pages, result.gap = filling.candidates, filling.pages, filling.gap
    return result


def _note_index(result: PollResult, index: IndexReading) -> bool:
    """Note what came of an index; False when every sitemap that was asked for failed, which is a failed poll."""
    # The sitemaps change while their index stays the same.
    result.http_etag = result.http_last_modified = None
    result.body_hash = index.digest
    result.sitemaps = index.remembered
    result.sitemaps_left, result.sitemaps_failed = index.left, index.failed
    if index.problem and not index.read:
        status, weight, detail = index.problem
        result.http_status, result.retry_after = index.http_status or result.http_status, index.retry_after
        what = f"none of {index.failed} sitemaps of the index could be read"
        result.failed(status, weight, f"{what}; {detail}" if detail else what)
        return False
    return True
