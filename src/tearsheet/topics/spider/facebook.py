"""Share counts from the Facebook Graph API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tearsheet.fetch import FetchError, FetchRequest, HostBusy, HostFailing, PoliteClient
from tearsheet.foreign_text import read_json
from tearsheet.work import Drop, Requeue, Retry

MAX_ANSWER = 100_000
"""Bytes. Real answers have a few hundred, and so few are read on the event loop in a moment."""
UNKNOWN_CODES = frozenset({100, 803})
"""What the Graph API says of an address that it does not know. Other lasting errors are about us: a token that has expired."""
RETRIED_CODES = frozenset({1, 2, 4, 17, 341, 613})
"""Temporary errors of the Graph API: it is down, or we asked too often."""


@dataclass(slots=True, frozen=True)
class Shares:
    """What the Graph API says about an address."""

    shares: int | None = None
    comments: int | None = None
    reactions: int | None = None
    error: str | None = None


def read_engagement(body: bytes) -> Shares:
    """The counts in an answer; that the address is not known is one too. Raises Retry for a temporary error, Drop for another."""
    try:
        answer = read_json(body.decode("utf-8", "replace"))
    except ValueError:
        raise Retry("facebook", "not JSON") from None
    if not isinstance(answer, dict):
        raise Retry("facebook", "not an object")
    error = answer.get("error")
    if isinstance(error, dict):
        code = error.get("code") if isinstance(error.get("code"), int) else None
        if code in RETRIED_CODES:
            raise Retry("facebook", str(error.get("message"))[:200])
        said = str(error.get("message") or "unknown error")[:500]
        if code not in UNKNOWN_CODES:
            raise Drop("facebook", said)
        return Shares(error=said)
    engagement = answer.get("engagement")
    if not isinstance(engagement, dict):
        return Shares(error="no engagement in the answer")

    def count(name: str) -> int:
        value: Any = engagement.get(name)
        return value if isinstance(value, int) and 0 <= value < 2**62 else 0

    return Shares(count("share_count"), count("comment_count"), count("reaction_count"))


async def fetch_shares(client: PoliteClient, base: str, token: str, url: str) -> Shares:
    """Ask for the counts of one address. Raises Retry, Drop, or Requeue while the host is busy."""
    query = urlencode({"id": url, "fields": "engagement", "access_token": token})
    try:
        response = await client.fetch(
            FetchRequest(f"{base.rstrip('/')}/?{query}", max_bytes=MAX_ANSWER, obey_robots=False, secret=True)
        )
    except HostFailing as failing:
        raise Retry("facebook", "the host could not be reached lately", after=failing.after) from failing
    except HostBusy as busy:
        raise Requeue("busy", busy.after) from busy
    except FetchError as error:
        raise Retry("facebook", error.kind) from error
    return read_engagement(response.body)
