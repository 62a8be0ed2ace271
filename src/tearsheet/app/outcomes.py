"""What became of the stories, summed up by source, feed, domain or day, with the names that people know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tearsheet.app.services import Services
from tearsheet.chunks import chunks
from tearsheet.feeds.catalogue import list_feeds, list_sources
from tearsheet.work import By

_NONE = "0"
"""What the sums of stories without a source or feed are kept under."""


@dataclass(slots=True, frozen=True)
class OutcomeSum:
    """How many stories of one source, feed, domain or day met one outcome."""

    of: str
    """A domain, a day, or the id of a source or feed; empty where none is known."""
    name: str
    """The source's name or the feed's address; of others, the same as `of`."""
    stage: str
    status: str
    reason: str
    stories: int


def outcome_sums(
    services: Services, by: By, since: datetime | None = None, *, limit: int | None = None
) -> list[OutcomeSum]:
    """The sums of all time, or since a day, the largest or newest `limit`; rows of stories need not be there any more."""
    found = services.ledger.sums(by, since, limit=limit)
    named = by in ("source", "feed")
    names = _all_names(services, by, sorted({int(row.of) for row in found})) if named else {}
    return [
        OutcomeSum(
            "" if named and row.of == _NONE else row.of,
            "" if named and row.of == _NONE else names.get(row.of, row.of),
            row.stage,
            row.status,
            row.reason,
            row.stories,
        )
        for row in found
    ]


def _all_names(services: Services, by: By, ids: Sequence[int]) -> dict[str, str]:
    names: dict[str, str] = {}
    for some in chunks(ids):
        names |= _names(services, by, some)
    return names


def _names(services: Services, by: By, ids: Sequence[int]) -> dict[str, str]:
    """By id: the name of each source, or the address of each feed, that is known here."""
    database = services.database
    if by == "source":
        return {str(source.id): source.name for source in list_sources(database, ids=ids, limit=len(ids)).rows}
    return {str(feed["id"]): str(feed["url"]) for feed in list_feeds(database, ids=ids, limit=len(ids)).rows}
