"""The day an article was published, and where the page says so."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from tearsheet.extract.blocks import TAG_NUMBER, Blocks, cut
from tearsheet.extract.date_marks import (
    BYLINE_NAMES,
    COPYRIGHT_PHRASES,
    DATE_NAMES,
    META_ANY_DATE,
    META_LIKE_PUBLISHED,
    META_MODIFIED,
    META_PUBLISHED,
    OTHER_DIGITS,
    OTHER_NAMES,
    PUBLISHED_PHRASES,
    UPDATED_PHRASES,
)
from tearsheet.extract.head import Head, marked_dates
from tearsheet.lexicon import AMBIGUOUS_MONTHS, MONTHS
from tearsheet.story import MAX_DAYS_AHEAD

EARLIEST = date(1995, 1, 1)
_MAX_DATE_TEXT = 200
_MAX_LOOKED_AT = 600
SURE, UNSURE = 4, -4
"""Scores of a date in the text: better than an unmarked `time` element, and good enough when there is nothing else."""
_MONTHS = MONTHS | AMBIGUOUS_MONTHS
_H1 = TAG_NUMBER["h1"]

# A pattern that starts with a character set is found many times faster than one that starts with a lookbehind.
_YEAR = r"[12](?<![0-9][0-9])(?:(?<=1)9[89]|(?<=2)0[0-9])[0-9]"
_ISO = re.compile(rf"({_YEAR})[-/._]?(0[1-9]|1[0-2])[-/._]?(0[1-9]|[12]\d|3[01])(?!\d{{1,5}}(?!\d))")
_YMD = re.compile(rf"({_YEAR})\s?[-/.年년]\s?(0?[1-9]|1[0-2])\s?[-/.月월]\s?([12]\d|3[01]|0?[1-9])(?!\d)")
_DMY = re.compile(rf"(?<!\d)([12]\d|3[01]|0?[1-9])\s?[-/.]\s?([12]\d|3[01]|0?[1-9])\s?[-/.]\s?({_YEAR}|\d\d)(?!\d)")
_DAY = r"([12]\d|3[01]|0?[1-9])"
_MONTH = r"([^\W\d_][^\s\d.,:;/()_-]{1,13})"
_NAMED_YEAR = r"(19[89]\d|20\d\d|25[4-9]\d)(?!\d)"
"""A year next to the name of a month: in Thailand, a year of the Buddhist era."""
_DAY_MONTH = re.compile(
    rf"(?<!\d){_DAY}(?:st|nd|rd|th|er|º|ª)?[.,]?[\s/-]+(?:de\s+|of\s+|d['’])?{_MONTH}\.?,?[\s/-]+(?:de\s+|del\s+)?{_NAMED_YEAR}"
)
_MONTH_DAY = re.compile(
    rf"{_MONTH}\.?\s+{_DAY}(?:st|nd|rd|th)?,?\s+(?:\d\d?:\d\d(?::\d\d)?\s+(?:[A-Z]{{2,4}}\s+)?)?{_NAMED_YEAR}"
)
_YEAR_MONTH_DAY = re.compile(rf"({_YEAR})(?:\.|\sm\.)?\s+{_MONTH}\s+{_DAY}(?!\d)")
_YEAR_DAY_MONTH = re.compile(rf"({_YEAR})\.\sgada\s{_DAY}\.\s{_MONTH}")
_WITH_MONTH = ((_DAY_MONTH, 1, 2, 3), (_MONTH_DAY, 2, 1, 3), (_YEAR_MONTH_DAY, 3, 2, 1), (_YEAR_DAY_MONTH, 2, 3, 1))
"""Patterns and which of their groups are day, month and year."""
_VIETNAMESE = re.compile(rf"(?<!\d){_DAY}\s+tháng\s+(1[0-2]|0?[1-9]),?\s+(?:năm\s+)?({_YEAR})(?!\d)", re.IGNORECASE)
_BETWEEN_MONTHS = re.compile(r"[\s\d.,:;/()_'’-]+")
_ERA = re.compile(r"(令和|民國|民国)\s?(\d{1,3})\s?年\s?(1[0-2]|0?[1-9])\s?月\s?([12]\d|3[01]|0?[1-9])\s?日")
_ERA_STARTS = {"令和": 2018, "民國": 1911, "民国": 1911}
_BUDDHIST, _LATEST_YEAR = 543, 2500
_OTHER_DIGIT = re.compile(f"[{''.join(map(chr, OTHER_DIGITS))}]")
_MAY_BE_DATE = re.compile(
    r"[0-9](?:(?<=1)9[89][0-9]|(?<=2)[05][0-9][0-9]|[0-9]?[./]\s?[0-9]{1,2}[./]\s?[0-9][0-9]|[0-9]{0,2}\s?年)"
)
"""It starts with a character set, which is found faster than anything else."""
_URL_MONTH_ONLY = re.compile(rf"/({_YEAR})[/-](0[1-9]|1[0-2])/")
_SCRIPTED_DAY = re.compile(rb""":\s?\\?(?:"|'|&quot;)(\d{4}-\d\d-\d\d)""")
_SCRIPTED_KEY = re.compile(
    rb"(?:date_?[pP]ublished|publish(?:ed)?_?(?:[aA]t|[oO]n|[dD]ate)|publication_?[dD]ate|pub_?[dD]ate|first_?[pP]ublished|created_?[aA]t)"
    rb"""\\?(?:"|'|&quot;)\s?\Z"""
)
_SCRIPTED_KEY_LENGTH = 40
_EPOCH = re.compile(r"(1[0-9]{9})(?:\d{3})?")
_URL_MONTH = r"(0[1-9]|1[0-2]|[1-9](?=[/_-]))"
_URL_DAY = r"(0[1-9]|[12]\d|3[01]|[1-9](?=[/_-]))"
_URL_DATE = re.compile(rf"[/_=-]({_YEAR})[/_-]?{_URL_MONTH}[/_-]?{_URL_DAY}(?=[/_.?&-]|$|[a-z])")
_URL_DAY_FIRST = re.compile(rf"[/_-](0[1-9]|[12]\d|3[01])[_-](0[1-9]|1[0-2])[_-]({_YEAR})(?=[/_.?&-]|$)")


def publication_date(
    head: Head, url: str, blocks: Blocks, today: date, tree: LexborHTMLParser
) -> tuple[date, str] | None:
    """The day and its source (`url`, `meta`, `json-ld`, `time`, `text`), the most trusted statement first.

    An address keeps the day on which it was assigned, in the publisher's own time zone; nothing else in a page is as stable.
    Statements that are expensive to find come last, and are searched for only when needed.
    """
    for source, values in (
        ("url", [url_date(url)]),
        *_stated_dates(head, url, blocks, today),
        ("meta", _meta_dates(head, (name for name in head.meta if META_LIKE_PUBLISHED.search(name)))),
        ("time", (t.value for t in head.times if t.published)),
        ("time", _marked_dates(tree, published=True)),
        ("text", _visible_dates(blocks, url, today, SURE)),
        ("json-ld", _json_ld_dates(head.other, ("datePublished", "dateCreated"))),
        ("time", (t.value for t in head.times if not t.modified)),
        ("json-ld", _scripted_dates(tree)),
        ("meta", _meta_dates(head, META_MODIFIED)),
        ("json-ld", _json_ld_dates(head.articles + head.other, ("dateModified", "uploadDate"))),
        ("time", (t.value for t in head.times)),
        ("time", _marked_dates(tree, published=False)),
        ("text", _visible_dates(blocks, url, today, UNSURE)),
        ("text", _skipped_dates(tree, url, today)),
    ):
        for value in values:
            day = find_day(value) if isinstance(value, str) else value
            if day and plausible(day, today):
                return day, source
    return None


def _stated_dates(head: Head, url: str, blocks: Blocks, today: date) -> list[tuple[str, Iterable[date]]]:
    """What the page states for machines. If its statements differ, the one that it also shows to people comes first."""
    stated = [("meta", day) for day in _days(_meta_dates(head, META_PUBLISHED + META_ANY_DATE), today)]
    stated += [
        ("json-ld", day) for day in _days(_json_ld_dates(head.articles, ("datePublished", "dateCreated")), today)
    ]
    if len({day for _, day in stated}) > 1:
        shown = set(_visible_dates(blocks, url, today, SURE))
        stated.sort(key=lambda statement: statement[1] not in shown)
    return [(source, [day]) for source, day in stated]


def _days(values: Iterable[str], today: date) -> Iterator[date]:
    yield from (day for day in map(find_day, values) if day and plausible(day, today))


def _marked_dates(tree: LexborHTMLParser, *, published: bool) -> Iterator[str]:
    """Elements that are marked as dates without being `time` elements."""
    yield from (t.value for t in marked_dates(tree) if t.published or not published)


def _scripted_dates(tree: LexborHTMLParser) -> Iterator[str]:
    """Data in scripts and attributes, which often hold what the page was made from."""
    page = tree.raw_html
    for found in _SCRIPTED_DAY.finditer(page):
        if _SCRIPTED_KEY.search(page, max(0, found.start() - _SCRIPTED_KEY_LENGTH), found.start()):
            yield found[1].decode("ascii")


def _visible_dates(blocks: Blocks, url: str, today: date, least: int) -> Iterator[date]:
    found = visible_date(blocks, url, today)
    if found and found[1] >= least:
        yield found[0]


def _skipped_dates(tree: LexborHTMLParser, url: str, today: date) -> Iterator[date]:
    """Parts of the page without text that may contain a date, such as the footer of an article."""
    if tree.body is not None:
        yield from _visible_dates(cut(tree.body, everything=True), url, today, UNSURE)


def visible_date(blocks: Blocks, url: str, today: date) -> tuple[date, int] | None:
    """The day that people can read in the page, and a score of how much it looks like the day of publication."""
    h1 = next((i for i, c in enumerate(blocks.container) if blocks.tag[c] == _H1), None)
    month = _URL_MONTH_ONLY.search(url)
    best: tuple[date, int] | None = None
    for i, start in _lines_with_dates(blocks.text[:_MAX_LOOKED_AT]):
        day = find_day(start)
        if day is None or not plausible(day, today) or day > today:
            continue
        score = _likeness(blocks, i, start, h1)
        if month and (day.year, day.month) == (int(month[1]), int(month[2])):
            score += 3
        if best is None or score > best[1]:
            best = day, score
    return best


def _lines_with_dates(texts: list[str]) -> Iterator[tuple[int, str]]:
    """The numbers and first characters of the texts that may name a day. One search through all is faster than one in each."""
    starts = [text[:_MAX_DATE_TEXT] for text in texts]
    ends = list(accumulate(len(start) + 1 for start in starts))
    seen = -1
    for found in _MAY_BE_DATE.finditer(plain_digits("\n".join(starts))):
        i = bisect_right(ends, found.start())
        if i > seen:
            seen = i
            yield i, starts[i]


def _likeness(blocks: Blocks, i: int, text: str, h1: int | None) -> int:
    """How much a block that names a day looks like the line that dates an article."""
    c = blocks.container[i]
    names = f"{blocks.inline_name[i]} {blocks.name[c]} {blocks.name[blocks.parent[c]]}".lower()
    score = 3 * bool(DATE_NAMES.search(names)) + bool(BYLINE_NAMES.search(names)) - 4 * bool(OTHER_NAMES.search(names))
    score += 2 * (len(text) < 40) + (len(text) < 90)
    score += (
        2 * bool(PUBLISHED_PHRASES.search(text))
        - bool(UPDATED_PHRASES.search(text))
        - 4 * bool(COPYRIGHT_PHRASES.search(text))
    )
    if h1 is not None:
        score += 2 if abs(i - h1) <= 5 else 1 if abs(i - h1) <= 12 else -1 if i > h1 + 60 else 0
    if blocks.link_length[i] > 0.7 * len(text):
        score -= 2
    return score


def plausible(day: date, today: date) -> bool:
    """Whether an article on the web can have this date: not before the web, and not more than 90 days ahead."""
    return EARLIEST <= day <= today + timedelta(days=MAX_DAYS_AHEAD)


def _meta_dates(head: Head, names: Iterable[str]) -> Iterable[str]:
    for name in names:
        yield from head.meta.get(name, ())


def _json_ld_dates(items: list[dict[str, Any]], keys: tuple[str, ...]) -> Iterable[str]:
    for item in items:
        for key in keys:
            yield from _strings(item.get(key))


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (v for v in value if isinstance(v, str))


def url_date(url: str) -> date | None:
    """The day in the path or query of an address, as in `/2024/05/17/`."""
    url = url.partition("://")[2] or url
    if found := _URL_DATE.search(url):
        return _day(found[1], found[2], found[3])
    if found := _URL_DAY_FIRST.search(url):
        return _day(found[3], found[2], found[1])
    return None


def find_day(text: str) -> date | None:
    """The first day that a text names, in any of the usual notations; None if it names none."""
    text = plain_digits(text[:_MAX_DATE_TEXT].strip())
    if found := _ISO.search(text) or _YMD.search(text):
        return _day(found[1], found[2], found[3])
    if epoch := _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(int(epoch[1]), UTC).date()
    if named := _named_date(text):
        return named
    if found := _DMY.search(text):
        year = found[3] if len(found[3]) == 4 else "20" + found[3]
        # Day first, as most of the world writes it, unless that cannot be.
        return _day(year, found[2], found[1]) or _day(year, found[1], found[2])
    return None


def plain_digits(text: str) -> str:
    """A text with its digits in ASCII, whatever script they are in."""
    return text if text.isascii() or not _OTHER_DIGIT.search(text) else text.translate(OTHER_DIGITS)


def _named_date(text: str) -> date | None:
    """A day whose month is spelled out, or whose year belongs to an era."""
    if not _MONTHS.keys().isdisjoint(_BETWEEN_MONTHS.split(text.lower())):
        for pattern, day, month, year in _WITH_MONTH:
            for found in pattern.finditer(text):
                if number := _MONTHS.get(found[month].lower()):
                    stated = int(found[year])
                    return _day(stated - _BUDDHIST if stated > _LATEST_YEAR else stated, number, found[day])
    if numbered := _VIETNAMESE.search(text):
        return _day(numbered[3], numbered[2], numbered[1])
    if era := _ERA.search(text):
        return _day(_ERA_STARTS[era[1]] + int(era[2]), era[3], era[4])
    return None


def _day(year: str | int, month: str | int, day: str | int) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
