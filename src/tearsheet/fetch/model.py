"""What the client is asked for, what it answers, and how it fails."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tearsheet.errors import UserError
from tearsheet.story import Exchange

SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization"})
ACCEPT_PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

ERROR_KINDS: dict[str, str] = {
    "bad-url": "the address cannot be requested",
    "forbidden-address": "the address is not on the public network, or a secret of ours is not for it",
    "unknown-host": "there is no such host name",
    "dns": "the name service did not answer",
    "connect": "the connection was refused or broken",
    "connect-timeout": "no connection in time",
    "read-timeout": "connected, then silence",
    "timeout": "the total time was used up",
    "ssl": "no secure connection, or an invalid certificate",
    "protocol": "the answer is not valid HTTP, or not encoded as it says",
    "too-many-redirects": "redirects in a circle, or too many",
    "too-large": "more bytes than allowed",
    "content-type": "another kind of document than requested",
}
"""Every kind of FetchError, and what it means."""

UNREACHABLE_KINDS = frozenset({"unknown-host", "dns", "connect", "connect-timeout", "ssl"})
"""Kinds that mean that the host is down, or as good as down for us."""

CONNECTION_KINDS = UNREACHABLE_KINDS | {"timeout", "read-timeout"}
"""Kinds that are worth another try."""


@dataclass(slots=True, frozen=True)
class Redirect:
    """A redirect that is about to be followed."""

    target: str
    hop: Exchange
    """The exchange that redirected."""
    seconds: float
    """The time that it took."""


OnRedirect = Callable[[Redirect], Awaitable[None]]


@dataclass(slots=True)
class FetchRequest:
    """One document to GET, or a form to POST. What is None is taken from the settings."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """Further request headers, such as `If-None-Match`."""
    home_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Request headers with secrets, for the origin (scheme, host and port) of `url` alone: redirects elsewhere go without them."""
    accept: str = ACCEPT_PAGE
    max_bytes: int | None = None
    timeout: float | None = None
    content_types: Sequence[str] | None = None
    """Accepted prefixes of Content-Type, in lower case, tested on success before the body is read; `""` among them accepts a
    missing header. None accepts everything."""
    cut: bool = False
    """Whether a document that is too large is cut off at `max_bytes` instead of being an error. Not for compressed documents."""
    max_redirects: int | None = None
    on_redirect: OnRedirect | None = None
    """Called before a redirect is followed; what it raises ends the fetch."""
    obey_robots: bool = True
    """Whether robots.txt is fetched and obeyed, for this address and those it redirects to."""
    patience: float = 0.0
    """Seconds to wait for a busy host, where other requests are told to come back later."""
    secret: bool = False
    """Whether the address itself is a secret, or has one in it."""
    form: bytes | None = None
    """What is sent, as a form in an address is written; the request is then a POST."""

    @property
    def stays_home(self) -> bool:
        """Whether redirects to another origin (scheme, host and port) are refused, because the request carries a secret."""
        return self.secret or any(name.lower() in SECRET_HEADERS for name in self.headers)


@dataclass(slots=True)
class FetchResponse:
    """The last response of a chain of redirects; any status."""

    url: str
    status: int
    reason: str
    headers: list[tuple[str, str]]
    body: bytes
    """After content decoding, before character decoding."""
    exchanges: list[Exchange]
    encoding: str | None
    """The charset that Content-Type states; never an implied one."""
    elapsed: float
    """Seconds for the whole chain."""

    def header(self, name: str) -> str | None:
        """The first value of a header, or None."""
        return find_header(self.headers, name)


class FetchError(UserError):
    """No response. `kind` is one of ERROR_KINDS; `exchanges` are the earlier hops, `url` is the failed one, `elapsed` its time."""

    def __init__(
        self, kind: str, detail: str, *, url: str = "", exchanges: Sequence[Exchange] = (), elapsed: float = 0.0
    ) -> None:
        assert kind in ERROR_KINDS, kind
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.url = url
        self.exchanges = list(exchanges)
        self.elapsed = elapsed


def find_header(headers: Sequence[tuple[str, str]], name: str) -> str | None:
    """The first value of a header, or None."""
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), None)
