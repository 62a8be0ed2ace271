"""Feeds, sources and collections as values: as they are added, and as they are listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tearsheet.feeds.access import FeedAccess

Folder = tuple[str, ...]
"""The names on the path to a folder, the outermost first."""


@dataclass(slots=True)
class NewFeed:
    """A feed to be added. Without `sources_id` it goes to the source of its site's domain, which is created if missing."""

    url: str
    name: str | None = None
    sources_id: int | None = None
    source_name: str | None = None
    homepage: str | None = None
    collections: tuple[str, ...] = ()
    id: int | None = None
    active: bool | None = True
    """None when a list says nothing about it."""
    admin_minutes: int | None = None
    folders: tuple[Folder, ...] = ()
    user_agent: str | None = None
    ignore_validators: bool | None = False
    access: FeedAccess = field(default_factory=FeedAccess)
    created_at: datetime | None = None
    modified_at: datetime | None = None


@dataclass(slots=True)
class NewSource:
    """A source to be added; `site` is its homepage or its domain."""

    site: str
    name: str | None = None
    collections: tuple[str, ...] = ()


ADDED, KNOWN, CHANGED, REMOVED, REFUSED = "added", "known", "changed", "removed", "refused"


@dataclass(slots=True, frozen=True)
class UnreadRow:
    """A row of a directory that is no feed: the id that it has, if that can be read, and what is wrong."""

    id: int | None
    problem: str


@dataclass(slots=True, frozen=True)
class RowOutcome:
    """What became of one row of a list."""

    what: str
    """ADDED, KNOWN, CHANGED, REMOVED or REFUSED."""
    id: int | None
    url: str
    detail: str = ""
    """What changed, or why it was refused."""


@dataclass(slots=True)
class AddReport:
    """What became of each row of a list of feeds or sources."""

    rows: list[RowOutcome] = field(default_factory=list)

    def ids(self, what: str) -> list[int]:
        """The ids of the rows of which this became."""
        return [row.id for row in self.rows if row.what == what and row.id is not None]

    @property
    def added(self) -> list[int]:
        """The ids of those that are new."""
        return self.ids(ADDED)

    @property
    def known(self) -> list[int]:
        """The ids of those that were there already, and stayed as they were."""
        return self.ids(KNOWN)

    @property
    def changed(self) -> list[int]:
        """The ids of those that were there already, and are different now."""
        return self.ids(CHANGED)

    @property
    def removed(self) -> list[int]:
        """The ids of those that are no longer there."""
        return self.ids(REMOVED)

    @property
    def refused(self) -> list[tuple[str, str]]:
        """Address and reason of those that were refused."""
        return [(row.url, row.detail) for row in self.rows if row.what == REFUSED]


@dataclass(slots=True, frozen=True)
class Source:
    """A publication."""

    id: int
    name: str
    domain: str
    homepage: str | None
    created_at: datetime
    collections: int = 0
    """How many collections it belongs to."""


@dataclass(slots=True, frozen=True)
class Collection:
    """A named set of sources."""

    id: int
    name: str
    created_at: datetime
    sources: int = 0
    """How many sources belong to it."""


@dataclass(slots=True, frozen=True)
class Listing:
    """A page of rows, and how many there are in all."""

    rows: Sequence[Any]
    count: int
