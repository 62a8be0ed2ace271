"""The fetcher: gets the page of a story, politely, or says why it could not.

The reasons that are counted are those of Media Cloud's fetcher, so that its operators understand ours at once.
"""

from __future__ import annotations

from tearsheet.clock import Clock, wall_clock
from tearsheet.fetch import (
    REDIRECT_STATUSES,
    FetchError,
    FetchRequest,
    FetchResponse,
    HostBusy,
    HostFailing,
    HostPaused,
    PoliteClient,
    Redirect,
    RobotsForbid,
    RobotsUnavailable,
    retry_after_seconds,
    wire_url,
)
from tearsheet.story import Story
from tearsheet.urls import BadURL, non_news_host
from tearsheet.work import Drop, Outcome, Paused, Requeue, Retry, Skipped

RETRIED_STATUSES = frozenset({408, 429, 500, 502, 503, 504, 522, 524})
COUNTED_STATUSES = frozenset({403, 404, 429})
"""Statuses that are counted separately; the others are counted by hundreds."""
PAGE_TYPES = ("text/", "application/xhtml", "application/xml", "application/vnd.wap.xhtml+xml", "")

BINARY_SIGNATURES = (
    b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\x1f\x8b", b"RIFF", b"\x00\x00\x01\x00", b"ID3", b"OggS",
    b"\x7fELF", b"7z\xbc\xaf", b"Rar!",
)  # fmt: skip

_REASONS = {"content-type": "not-text", "too-large": "oversized", "too-many-redirects": "maxredir"}
"""Errors that will be the same tomorrow."""


def status_counter(status: int) -> str:
    """The reason under which a status is counted: `http-404`, `http-5xx`."""
    return f"http-{status}" if status in COUNTED_STATUSES else f"http-{status // 100}xx"


def outcome_of_status(status: int, detail: str, retry_after: float | None) -> Outcome | None:
    """What becomes of a story, given the status of its page; None when it goes on."""
    if status == 200:
        return None
    if status in RETRIED_STATUSES:
        return Retry(status_counter(status), detail, after=retry_after)
    if status in REDIRECT_STATUSES:
        return Drop("badredir", f"{detail}, without a usable Location")
    return Drop(status_counter(status), detail)


def looks_binary(body: bytes) -> bool:
    """Whether bytes that were served as a page are something else: a picture, an archive, a PDF."""
    start = body[:1024]
    if start.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):  # UTF-16 and UTF-32 are full of zeros
        return False
    return start.startswith(BINARY_SIGNATURES) or start.count(0) > len(start) // 32


def outcome_of_error(error: FetchError) -> Outcome:
    """What becomes of a story that got no response."""
    if error.kind in _REASONS:
        return Drop(_REASONS[error.kind], error.detail)
    if error.kind in ("bad-url", "forbidden-address"):
        first = "bad-url" if error.kind == "bad-url" else "bad-host"
        return Drop("badredir" if error.exchanges else first, error.detail)
    return Retry("noconn", str(error))


class Fetcher:
    """A stage: fills in the page and what HTTP said about it. Sites that publish no news are fetched only with `everywhere`."""

    def __init__(self, client: PoliteClient, *, clock: Clock = wall_clock, everywhere: bool = False) -> None:
        self._client = client
        self._clock = clock
        self._everywhere = everywhere

    async def process(self, story: Story) -> Story:
        """Fetch the story's link. Raises Drop, Retry, or Requeue while the host is busy."""
        response = await self._fetch(self._address(story))
        wait = retry_after_seconds(response.header("Retry-After"), self._clock()) if response.status != 200 else None
        outcome = outcome_of_status(response.status, f"{response.status} {response.reason}".strip(), wait)
        if outcome is not None:
            raise outcome
        if not response.body.strip():
            raise Drop("no-html", "an empty page")
        if looks_binary(response.body):
            raise Drop("not-text", "served as a page, but its bytes are not text")
        return _filled(story, response)

    def _address(self, story: Story) -> str:
        if not story.rss_entry.link:
            raise Drop("no-url")
        try:
            url = wire_url(story.rss_entry.link)
        except BadURL as error:
            raise Drop("bad-url", str(error)) from error
        if (host := non_news_host(url)) and not self._everywhere:
            raise Drop("non-news", host)
        return url

    async def _fetch(self, url: str) -> FetchResponse:
        on_redirect = None if self._everywhere else _stay_with_news
        try:
            return await self._client.fetch(FetchRequest(url, content_types=PAGE_TYPES, on_redirect=on_redirect))
        except RobotsForbid as forbidden:
            raise Drop("robots", forbidden.url) from forbidden
        except RobotsUnavailable as busy:
            raise Retry("robots-error", "robots.txt cannot be fetched now", after=busy.after) from busy
        except HostFailing as failing:
            raise Skipped("skipped", "the host could not be reached lately", after=failing.after) from failing
        except HostPaused as paused:
            raise Paused("busy", paused.after) from paused
        except HostBusy as busy:
            raise Requeue("busy", busy.after) from busy
        except FetchError as error:
            raise outcome_of_error(error) from error


async def _stay_with_news(redirect: Redirect) -> None:
    if host := non_news_host(redirect.target):
        raise Drop("non-news2", host)


def _filled(story: Story, response: FetchResponse) -> Story:
    http = story.http_metadata
    http.response_code = response.status
    http.fetch_timestamp = response.exchanges[-1].timestamp
    http.final_url = response.url
    http.encoding = response.encoding
    story.raw_html.html = response.body
    story.exchanges = response.exchanges
    return story
