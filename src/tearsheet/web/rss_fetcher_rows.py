"""The shapes of what the API of Media Cloud's rss-fetcher answers: rows of tables, whose other columns may come and go."""

from __future__ import annotations

from datetime import datetime
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

T = TypeVar("T")


class Envelope(BaseModel, Generic[T]):
    """Every answer."""

    duration: int
    """How long the answer took, in milliseconds."""
    version: str
    status: Literal["OK"]
    results: T


class Row(BaseModel):
    """A row of a table."""

    model_config = ConfigDict(extra="allow")


class Feed(Row):
    """A feed, with what polling found out about it."""

    id: int
    sources_id: int | None
    name: str | None
    url: str
    active: bool
    system_enabled: bool
    system_status: str | None
    created_at: datetime
    last_fetch_attempt: datetime | None
    last_fetch_success: datetime | None
    last_fetch_failures: float
    next_fetch_attempt: datetime | None


class FetchEvent(Row):
    """One poll of a feed, or that it was queued or disabled."""

    id: int
    feed_id: int
    event: str
    note: str | None
    created_at: datetime


class FoundStory(Row):
    """A story as it was found in a feed."""

    id: int
    url: str
    feed_id: int | None
    sources_id: int | None
    published_at: datetime | None
    fetched_at: datetime
    domain: str | None
    title: str | None


class EntryOfFeed(FoundStory):
    """The same with what it is compared by, and the address of its feed."""

    normalized_url: str
    normalized_title: str | None
    normalized_title_hash: str | None
    guid: str | None
    feed_url: str | None


class TopCount(BaseModel):
    """Stories of one domain, feed or source, by whichever was asked for."""

    model_config = ConfigDict(extra="forbid")

    count: int
    domain: str | None = None
    feed_id: int | None = None
    sources_id: int | None = None


class Day(BaseModel):
    """Stories of one day, UTC."""

    day: str
    stories: int


class DayCount(BaseModel):
    """Stories of one day, UTC, in the form that charts use."""

    date: str
    count: int
    type: str


class SourceCount(BaseModel):
    """Stories of one source."""

    sources_id: int
    count: int


class BySource(BaseModel):
    """Stories of every source, over a number of days."""

    days: float
    sources: list[SourceCount]
