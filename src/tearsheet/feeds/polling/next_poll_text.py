"""When a feed is polled next, or why not, as a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any


def next_poll(feed: Mapping[str, Any], now: datetime) -> str:
    """When a feed is polled next and why, or why it is not polled."""
    reason = feed["next_fetch_reason"] or "new"
    if not feed["active"]:
        return "Not polled: an administrator has switched it off (`tearsheet feeds set FEED --on`)."
    if not feed["system_enabled"]:
        return f"Not polled: {reason} (`tearsheet feeds fetch-soon FEED` enables it again)."
    if feed["queued"]:
        return "Being fetched now, or within minutes."
    when = feed["next_fetch_attempt"]
    if when is None or when <= now:
        return f"Next poll: at the next occasion ({reason})."
    return f"Next poll: {when:%Y-%m-%d %H:%M} UTC, in {span(when - now)} ({reason})."


def span(time: timedelta) -> str:
    """A span of time as people would say it."""
    minutes = round(time.total_seconds() / 60)
    if minutes < 2:
        return "a minute"
    if minutes < 120:
        return f"{minutes} minutes"
    return f"{minutes // 60} hours" if minutes < 2880 else f"{minutes // 1440} days"
