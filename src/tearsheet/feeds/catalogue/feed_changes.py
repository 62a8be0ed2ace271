"""What changes in a feed when a user gives it another name, interval or address, or switches it on or off."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypedDict

from tearsheet.errors import UsageError
from tearsheet.feeds.intervals import checked_minutes
from tearsheet.urls import BadURL, host_of

ASKED = "somebody asked for it"
_FORGOTTEN: dict[str, Any] = {
    "http_etag": None, "http_last_modified": None, "http_304": None, "http_lies": False, "last_fetch_hash": None,
    "entries_hash": None, "last_full_fetch": None, "last_fetch_failures": 0.0, "gone_seen": 0, "redirect_url": None,
    "redirect_seen": 0, "poll_minutes": None, "update_minutes": None, "skip_times": None, "system_enabled": True,
    "queued": False, "lease": None, "next_fetch_attempt": None,
}  # fmt: skip
"""The columns that are reset when a feed gets another address."""


class FeedChanges(TypedDict, total=False):
    """What a user changes about a feed; what is None or missing stays as it is."""

    url: str | None
    name: str | None
    active: bool | None
    admin_minutes: int | None
    """Minutes between two polls; 0 leaves the interval to the schedule again."""


def changed_columns(changes: FeedChanges, now: datetime) -> dict[str, Any]:
    """The columns that change, and their new values. Raises UsageError for an invalid address or interval.

    With a new address, all that was learned from the old one is reset, and so is the lease: a poll that is under way does
    not count.
    """
    values: dict[str, Any] = {}
    if (name := changes.get("name")) is not None:
        values["name"] = name
    if (active := changes.get("active")) is not None:
        values["active"] = active
    if (minutes := changes.get("admin_minutes")) is not None:
        values |= {"admin_minutes": checked_minutes(minutes) or None, "due_at": now, "next_fetch_attempt": None}
    if (url := changes.get("url")) is not None:
        values |= _at_new_address(url, now)
    return values


def _at_new_address(url: str, now: datetime) -> dict[str, Any]:
    try:
        host = host_of(url)
    except BadURL as error:
        raise UsageError(f"{url}: {error}") from error
    return _FORGOTTEN | {"url": url, "host": host, "due_at": now, "next_fetch_reason": "new address"}
