"""Dates as queries write them: a day, a month, a year, or a moment. Each is a span from its first to its last instant."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta

_EPOCH = date(1970, 1, 1)
_DAY = 86_400_000_000_000
_DATE = re.compile(r"(\d{4})(?:-(\d\d?)(?:-(\d\d?))?)?")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?")
_PLAIN_MIDNIGHT = re.compile(r"[T ]00:00(?::00(?:\.0+)?)?Z?$")


def day_number(day: date) -> int:
    """Days since 1970-01-01."""
    return (day - _EPOCH).days


def day_of(number: int) -> date:
    """The day with this number; days outside the calendar become its first or last day."""
    number = max(day_number(date.min), min(number, day_number(date.max)))
    return _EPOCH + timedelta(days=number)


def day_span(text: str) -> tuple[int, int]:
    """First and last day of `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. Raises ValueError."""
    found = _DATE.fullmatch(_PLAIN_MIDNIGHT.sub("", text))
    if not found:
        raise ValueError("not a date")
    year, month, day = int(found[1]), int(found[2] or 1), int(found[3] or 1)
    first = date(year, month, day)
    if found[3]:
        last = first
    else:
        month = month if found[2] else 12
        last = date(year, month, monthrange(year, month)[1])
    return day_number(first), day_number(last)


def moment_span(text: str) -> tuple[int, int]:
    """First and last nanosecond of a date, or of a moment written `YYYY-MM-DDThh:mm[:ss[.n…]][Z|+hh:mm]`. Raises ValueError."""
    found = _MOMENT.fullmatch(text)
    if not found:
        first, last = day_span(text)
        return first * _DAY, (last + 1) * _DAY - 1
    day, hours, minutes, seconds, fraction, zone = found.groups()
    zone = "+00:00" if zone in (None, "Z") else zone
    moment = datetime.fromisoformat(f"{day}T{hours}:{minutes}:{seconds or '00'}{zone}")
    start = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1) * 1_000_000_000
    if seconds is None:
        return start, start + 60_000_000_000 - 1
    if fraction is None:
        return start, start + 1_000_000_000 - 1
    start += int(fraction.ljust(9, "0"))
    return start, start + 10 ** (9 - len(fraction)) - 1
