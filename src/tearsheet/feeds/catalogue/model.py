"""Feeds, sources and collections as values: as they are added, and as they are listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


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
    active: bool = True
    admin_minutes: int | None = None


@dataclass(slots=True)
class NewSource:
    """A source to be added; `site` is its homepage or its domain."""

    site: str
    name: str | None = None
    collections: tuple[str, ...] = ()


@dataclass(slots=True)
class AddReport:
    """What became of the feeds to be added."""

    added: list[int] = field(default_factory=list)
    known: list[int] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Address and reason."""


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
