"""WebSub: who tells of a feed's news, whether a message is theirs, and when to ask again. Pure functions of plain values."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from tearsheet.feeds.formats import HUB, SELF
from tearsheet.urls import BadURL, host_of, join_url

WANTED, ASKED, ACTIVE, REFUSED, ENDING = "wanted", "asked", "active", "refused", "ending"
"""What becomes of a subscription: to be asked for; asked, the hub will call; confirmed; not to be had; to be ended."""
LEASE = timedelta(days=10)
"""What is asked for. The hub decides."""
SHORTEST_LEASE, LONGEST_LEASE = timedelta(hours=1), timedelta(days=30)
ANSWER_WITHIN = timedelta(hours=1)
"""A hub that has not called back by then is asked again, each time after twice the pause."""
MOST_ASKED = 6
REFUSED_FOR = timedelta(days=30)
"""After a refusal, or so many requests without a call, the feed is only polled for this long."""
TRUSTED_FOR = timedelta(days=14)
"""A hub that has told of news within this time is relied on."""
MOST_CHALLENGE = 2048
CALLED_AT = "/websub/"
"""The path of our address that hubs call; the token of the subscription follows."""

_ALGORITHMS = {"sha1": hashlib.sha1, "sha256": hashlib.sha256, "sha384": hashlib.sha384, "sha512": hashlib.sha512}
_LINK = re.compile(r"<([^<>]{1,2048})>((?:\s*;\s*[\w*-]{1,40}\s*=\s*(?:\"[^\"]{0,500}\"|[^\s\",;]{1,500})){0,10})")
_REL = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s\",;]+))", re.IGNORECASE)
_LONGEST_HEADER = 8192


def hub_and_topic(link_header: str | None, links: Mapping[str, str], url: str) -> tuple[str, str] | None:
    """The hub of a feed, and the address under which it knows it: from the header `Link`, else from the document."""
    said = _links_of_header(link_header or "", url)
    hub, topic = said.get(HUB) or links.get(HUB), said.get(SELF) or links.get(SELF)
    if not hub or not topic or not _is_near(topic, url):
        return None
    return hub, topic


def _is_near(topic: str, url: str) -> bool:
    """Whether a feed may speak for this address: it is on its own site."""
    try:
        return host_of(topic) == host_of(url)
    except BadURL:
        return False


def _links_of_header(header: str, url: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for target, parameters in _LINK.findall(header[:_LONGEST_HEADER]):
        rels = _REL.search(parameters)
        try:
            absolute = join_url(url, target.strip())
        except ValueError:
            continue
        if rels and absolute.startswith(("http://", "https://")):
            for rel in (rels[1] or rels[2] or "").lower().split():
                found.setdefault(rel, absolute)
    return found


def is_signed(secret: str, body: bytes, header: str | None) -> bool:
    """Whether a message bears the signature of the hub that was told the secret."""
    name, _, digest = (header or "").strip().partition("=")
    algorithm = _ALGORITHMS.get(name.lower())
    if algorithm is None:
        return False
    expected = hmac.new(secret.encode(), body, algorithm).hexdigest()
    return hmac.compare_digest(expected.encode(), digest.strip().lower().encode("utf-8", "replace"))


def granted_lease(seconds: str | None) -> timedelta:
    """For how long a hub will call, within reason; as long as we asked for if it does not say."""
    if not seconds or not seconds.isascii() or not seconds.isdecimal() or len(seconds) > 12:
        return LEASE
    return min(max(timedelta(seconds=int(seconds)), SHORTEST_LEASE), LONGEST_LEASE)


def renew_at(now: datetime, lease: timedelta) -> datetime:
    """When to ask for a further lease: well before this one ends."""
    return now + lease * 0.8


def ask_again_at(now: datetime, asked: int) -> datetime | None:
    """When to ask a hub again that has not called back after so many requests; None when it was asked often enough."""
    return None if asked >= MOST_ASKED else now + ANSWER_WITHIN * 2.0 ** max(asked - 1, 0)


def is_relied_on(state: str, lease_until: datetime | None, pushed_at: datetime | None, now: datetime) -> bool:
    """Whether the hub tells of news, so that polls are only for what it might forget."""
    return (
        state in (ACTIVE, ASKED)
        and lease_until is not None
        and lease_until > now
        and pushed_at is not None
        and now - pushed_at <= TRUSTED_FOR
    )
