"""One table of months for two readers: what one of them reads, the other reads too."""

from datetime import UTC, date, datetime

import pytest

from tearsheet.extract.dates import find_day
from tearsheet.feeds.formats.dates import parse_feed_date
from tearsheet.lexicon import AMBIGUOUS_MONTHS, MONTHS
from tearsheet.lexicon.months import _NAMES, names_by_month

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def test_every_line_names_twelve_months():
    assert {len(line.split()) for line in _NAMES.strip().splitlines()} == {13}
    assert _NAMES.lower() == _NAMES


def test_a_name_of_two_months_is_listed_as_such_with_one_of_them():
    twofold = {name: numbers for name, numbers in names_by_month().items() if len(numbers) > 1}
    assert twofold.keys() == AMBIGUOUS_MONTHS.keys()
    assert all(AMBIGUOUS_MONTHS[name] in numbers for name, numbers in twofold.items())
    assert MONTHS.keys().isdisjoint(AMBIGUOUS_MONTHS)


@pytest.mark.parametrize("number", range(1, 13))
def test_pages_and_feeds_read_every_name(number):
    names = [name for name, month in MONTHS.items() if month == number]
    assert len(names) >= 40
    for name in names:
        assert find_day(f"12 {name} 2024") == date(2024, number, 12), name
        assert find_day(f"{name} 12, 2024") == date(2024, number, 12), name
        assert parse_feed_date(f"12 {name} 2024 10:00", NOW) == datetime(2024, number, 12, 10, tzinfo=UTC), name
        assert parse_feed_date(f"{name} 12, 2024", NOW) == datetime(2024, number, 12, tzinfo=UTC), name


def test_a_page_may_guess_at_an_ambiguous_name_and_a_feed_may_not():
    assert find_day("12 listopada 2024") == date(2024, 11, 12)
    assert parse_feed_date("12 listopada 2024", NOW) is None
