"""The day an article was published, and where the page says so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from tearsheet.extract.date_tables import META_MODIFIED, META_PUBLISHED, MONTHS
from tearsheet.extract.head import Head

EARLIEST = date(1995, 1, 1)
MAX_DAYS_AHEAD = 90
_MAX_DATE_TEXT = 200

_YEAR = r"(?:19[89]\d|20\d\d)"
_ISO = re.compile(rf"(?<!\d)({_YEAR})[-/._]?(0[1-9]|1[0-2])[-/._]?(0[1-9]|[12]\d|3[01])(?!\d{{1,5}}(?!\d))")
_YMD = re.compile(rf"(?<!\d)({_YEAR})\s?[-/.年년]\s?(0?[1-9]|1[0-2])\s?[-/.月월]\s?([12]\d|3[01]|0?[1-9])(?!\d)")
_DMY = re.compile(rf"(?<!\d)([12]\d|3[01]|0?[1-9])\s?[-/.]\s?([12]\d|3[01]|0?[1-9])\s?[-/.]\s?({_YEAR}|\d\d)(?!\d)")
_DAY_MONTH = re.compile(
    rf"(?<!\d)([12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|er|º|ª)?[.,]?\s+(?:de\s+|of\s+)?([^\W\d_]{{3,12}})\.?,?\s+(?:de\s+|del\s+)?({_YEAR})(?!\d)"
)
_MONTH_DAY = re.compile(rf"([^\W\d_]{{3,12}})\.?\s+([12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?,?\s+({_YEAR})(?!\d)")
_EPOCH = re.compile(r"(1[0-9]{9})(?:\d{3})?")
_URL_MONTH = r"(0[1-9]|1[0-2]|[1-9](?=[/_-]))"
_URL_DAY = r"(0[1-9]|[12]\d|3[01]|[1-9](?=[/_-]))"
_URL_DATE = re.compile(rf"[/_=-]({_YEAR})[/_-]?{_URL_MONTH}[/_-]?{_URL_DAY}(?=[/_.?&-]|$|[a-z])")


def publication_date(head: Head, url: str, text: str, today: date) -> tuple[date, str] | None:
    """The day and its source (`json-ld`, `meta`, `url`, `time`, `text`), the most trusted statement first."""
    for source, values in (
        ("json-ld", _json_ld_dates(head, ("datePublished", "dateCreated"))),
        ("meta", _meta_dates(head, META_PUBLISHED)),
        ("time", (t.value for t in head.times if t.published)),
        ("url", [url_date(url)]),
        ("time", (t.value for t in head.times if not t.modified)),
        ("meta", _meta_dates(head, META_MODIFIED)),
        ("json-ld", _json_ld_dates(head, ("dateModified", "uploadDate"))),
        ("time", (t.value for t in head.times)),
        ("text", [text]),
    ):
        for value in values:
            day = value if isinstance(value, date) or value is None else parse_date(value)
            if day and plausible(day, today):
                return day, source
    return None


def plausible(day: date, today: date) -> bool:
    """Whether an article of the web can have this date: not before the web, not more than 90 days ahead."""
    return EARLIEST <= day <= today + timedelta(days=MAX_DAYS_AHEAD)


def _meta_dates(head: Head, names: tuple[str, ...]) -> Iterable[str]:
    for name in names:
        yield from head.meta.get(name, ())


def _json_ld_dates(head: Head, keys: tuple[str, ...]) -> Iterable[str]:
    for item in (*head.articles, *head.other):
        for key in keys:
            yield from _strings(item.get(key))


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (v for v in value if isinstance(v, str))


def url_date(url: str) -> date | None:
    """The day that stands in the path or query of an address, as in `/2024/05/17/`."""
    found = _URL_DATE.search(url.partition("://")[2] or url)
    return _day(found[1], found[2], found[3]) if found else None


def parse_date(text: str) -> date | None:
    """The first day that a text names, in any of the usual ways of writing; None when it names none."""
    text = text[:_MAX_DATE_TEXT].strip()
    if found := _ISO.search(text) or _YMD.search(text):
        return _day(found[1], found[2], found[3])
    if epoch := _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(int(epoch[1]), UTC).date()
    for found in _DAY_MONTH.finditer(text):
        if month := MONTHS.get(found[2].lower()):
            return _day(found[3], month, found[1])
    for found in _MONTH_DAY.finditer(text):
        if month := MONTHS.get(found[1].lower()):
            return _day(found[3], month, found[2])
    if found := _DMY.search(text):
        year = found[3] if len(found[3]) == 4 else "20" + found[3]
        # Day first, as most of the world writes it, unless that cannot be.
        return _day(year, found[2], found[1]) or _day(year, found[1], found[2])
    return None


def _day(year: str | int, month: str | int, day: str | int) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
