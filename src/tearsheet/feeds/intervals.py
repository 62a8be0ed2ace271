"""The interval that somebody sets for one feed: checked where it is set, and again where it is used."""

from __future__ import annotations

from tearsheet.errors import UsageError

LONGEST_MINUTES = 366 * 24 * 60
"""A year. What is polled more rarely is better switched off, and no date falls out of the calendar."""


def checked_minutes(minutes: int) -> int:
    """Minutes between two polls, or 0 for those of the schedule. Raises UsageError for any other number."""
    if not 0 <= minutes <= LONGEST_MINUTES:
        raise UsageError(
            f"{minutes} is no interval: give 1 to {LONGEST_MINUTES:,} minutes, or 0 to leave it to the schedule"
        )
    return minutes


def usable_minutes(minutes: int | None) -> int | None:
    """An interval as it stands in the database: None, which leaves it to the schedule, where no such number could be set."""
    return minutes if minutes is not None and 1 <= minutes <= LONGEST_MINUTES else None
