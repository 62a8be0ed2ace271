"""Tokens end when they should."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tearsheet.app.tokens import end_of_token
from tearsheet.errors import UsageError

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "until", "end"),
    [(None, None, None), (1, None, NOW + timedelta(days=1)), (None, "2026-11-15", datetime(2026, 11, 16, tzinfo=UTC)),
     (None, "2027-01-31", datetime(2027, 2, 1, tzinfo=UTC))],
)  # fmt: skip
def test_the_last_day_counts(days, until, end):
    assert end_of_token(NOW, days, until) == end


@pytest.mark.parametrize(
    ("days", "until", "told"),
    [(1, "2027-01-31", "not both"), (None, "2026-11-14", "expired already"), (None, "tomorrow", "2027-01-31"),
     (10**9, None, "no calendar"), (None, "9999-12-31", "no calendar")],
)  # fmt: skip
def test_an_end_that_makes_no_sense_is_refused(days, until, told):
    with pytest.raises(UsageError, match=told):
        end_of_token(NOW, days, until)
