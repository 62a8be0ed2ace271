"""Follow an index of sitemaps: some of them in each poll, until all were read."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from tearsheet.feeds.formats import NEWS_SITEMAP, SITEMAP, ParsedFeed
from tearsheet.feeds.polling.asking import Asking
from tearsheet.feeds.polling.failures import failure_of, unreadable
from tearsheet.feeds.polling.reading import READ_PART
from tearsheet.feeds.polling.schedule import SOFT
from tearsheet.feeds.polling.sitemaps import (
    CHILDREN_AT_ONCE,
    Child,
    Read,
    due_children,
    key_of,
    read_text,
    what_was_read,
)
from tearsheet.feeds.polling.statuses import PARSE_ERROR, http_status_text, http_weight
from tearsheet.fetch import FetchError, HostBusy, retry_after_seconds
from tearsheet.work import Quarantine

log = logging.getLogger(__name__)
_STAY_AWAY = frozenset({429, 503})
_INDEX_WITHIN = "an index within an index is not followed; add it as a feed of its own"
"""The protocol knows no such thing, and there is no telling where it would end."""


@dataclass(slots=True)
class IndexReading:
    """What one poll made of an index."""

    feed: ParsedFeed
    """The sitemaps that were read, as one feed."""
    remembered: str | None = None
    """What to keep for the next poll."""
    read: int = 0
    failed: int = 0
    left: int = 0
    """Sitemaps that may have something new, and are left for the next polls."""
    problem: tuple[str, float, str] | None = None
    """Status, weight and detail of the first sitemap that failed."""
    http_status: int | None = None
    retry_after: float | None = None
    digest: str = ""
    """A fingerprint of what was read."""
    versions: set[str] = field(default_factory=set)


async def read_index(asking: Asking, title: str | None, children: Sequence[Child]) -> IndexReading:
    """Read the sitemaps of an index whose turn it is. After a request to stay away no other is asked.

    Raises HostBusy when the host must be left alone before anything was read.
    """
    found = IndexReading(ParsedFeed(NEWS_SITEMAP, title))
    remembered = what_was_read(asking.feed.columns["sitemaps"])
    changed = {child.url: child.changed for child in children}
    due = due_children(children, remembered, asking.now)
    digest = hashlib.md5(usedforsecurity=False)
    asked = 0
    for url in due[:CHILDREN_AT_ONCE]:
        try:
            body = await _read_child(asking, found, url)
        except HostBusy:
            if not asked:
                raise
            break
        asked += 1
        remembered[key_of(url)] = Read(asking.now, changed[url])
        digest.update(body)
        if found.http_status in _STAY_AWAY:
            break
    found.left = len(due) - asked
    found.remembered, found.digest = read_text(children, remembered), digest.hexdigest()
    if found.versions == {SITEMAP}:
        found.feed.version = SITEMAP
    return found


async def _read_child(asking: Asking, found: IndexReading, url: str) -> bytes:
    """Read one sitemap into the others; one that cannot be read is counted. Returns its bytes. Raises HostBusy."""
    try:
        response = await asking.get_further(url)
        if response.status != 200:
            found.http_status = response.status
            found.retry_after = retry_after_seconds(response.header("Retry-After"), asking.now.timestamp())
            _fail(found, url, (http_status_text(response.status, response.reason), http_weight(response.status), ""))
            return b""
        part = await asking.reader.read(READ_PART, asking.received(response))
    except FetchError as error:
        _fail(found, url, failure_of(error))
        return b""
    except Quarantine as error:
        _fail(found, url, unreadable(error))
        return b""
    if part.is_index:
        _fail(found, url, (PARSE_ERROR, SOFT, f"{_INDEX_WITHIN}: {url}"))
        return response.body
    found.read += 1
    found.feed.title = found.feed.title or part.title
    found.versions.add(part.version)
    found.feed.entries += part.entries
    found.feed.tossed += part.tossed
    return response.body


def _fail(found: IndexReading, url: str, problem: tuple[str, float, str]) -> None:
    found.failed += 1
    found.problem = found.problem or problem
    log.debug("a sitemap of an index could not be read", extra={"url": url, "status": problem[0]})
