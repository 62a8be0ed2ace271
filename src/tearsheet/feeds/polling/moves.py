"""When a feed has moved: a new address is taken when it has held for days, and given up when the old one works again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from tearsheet.fetch import FetchResponse
from tearsheet.urls import BadURL, host_of

MOVE_CONFIRMATIONS = 3
"""How many polls in a row must have led to the same readable feed, in addition to the days that it must have held."""
FORMER_EVERY = timedelta(days=1)
"""How often the former address is tried."""
FORMER_DAYS = timedelta(days=30)
"""For how long; later, only while the new one fails."""
_PERMANENT = frozenset({301, 308})


def permanent_target(url: str, response: FetchResponse) -> str | None:
    """Where the feed has moved for good: every hop was a 301 or 308."""
    hops = response.exchanges[:-1]
    if hops and all(hop.status in _PERMANENT for hop in hops) and response.url != url:
        return response.url
    return None


def has_held(row: dict[str, Any], target: str, now: datetime, days: float) -> bool:
    """Whether this poll confirms a move that enough polls have led to, for long enough."""
    since: datetime | None = row["redirect_since"]
    return (
        row["redirect_url"] == target
        and row["redirect_seen"] + 1 >= MOVE_CONFIRMATIONS
        and since is not None
        and now - since >= timedelta(days=days)
    )


def try_former(row: dict[str, Any], now: datetime) -> bool:
    """Whether to see if the address from which the feed moved works again."""
    moved: datetime | None = row["moved_at"]
    if not row["former_url"] or moved is None:
        return False
    lately = now - moved <= FORMER_DAYS or row["last_fetch_failures"] > 0
    return lately and now - (row["former_checked"] or moved) >= FORMER_EVERY


def note_move(
    row: dict[str, Any], moved_to: str | None, now: datetime, days: float, *, announced: bool = False
) -> None:
    """Count a poll that was led elsewhere, and take the new address when it has held; a poll that was not led there ends it.

    Where the feed itself announced the move, the old address goes on working, and is not tried again.
    """
    if moved_to is None:
        row |= {"redirect_url": None, "redirect_seen": 0, "redirect_since": None}
        return
    if not has_held(row, moved_to, now, days):
        again = row["redirect_url"] == moved_to
        row |= {
            "redirect_url": moved_to,
            "redirect_seen": row["redirect_seen"] + 1 if again else 1,
            "redirect_since": row["redirect_since"] if again and row["redirect_since"] else now,
        }
        return
    try:
        host = host_of(moved_to)
    except BadURL:
        return
    row |= {"former_url": row["url"], "url": moved_to, "host": host, "moved_at": None if announced else now}
    row |= {"redirect_url": None, "redirect_seen": 0, "redirect_since": None}


def note_return(row: dict[str, Any]) -> None:
    """Go back to the former address."""
    row |= {"url": row["former_url"], "host": host_of(row["former_url"]), "former_url": None, "moved_at": None}
    row |= {"redirect_url": None, "redirect_seen": 0, "redirect_since": None, "former_checked": None}


def note_joined(row: dict[str, Any], before: Mapping[str, Any]) -> None:
    """Leave a feed that would move to another's address at its own, and switch it off. Where it leads stays known."""
    row |= {name: before[name] for name in ("url", "host", "redirect_url", "redirect_seen", "redirect_since")}
    row |= {"former_url": None, "moved_at": None, "system_enabled": False}


def try_joined(row: Mapping[str, Any], now: datetime, target_polled: bool) -> bool:
    """Whether to see if a feed that was joined to another is on its own again.

    This is done daily for a month, and whenever nobody polls the other.
    """
    attempt: datetime | None = row["last_fetch_attempt"]
    since: datetime | None = row["redirect_since"]
    lately = since is not None and now - since <= FORMER_DAYS
    return (lately or not target_polled) and (attempt is None or now - attempt >= FORMER_EVERY)
