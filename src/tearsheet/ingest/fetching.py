"""Fetches one document for an ingest, unpacked if it is compressed, or gives the status that says why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from tearsheet.clock import Clock, wall_clock
from tearsheet.fetch import (
    ACCEPT_PAGE,
    FetchError,
    FetchRequest,
    FetchResponse,
    HostBusy,
    InflateError,
    PoliteClient,
    RobotsForbid,
    TooLarge,
    inflate_aside,
    wire_host,
)
from tearsheet.ingest.statuses import status_of_code, status_of_error
from tearsheet.story import Exchange

MAX_REDIRECTS = 25
_GZIP = b"\x1f\x8b"


class Refused(Exception):
    """There is no document; `status` says why. `exchanges` are the responses received before that."""

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


class Visitor:
    """Fetches documents."""

    def __init__(self, client: PoliteClient, *, clock: Clock = wall_clock) -> None:
        self._client = client
        self._clock = clock

    async def get(
        self, url: str, *, max_bytes: int, seconds: float, accept: str = ACCEPT_PAGE, patience: float = 0.0
    ) -> Fetched:
        """Fetch a document; a busy host is waited for up to `patience` seconds. Raises Refused."""
        request = FetchRequest(
            url, accept=accept, max_bytes=max_bytes, timeout=seconds, max_redirects=MAX_REDIRECTS, patience=patience
        )
        try:
            response = await self._client.fetch(request)
        except RobotsForbid as forbidden:
            raise Refused("skip-robots", forbidden.url) from forbidden
        except HostBusy as busy:
            raise Refused("spn2-backoff", f"{wire_host(url)}: {busy}") from busy
        except FetchError as error:
            raise Refused(status_of_error(error), error.detail, error.exchanges) from error
        return await self._fetched(url, response, max_bytes)

    async def _fetched(self, asked: str, response: FetchResponse, max_bytes: int) -> Fetched:
        body = response.body
        stated = response.header("Content-Type")
        if body.startswith(_GZIP) and status_of_code(response.status) is None and "gzip" not in (stated or ""):
            try:
                body = await inflate_aside(body, "gzip", max_bytes)
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
