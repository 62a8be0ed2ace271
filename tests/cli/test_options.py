"""Options that many commands have."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tearsheet.cli.options import moment_of
from tearsheet.errors import UsageError


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-11-15T08:30:00", 8), ("2026-11-15 08:30", 8), ("2026-11-15T08:30:00Z", 8), ("2026-11-15T08:30:00+01:00", 7),
        ("2026-11-15T08:30-0500", 13),
    ],
)  # fmt: skip
def test_a_time_may_have_a_zone(text: str, hour: int) -> None:
    assert moment_of(text) == datetime(2026, 11, 15, hour, 30, tzinfo=UTC)


@pytest.mark.parametrize("text", ["yesterday", "2026-11-15T08:30:00+25:00", "0001-01-01T00:00+10:00"])
def test_what_is_no_time_is_told_how_to_write_one(text: str) -> None:
    with pytest.raises(UsageError, match="write it as 2026-11-15"):
        moment_of(text)
