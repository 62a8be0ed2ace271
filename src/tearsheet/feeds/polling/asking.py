"""What one poll asks with: the polite client, the reader, the settings and the feed. Every request of a poll is made here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from tearsheet.feeds.polling.dedupe import Candidate
from tearsheet.feeds.polling.reading import ReceivedFeed
from tearsheet.fetch import FetchRequest, FetchResponse
from tearsheet.settings import FeedSettings
from tearsheet.work import Reader

if TYPE_CHECKING:
    # Only for types: a process that looks for feeds in a page loads no database library.
    from tearsheet.feeds.polling.store import LeasedFeed

ACCEPT_FEED = (
    "application/rss+xml, application/atom+xml, application/feed+json, application/rdf+xml, "
    "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"
)
Sleep = Callable[[float], Awaitable[None]]
Known = Callable[[int, Sequence[Candidate]], Awaitable[bool]]
"""Whether any of these entries of the feed with this id is a story that was seen before."""


class FeedClient(Protocol):
    """What polling needs of the polite client."""

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        """GET a document, following redirects. Raises FetchError, or HostBusy when the host must be left alone now."""
        ...


@dataclass(slots=True, frozen=True)
class Asking:
    """One poll of one feed."""

    client: FeedClient
    reader: Reader
    feed: LeasedFeed
    settings: FeedSettings
    now: datetime
    any_known: Known
    sleep: Sleep = asyncio.sleep

    async def get(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        patience: float = 0.0,
        max_redirects: int | None = None,
    ) -> FetchResponse:
        """GET a document of this feed. Raises FetchError or HostBusy."""
        return await self.client.fetch(
            FetchRequest(
                url,
                headers=dict(headers or {}) | ({"User-Agent": self.feed.user_agent} if self.feed.user_agent else {}),
                home_headers=self.feed.access.headers_for(url),
                accept=ACCEPT_FEED,
                max_bytes=self.settings.max_bytes,
                timeout=self.settings.timeout_seconds,
                obey_robots=False,  # feeds are meant for machines
                patience=patience,
                max_redirects=max_redirects,
            )
        )

    async def get_further(self, url: str, max_redirects: int | None = None) -> FetchResponse:
        """GET another document for the same poll, after a pause. Raises FetchError or HostBusy."""
        await self.sleep(self.settings.interval_seconds)
        return await self.get(url, patience=self.settings.timeout_seconds, max_redirects=max_redirects)

    def received(self, response: FetchResponse, known: str | None = None) -> ReceivedFeed:
        """A document, and what is wanted of it."""
        return ReceivedFeed(
            response.body,
            response.url,
            response.encoding,
            self.now,
            self.settings.max_bytes,
            self.settings.max_stories,
            known,
        )
