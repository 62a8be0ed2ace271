"""By what feeds are chosen and sorted in lists."""

from __future__ import annotations

from enum import StrEnum


class FeedState(StrEnum):
    """What feeds are listed by."""

    WORKING = "working"
    """The last poll was well."""
    FAILING = "failing"
    """The last poll failed."""
    OFF = "off"
    """Switched off, or disabled after failures."""
    SILENT = "silent"
    """Polled well, and without news for a month."""
    NEVER_WORKED = "never-worked"
    """Polled, and never well."""
    WITH_HUB = "with-hub"
    """With a hub that was asked to tell of its news, whatever came of it."""


class FeedSort(StrEnum):
    """What feeds are sorted by: those with most failures, the latest news, the earliest poll, the latest addition first."""

    ID = "id"
    URL = "url"
    NAME = "name"
    FAILURES = "failures"
    LAST_NEWS = "last-news"
    NEXT_POLL = "next-poll"
    ADDED = "added"
