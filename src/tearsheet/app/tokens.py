"""Tokens of the web API: who may use it, until when, for which collections, and whether they may change anything."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from tearsheet.errors import UsageError

READ, WRITE = "read", "write"
RIGHTS = (READ, WRITE)


@dataclass(slots=True, frozen=True)
class Token:
    """A token as it is stored: not the secret itself."""

    id: int
    name: str
    rights: str
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None = None
    """From when on it is refused; None means never."""
    collections: tuple[str, ...] | None = None
    """Names of the collections whose sources it sees; None means everything."""

    @property
    def may_write(self) -> bool:
        """Whether it may change anything."""
        return self.rights == WRITE

    def has_expired(self, now: datetime) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and now >= self.expires_at


def end_of_token(now: datetime, days: int | None, until: str | None) -> datetime | None:
    """When a token that lasts so many days, or through a day (UTC), expires; None if it has no end. Raises UsageError."""
    if days is not None and until is not None:
        raise UsageError("give --days or --until, not both")
    try:
        if until is not None:
            end = datetime.combine(date.fromisoformat(until), datetime.min.time(), UTC) + timedelta(days=1)
        elif days is not None:
            end = now + timedelta(days=days)
        else:
            return None
    except ValueError as error:
        raise UsageError(f"--until: {until!r} is not a day; write it as 2027-01-31") from error
    except OverflowError as error:
        raise UsageError("no calendar goes that far; choose an earlier end, or none") from error
    if end <= now:
        raise UsageError("this token would have expired already; choose a later end")
    return end
