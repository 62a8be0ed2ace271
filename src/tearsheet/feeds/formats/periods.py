"""How often a publisher says that a document changes: in the feed itself (`sy:`, `ttl`) and in HTTP (Cache-Control, Expires)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tearsheet.feeds.formats.element_roles import PERIOD_MINUTES

MAX_MINUTES = 1440
_MAX_AGE = re.compile(r"(?:^|[,\s])(s-maxage|max-age)\s*=\s*\"?(\d{1,10})", re.IGNORECASE)


def advertised_period(period: str | None, frequency: str | None, ttl: str | None) -> int | None:
    """Minutes between two updates as the document states them, at most a day; None when it states nothing that makes sense.

    `sy:updatePeriod` divided by `sy:updateFrequency` comes first, then `ttl`. An empty period means daily.
    """
    if period is not None:
        minutes = PERIOD_MINUTES.get(period.lower() or "daily")
        times = _number(frequency or "1")
        if minutes and times:
            return max(1, min(round(minutes / times), MAX_MINUTES))
    minutes_to_live = _number(ttl or "")
    return max(1, min(round(minutes_to_live), MAX_MINUTES)) if minutes_to_live else None


def _number(text: str) -> float | None:
    """A positive number, or None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 < number < 1e9 else None


def fresh_minutes(cache_control: str | None, expires: str | None, date: str | None, now: datetime) -> int | None:
    """For how many minutes the document stays fresh according to HTTP; None when HTTP does not say, or forbids storing it."""
    if cache_control:
        lowered = cache_control.lower()
        if "no-store" in lowered or "no-cache" in lowered:
            return None
        if ages := [int(age) for _, age in _MAX_AGE.findall(cache_control)]:
            return min(max(ages) // 60, MAX_MINUTES) or None
    until = parse_http_date(expires)
    if until is None:
        return None
    seconds = (until - (parse_http_date(date) or now)).total_seconds()
    return min(int(seconds // 60), MAX_MINUTES) if seconds >= 60 else None


def parse_http_date(text: str | None) -> datetime | None:
    """The date in an HTTP header, as UTC."""
    if not text or len(text) > 100:
        return None
    try:
        found = parsedate_to_datetime(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def skip_text(hours: frozenset[int], days: frozenset[int]) -> str | None:
    """Skipped hours and days as one string for the database: `h0 h1 d6`."""
    return " ".join([f"h{hour}" for hour in sorted(hours)] + [f"d{day}" for day in sorted(days)]) or None


def read_skips(text: str | None) -> tuple[frozenset[int], frozenset[int]]:
    """The reverse of `skip_text`."""
    skips = (text or "").split()
    hours, days = (frozenset(int(skip[1:]) for skip in skips if skip[0] == kind) for kind in "hd")
    return hours, days
