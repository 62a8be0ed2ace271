"""Dates in every form that occurs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.feeds.formats.dates import parse_feed_date
from tearsheet.lexicon import MONTHS
from tests.support.feed_fakes import NOW


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("Sun, 15 Nov 2026 10:00:00 +0100", "2026-11-15T09:00:00"),
        ("Sun, 15 Nov 2026 10:00:00 GMT", "2026-11-15T10:00:00"),
        ("15 Nov 2026 10:00 EST", "2026-11-15T15:00:00"),
        ("Thu,28 Jul 2022 4:35:5 GMT+9", "2022-07-27T19:35:05"),
        ("Sunday, 15-Nov-26 10:00:00 PDT", "2026-11-15T17:00:00"),
        ("Sun, 15 November 2026 24:00:00 +0000", "2026-11-16T00:00:00"),
        ("Sun, 15 Nov 2026", "2026-11-15T00:00:00"),
        ("Sun Nov 15 10:00:00 2026", "2026-11-15T10:00:00"),
        ("Sun Nov 15 10:00:00 CET 2026", "2026-11-15T09:00:00"),
        ("2026-11-15T10:00:00Z", "2026-11-15T10:00:00"),
        ("2026-11-15T10:00:00.123456+02:00", "2026-11-15T08:00:00.123456"),
        ("2026-11-15T10:00+0530", "2026-11-15T04:30:00"),
        ("2026-11-15 10:00:00 -0500", "2026-11-15T15:00:00"),
        ("2026-11-15 10:00:00.0", "2026-11-15T10:00:00"),
        ("2026-11-15", "2026-11-15T00:00:00"),
        ("2026-11", "2026-11-01T00:00:00"),
        ("2026/11/15 10:00", "2026-11-15T10:00:00"),
        ("20261115", "2026-11-15T00:00:00"),
        ("20261115T100000Z", "2026-11-15T10:00:00"),
        ("15.11.2026 10:00", "2026-11-15T10:00:00"),
        ("15-11-2026", "2026-11-15T00:00:00"),
        ("11/15/2026 3:30 PM", "2026-11-15T15:30:00"),
        ("25/10/2026", "2026-10-25T00:00:00"),
        ("November 15, 2026", "2026-11-15T00:00:00"),
        ("Sunday, November 15, 2026 at 12:05 a.m. PST", "2026-11-15T08:05:00"),
        ("Nov 15, 2026 10:00:00", "2026-11-15T10:00:00"),
        ("15 novembre 2026 10:00", "2026-11-15T10:00:00"),
        ("dim., 15 nov. 2026 10:00:00 +0100", "2026-11-15T09:00:00"),
        ("15. Oktober 2026, 10:00 MESZ", "2026-10-15T08:00:00"),
        ("15 de octubre de 2026", "2026-10-15T00:00:00"),
        ("Вс, 15 ноя 2026 10:00:00 +0300", "2026-11-15T07:00:00"),
        ("15 ноября 2026", "2026-11-15T00:00:00"),
        ("Κυρ, 15 Νοέ 2026 10:00:00 EET", "2026-11-15T08:00:00"),
        ("2004-05-25 오후 11:23:17", "2004-05-25T23:23:17"),
        ("2026년 11월 15일 10:00", "2026-11-15T10:00:00"),
        ("2026年11月15日", "2026-11-15T00:00:00"),
        ("1763200800", "2025-11-15T10:00:00"),
        ("1763200800000", "2025-11-15T10:00:00"),
        ("  Sun, 15 Nov 2026 10:00:00 Z ", "2026-11-15T10:00:00"),
        ("Sun, 15 Nov 2026 10:00:60 GMT", "2026-11-15T10:00:59"),
        ("Sun, 15 Nov 99 10:00:00 GMT", "1999-11-15T10:00:00"),
    ],
)
def test_forms(text: str, iso: str) -> None:
    assert parse_feed_date(text, NOW) == datetime.fromisoformat(iso).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "", "today", "n/a", "0", "0000-00-00 00:00:00", "2026-02-30", "31 Feb 2026", "1513-01-01", "1970-01-01T00:00:00Z",
        "2099-01-01",
        "Wed, 31 Dec 1969 19:00:00 EST", "Thu, 01 Jan 1970 00:00:00 GMT", "15 Foo 2026", "2026-13-01", "99/99/2026",
        "x" * 200, "2026-11-15T99:00",
        "Fri, 11 Mar 2016 01:15:00 +3000", "12:30", "2026",
    ],
)  # fmt: skip
def test_what_is_refused(text: str) -> None:
    assert parse_feed_date(text, NOW) is None


def test_the_future_ends_in_ninety_days() -> None:
    assert parse_feed_date((NOW + timedelta(days=89)).isoformat(), NOW) is not None
    assert parse_feed_date((NOW + timedelta(days=91)).isoformat(), NOW) is None


@given(st.text(max_size=120))
def test_any_text_is_a_sane_date_or_none(text: str) -> None:
    found = parse_feed_date(text, NOW)
    assert found is None or (
        found.tzinfo is UTC and datetime(1990, 1, 1, tzinfo=UTC) <= found <= NOW + timedelta(days=90)
    )


@given(
    st.datetimes(datetime(1991, 1, 1), datetime(2026, 11, 1)),
    st.integers(-12 * 60, 14 * 60),
    st.sampled_from([name for name in MONTHS if not name[-1].isdigit()]),
)
def test_mail_dates_in_every_language(when: datetime, offset: int, month: str) -> None:
    when = when.replace(microsecond=0, month=MONTHS[month], day=min(when.day, 28))
    sign, minutes = "-" if offset < 0 else "+", abs(offset)
    text = f"{when.day} {month} {when.year} {when:%H:%M:%S} {sign}{minutes // 60:02}{minutes % 60:02}"
    assert parse_feed_date(text, NOW) == (when - timedelta(minutes=offset)).replace(tzinfo=UTC)
