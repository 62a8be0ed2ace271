"""Getting one document for an ingest: with manners, within a deadline, and with a status word when there is none to be had."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from tearsheet.clock import Clock, wall_clock
from tearsheet.fetch import (
    ACCEPT_PAGE,
    UNREACHABLE_KINDS,
    Client,
    FetchError,
    FetchRequest,
    FetchResponse,
    HostBusy,
    HostStore,
    InflateError,
    Manners,
    Robots,
    TooLarge,
    inflate,
    retry_after_seconds,
    wire_host,
)
from tearsheet.ingest.statuses import status_of_code, status_of_error
from tearsheet.settings import FetchSettings
from tearsheet.story import Exchange

MAX_REDIRECTS = 25
PER_HOST = 6
INTERVAL_SECONDS = 0.05
"""A document and its pictures are one visit: they are asked for as a browser would ask, not at the pace of a crawl."""
_GZIP = b"\x1f\x8b"


class Refused(Exception):
    """There is no document; `status` says why. `exchanges` are the answers that were got before."""

    def __init__(self, status: str, detail: str = "", exchanges: list[Exchange] | None = None) -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail
        self.exchanges = exchanges or []


@dataclass(slots=True)
class Fetched:
    """A document as it was received, whatever its status code; compressed files are unpacked."""

    url: str
    asked: str
    code: int
    body: bytes
    charset: str | None
    stated_type: str | None
    timestamp: float
    exchanges: list[Exchange]


def visit_settings(settings: FetchSettings) -> FetchSettings:
    """The settings for visits: a browser's pace unless a slower one was never wanted."""
    return replace(
        settings,
        max_redirects=MAX_REDIRECTS,
        per_host=max(PER_HOST, settings.per_host),
        interval_seconds=min(INTERVAL_SECONDS, settings.interval_seconds),
    )


class Visitor:
    """Fetches documents. One for a process; belongs to one event loop. Use it in an `async with` block."""

    def __init__(self, settings: FetchSettings, store: HostStore | None = None, *, clock: Clock = wall_clock) -> None:
        settings = visit_settings(settings)
        self._clock = clock
        self._client = Client(settings)
        self._manners = Manners(settings, clock=clock)
        self._robots = Robots(self._client, self._manners, settings, store)

    async def __aenter__(self) -> Visitor:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._manners.close()
        await self._client.close()

    async def get(
        self, url: str, *, max_bytes: int, seconds: float, accept: str = ACCEPT_PAGE, patience: float = 0.0
    ) -> Fetched:
        """Fetch a document; a busy host is waited for up to `patience` seconds. Raises Refused."""
        give_up = asyncio.get_running_loop().time() + patience
        while True:
            try:
                response = await self._fetch(FetchRequest(url, accept=accept, max_bytes=max_bytes, timeout=seconds))
                return self._fetched(url, response, max_bytes)
            except HostBusy as busy:
                if asyncio.get_running_loop().time() + busy.after > give_up:
                    raise Refused("spn2-backoff", f"{wire_host(url)}: {busy}") from busy
                await asyncio.sleep(busy.after)

    async def _fetch(self, request: FetchRequest) -> FetchResponse:
        host = wire_host(request.url)

        async def on_redirect(target: str) -> None:
            await self._obey_robots(target)
            if wire_host(target) != host:
                self._manners.visit(wire_host(target))

        request.on_redirect = on_redirect
        try:
            await self._obey_robots(request.url)
            async with self._manners.turn(host) as turn:
                response = await self._client.fetch(request)
                wait = retry_after_seconds(response.header("Retry-After"), self._clock())
                turn.answered(response.status, response.elapsed, wait if response.status != 200 else None)
                return response
        except FetchError as error:
            if error.kind in UNREACHABLE_KINDS:
                self._manners.note_failure(wire_host(error.url or request.url))
            raise Refused(status_of_error(error), error.detail, error.exchanges) from error

    async def _obey_robots(self, url: str) -> None:
        if not await self._robots.allows(url):
            raise Refused("skip-robots", url)

    def _fetched(self, asked: str, response: FetchResponse, max_bytes: int) -> Fetched:
        body = response.body
        stated = response.header("Content-Type")
        if body.startswith(_GZIP) and status_of_code(response.status) is None and "gzip" not in (stated or ""):
            try:
                body = inflate(body, "gzip", max_bytes)
            except TooLarge as error:
                raise Refused("body-too-large", str(error), response.exchanges) from error
            except InflateError as error:
                raise Refused("bad-gzip-encoding", str(error), response.exchanges) from error
        return Fetched(
            url=response.url,
            asked=asked,
            code=response.status,
            body=body,
            charset=response.encoding,
            stated_type=stated,
            timestamp=response.exchanges[-1].timestamp or self._clock(),
            exchanges=response.exchanges,
        )
