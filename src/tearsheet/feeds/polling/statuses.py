"""The status strings and weights of every outcome of a fetch. People and scripts read these strings: keep them."""

from __future__ import annotations

from http import HTTPStatus

from tearsheet.feeds.polling.schedule import HARD, SOFT, TEMPORARY

WORKING = "Working"
PARSE_ERROR = "parse error"
MAX_NOTE = 500

FETCH_ERRORS: dict[str, tuple[str, float]] = {
    "unknown-host": ("unknown hostname", SOFT),
    "dns": ("DNS error", TEMPORARY),
    "connect": ("connection error", SOFT),
    "connect-timeout": ("connect timeout", SOFT),
    "read-timeout": ("read timeout", SOFT),
    "ssl": ("SSL error", SOFT),
    "too-many-redirects": ("too many redirects", SOFT),
    "timeout": ("job timeout", SOFT),
    "bad-url": ("fetch error", HARD),
    "forbidden-address": ("fetch error", HARD),
    "too-large": ("fetch error", SOFT),
    "content-type": ("fetch error", SOFT),
    "protocol": ("fetch error", SOFT),
}
"""Maps kinds of FetchError to `system_status` and weight."""

_SOFT_CODES = frozenset({404, 408, 425, 429})


def http_status_text(code: int, reason: str) -> str:
    """`HTTP 404 Not Found`: the server's own phrase, or the standard one where it sent none."""
    if not reason:
        reason = next((status.phrase for status in HTTPStatus if status == code), "")
    return " ".join(f"HTTP {code} {reason}".split())[:120]


def http_weight(code: int) -> float:
    """Codes that often pass are soft; the others are hard."""
    return SOFT if code in _SOFT_CODES or code >= 500 else HARD


def note(status: str, detail: str = "") -> str:
    """The note of a fetch event: the status, and detail after a semicolon; the detail alone when all is well."""
    text = detail if status == WORKING else f"{status}; {detail}" if detail else status
    return text.replace("\0", "")[:MAX_NOTE]


def added_note(skipped: int, added: int) -> str:
    """`N skipped / N added`, duplicates among the skipped."""
    return f"{skipped} skipped / {added} added"
