"""Everything that can be special about an entry of a feed, and what must become of it.

Only `VERDICTS` says which stage must give which reason. It is written by hand from the rules, and uses nothing from the
pipeline.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Case(StrEnum):
    """What is special about an entry."""

    # A good article, plainly served or with an obstacle that must be overcome.
    PLAIN = "plain"
    SLOW = "slow"
    DRIP = "drip"
    CHUNKED = "chunked"
    MOVED = "moved"
    CHAIN = "redirect-chain"
    SHORTENED = "shortened"
    ERROR_ONCE = "error-once"
    UNAVAILABLE_TWICE = "unavailable-twice"
    BUSY_ONCE = "busy-once"
    RESET_ONCE = "reset-once"
    CUT = "cut-html"
    WRONG_CHARSET = "wrong-charset"
    # The same article again, under an address that is the same once normalised.
    AGAIN_TRACKED = "again-tracked"
    AGAIN_WWW = "again-www"
    AGAIN_MOBILE = "again-mobile"
    AGAIN_HTTPS = "again-https"
    AGAIN_FRAGMENT = "again-fragment"
    AGAIN_PORT = "again-port"
    AGAIN_UPPER = "again-upper-host"
    AGAIN_OTHER_FEED = "again-other-feed"
    # The same article again, under an address that only leads to it.
    AGAIN_SHORTENED = "again-shortened"
    AGAIN_MOVED = "again-moved"
    # Links that no feed reader should follow.
    NO_LINK = "no-link"
    MAILTO = "mailto"
    # Pages that cannot be fetched.
    NOT_FOUND = "not-found"
    GONE = "gone"
    FORBIDDEN = "forbidden"
    LEGAL = "legal-reasons"
    ALWAYS_BUSY = "always-busy"
    ALWAYS_ERROR = "always-error"
    ALWAYS_UNAVAILABLE = "always-unavailable"
    REDIRECT_LOOP = "redirect-loop"
    REDIRECT_ENDLESS = "redirect-endless"
    REDIRECT_PRIVATE = "redirect-private"
    REDIRECT_NON_NEWS = "redirect-non-news"
    REDIRECT_MAILTO = "redirect-mailto"
    PDF = "pdf"
    PICTURE = "picture"
    JSON = "json"
    BINARY_AS_HTML = "binary-as-html"
    EMPTY = "empty"
    OVERSIZED = "oversized"
    OVERSIZED_STREAM = "oversized-stream"
    OVERSIZED_GZIP = "oversized-gzip"
    ROBOTS = "robots"
    LOOPBACK = "loopback"
    PRIVATE = "private-address"
    NON_NEWS = "non-news"
    REFUSED = "refused"
    RESET = "reset"
    TRUNCATED = "truncated"
    GARBAGE = "garbage"
    HANG = "hang"
    HANG_MIDDLE = "hang-middle"
    # Pages that are fetched but are not articles.
    TOO_SHORT = "too-short"
    NO_TEXT = "no-text"
    HOMEPAGE = "homepage"
    TO_HOMEPAGE = "to-homepage"
    FEED_PAGE = "feed-page"


@dataclass(slots=True, frozen=True)
class Verdict:
    """What becomes of an entry: the stage that ends its journey, and the reason that is counted."""

    stage: str
    reason: str


INDEXED = Verdict("archiver", "ok")
"""All the way: indexed once and archived once."""
_REPEATED = Verdict("feeds", "dup_url")
_LEADS_TO_KNOWN = Verdict("importer", "dups")
_NO_CONNECTION = Verdict("fetcher", "noconn")

GOOD_CASES: tuple[Case, ...] = tuple(Case)[: tuple(Case).index(Case.WRONG_CHARSET) + 1]
REPEATS: tuple[Case, ...] = tuple(Case)[tuple(Case).index(Case.AGAIN_TRACKED) : tuple(Case).index(Case.NO_LINK)]
BAD_CASES: tuple[Case, ...] = tuple(Case)[tuple(Case).index(Case.NO_LINK) :]

OWN_HOST_CASES = frozenset(
    {
        Case.ERROR_ONCE, Case.UNAVAILABLE_TWICE, Case.BUSY_ONCE, Case.RESET_ONCE, Case.ALWAYS_BUSY, Case.ALWAYS_ERROR,
        Case.ALWAYS_UNAVAILABLE, Case.RESET, Case.TRUNCATED, Case.GARBAGE, Case.HANG, Case.HANG_MIDDLE,
    }
)  # fmt: skip
"""Cases where the whole server misbehaves, not just the page; it gets its own host name, so that other pages do not suffer."""

LEAST_RETRIES = 2
"""How many retries it takes until every page that recovers has recovered."""

VERDICTS: dict[Case, Verdict] = {
    **dict.fromkeys(GOOD_CASES, INDEXED),
    **dict.fromkeys(REPEATS, _REPEATED),
    Case.AGAIN_SHORTENED: _LEADS_TO_KNOWN,
    Case.AGAIN_MOVED: _LEADS_TO_KNOWN,
    Case.NO_LINK: Verdict("feeds", "nourl"),
    Case.MAILTO: Verdict("feeds", "relurl"),
    Case.NOT_FOUND: Verdict("fetcher", "http-404"),
    Case.GONE: Verdict("fetcher", "http-4xx"),
    Case.FORBIDDEN: Verdict("fetcher", "http-403"),
    Case.LEGAL: Verdict("fetcher", "http-4xx"),
    Case.ALWAYS_BUSY: Verdict("fetcher", "http-429"),
    Case.ALWAYS_ERROR: Verdict("fetcher", "http-5xx"),
    Case.ALWAYS_UNAVAILABLE: Verdict("fetcher", "http-5xx"),
    Case.REDIRECT_LOOP: Verdict("fetcher", "maxredir"),
    Case.REDIRECT_ENDLESS: Verdict("fetcher", "maxredir"),
    Case.REDIRECT_PRIVATE: Verdict("fetcher", "badredir"),
    Case.REDIRECT_NON_NEWS: Verdict("fetcher", "non-news2"),
    Case.REDIRECT_MAILTO: Verdict("fetcher", "badredir"),
    Case.PDF: Verdict("fetcher", "not-text"),
    Case.PICTURE: Verdict("fetcher", "not-text"),
    Case.JSON: Verdict("fetcher", "not-text"),
    Case.BINARY_AS_HTML: Verdict("fetcher", "not-text"),
    Case.EMPTY: Verdict("fetcher", "no-html"),
    Case.OVERSIZED: Verdict("fetcher", "oversized"),
    Case.OVERSIZED_STREAM: Verdict("fetcher", "oversized"),
    Case.OVERSIZED_GZIP: Verdict("fetcher", "oversized"),
    Case.ROBOTS: Verdict("fetcher", "robots"),
    Case.LOOPBACK: Verdict("fetcher", "bad-host"),
    Case.PRIVATE: Verdict("fetcher", "bad-host"),
    Case.NON_NEWS: Verdict("feeds", "nonews"),
    Case.REFUSED: _NO_CONNECTION,
    Case.RESET: _NO_CONNECTION,
    Case.TRUNCATED: _NO_CONNECTION,
    Case.GARBAGE: _NO_CONNECTION,
    Case.HANG: _NO_CONNECTION,
    Case.HANG_MIDDLE: _NO_CONNECTION,
    Case.TOO_SHORT: Verdict("parser", "too-short"),
    Case.NO_TEXT: Verdict("parser", "no-text"),
    Case.HOMEPAGE: Verdict("feeds", "home"),
    Case.TO_HOMEPAGE: Verdict("parser", "homepage"),
    Case.FEED_PAGE: Verdict("parser", "feed"),
}
