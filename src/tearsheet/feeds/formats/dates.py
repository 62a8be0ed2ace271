"""Dates in every form that occurs in feeds, as UTC; a date that makes no sense is ignored."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from tearsheet.lexicon import AFTERNOON, FORENOON, MONTHS, ZONE_MINUTES
from tearsheet.story import MAX_DAYS_AHEAD

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
"""There was no web before; earlier dates are zeros or mistakes."""
_MAX_AHEAD = timedelta(days=MAX_DAYS_AHEAD)
_MAX_LENGTH = 100

_HALF = r"(오전|오후|上午|下午|午前|午後|[ap]\.?m\b\.?)?"
_TIME = rf"(?:{_HALF}\s*(\d{{1,2}})[:.h時시](\d{{1,2}})(?:[:.分분]\s*(\d{{1,2}})(?:[.,]\d+)?)?[秒초]?\s*{_HALF})?"
_ZONE = r"\s*\(?([a-z]{1,5})?\)?\s*(?:([+\-−])\s*(\d{1,2}):?(\d{2})?)?"
_WORD = r"[^\d\s.,/:+\-()]+"
_WEEKDAY = rf"(?:{_WORD}(?:\.?,\s*|\.?\s+))?"
_GLUE = r"[,\s]*(?:t(?=\d)|at\b|um\b|à\b|-)?\s*"

_DAY_MONTH_YEAR = re.compile(
    rf"{_WEEKDAY}(\d{{1,2}})(?:st|nd|rd|th|er|º)?[\s.\-/]*(?:de\s+|of\s+)?({_WORD})\.?,?[\s.\-/]*(?:de\s+)?(\d{{4}}|\d{{2}})\b{_GLUE}{_TIME}{_ZONE}"
)
_MONTH_DAY_YEAR = re.compile(
    rf"{_WEEKDAY}({_WORD})\.?\s*(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b{_GLUE}{_TIME}{_ZONE}"
)
_ASCTIME = re.compile(rf"{_WORD},?\s+({_WORD})\s+(\d{{1,2}})\s+{_TIME}{_ZONE}\s+(\d{{4}})\b")
_YEAR_FIRST = re.compile(
    rf"(\d{{4}})\s*[-/.年년]?\s*(\d{{1,2}})(?:\s*[-/.月월]?\s*(\d{{1,2}}))?\s*[일日]?\.?(?![\d:]){_GLUE}{_TIME}{_ZONE}"
)
_COMPACT = re.compile(rf"(\d{{4}})(\d{{2}})(\d{{2}})(?:t?(\d{{2}}):?(\d{{2}}):?(\d{{2}})?(?:[.,]\d+)?)?{_ZONE}$")
_DAY_FIRST = re.compile(rf"{_WEEKDAY}(\d{{1,2}})([./-])(\d{{1,2}})[./-](\d{{4}}|\d{{2}})\b{_GLUE}{_TIME}{_ZONE}")
_MAIL = re.compile(
    r"(?:[A-Za-z]{3}, )?(\d{1,2}) ([A-Za-z]{3}) (\d{4}) (\d\d):(\d\d)(?::(\d\d))? (?:GMT|UTC|UT|Z|([+-])(\d\d)(\d\d))$"
)
_SECONDS = re.compile(r"(\d{9,10})(?:\d{3})?(?:\.\d+)?$")


def parse_feed_date(text: str, now: datetime) -> datetime | None:
    """The UTC time that the text means; without a zone it is taken as UTC. None when it makes no sense.

    Refused: text that is not a date, dates before 1990, and dates more than 90 days after `now`.
    """
    text = text.strip()
    if not text or len(text) > _MAX_LENGTH:
        return None
    try:
        found = _iso(text) if text[4:5] == "-" else _mail(text)
        found = found or _worded(text.lower())
        if found is None:
            return None
        if found.tzinfo is not UTC:
            found = found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return found if EARLIEST <= found <= now + _MAX_AHEAD else None


def _iso(text: str) -> datetime | None:
    """The plain forms, quickly."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _mail(text: str) -> datetime | None:
    """`Sun, 15 Nov 2026 10:00:00 +0100`, quickly."""
    match = _MAIL.match(text)
    if not match or (month := MONTHS.get(match[2].lower())) is None:
        return None
    day, _, year, hour, minute, second, sign, zone_hours, zone_minutes = match.groups()
    if hour == "24" or second == "60":
        return None
    found = datetime(int(year), month, int(day), int(hour), int(minute), int(second or 0), 0, UTC)
    return found - _offset(None, sign, zone_hours, zone_minutes) if sign else found


def _worded(text: str) -> datetime | None:
    if match := _DAY_MONTH_YEAR.match(text):
        day, month, year, *rest = match.groups()
        if month in MONTHS:
            return _build(_year(year), MONTHS[month], int(day), rest)
    if text[0].isdigit():
        return _numeric(text)
    if match := _MONTH_DAY_YEAR.match(text):
        month, day, year, *rest = match.groups()
        if month in MONTHS:
            return _build(int(year), MONTHS[month], int(day), rest)
    if match := _ASCTIME.match(text):
        month, day, *rest, year = match.groups()
        if month in MONTHS:
            return _build(int(year), MONTHS[month], int(day), rest)
    return _day_first(text)


def _numeric(text: str) -> datetime | None:
    if match := _COMPACT.match(text):
        year, month, day, hour, minute, second, *zone = match.groups()
        return _build(int(year), int(month), int(day), [None, hour, minute, second, None, *zone])
    if match := _SECONDS.match(text):
        return datetime.fromtimestamp(int(match[1]), UTC)
    if match := _YEAR_FIRST.match(text):
        year, month, day, *rest = match.groups()
        return _build(int(year), int(month), int(day or 1), rest)
    return _day_first(text)


def _day_first(text: str) -> datetime | None:
    """`31.12.2025` and `31-12-2025`; with slashes, the American order where possible."""
    match = _DAY_FIRST.match(text)
    if not match:
        return None
    first, mark, second, year, *rest = match.groups()
    day, month = int(first), int(second)
    if (mark == "/" and day <= 12) or month > 12:
        day, month = month, day
    return _build(_year(year), month, day, rest)


def _year(text: str) -> int:
    """Two digits mean this century, or the nineties."""
    year = int(text)
    return year if len(text) == 4 else year + (1900 if year >= 90 else 2000)


def _build(year: int, month: int, day: int, rest: list[str | None]) -> datetime:
    """Combine date, time and zone. Raises ValueError where they do not fit the calendar."""
    half_before, hour_text, minute, second, half_after, name, sign, zone_hours, zone_minutes = rest
    hour = int(hour_text or 0)
    half = half_before or half_after
    if half in AFTERNOON and hour < 12:
        hour += 12
    elif half in FORENOON and hour == 12:
        hour = 0
    next_day = hour == 24 and not int(minute or 0)
    found = datetime(year, month, day, 0 if next_day else hour, int(minute or 0), min(int(second or 0), 59), tzinfo=UTC)
    if next_day:
        found += timedelta(days=1)
    return found - _offset(name, sign, zone_hours, zone_minutes)


@lru_cache(maxsize=1024)
def _offset(name: str | None, sign: str | None, hours: str | None, minutes: str | None) -> timedelta:
    """How far east of Greenwich the zone is. `GMT+9` and `+0900 (JST)` give it as a number; a name alone is looked up."""
    if not sign or not hours:
        return timedelta(minutes=ZONE_MINUTES.get(name or "", 0))
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if offset > timedelta(hours=15):
        raise ValueError("no zone is that far east or west")
    return offset if sign == "+" else -offset
