"""What changes in a feed when a user gives it another name, interval or address, or switches it on or off."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypedDict

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.folders import folders_text
from tearsheet.feeds.catalogue.model import Folder
from tearsheet.feeds.intervals import checked_minutes
from tearsheet.masking import shown_url
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
    source: int | None
    """The id of the source that it is to belong to."""
    folders: tuple[Folder, ...] | None
    """All folders that it is in."""
    user_agent: str | None
    """How we introduce ourselves to its server; nothing means as to all others."""
    ignore_validators: bool | None
    access: Mapping[str, object] | None
    """What its server is told, by the names of `FeedAccess`; an empty text removes it."""


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
    if (folders := changes.get("folders")) is not None:
        values["folders"] = folders_text(folders) or None
    if (agent := changes.get("user_agent")) is not None:
        check_user_agent(agent)
        values["user_agent"] = agent.strip() or None
    if (ignore := changes.get("ignore_validators")) is not None:
        values["ignore_validators"] = ignore
    if (url := changes.get("url")) is not None:
        values |= at_new_address(url, now)
    return values


MAX_USER_AGENT = 1_000


def check_user_agent(text: str | None) -> None:
    """Raises UsageError for one that cannot be sent."""
    if text and (len(text) > MAX_USER_AGENT or not text.isprintable()):
        raise UsageError(f"a user agent is one line of at most {MAX_USER_AGENT:,} characters")


def at_new_address(url: str, now: datetime) -> dict[str, Any]:
    """The columns of a feed that gets another address. Raises UsageError for one that is invalid."""
    try:
        host = host_of(url)
    except BadURL as error:
        raise UsageError(f"{shown_url(url)}: {error}") from error
    return _FORGOTTEN | {"url": url, "host": host, "due_at": now, "next_fetch_reason": "new address"}
