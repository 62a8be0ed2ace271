"""The shapes of what the API answers, by the names that clients of Media Cloud's search and directory know."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """Something that the API answers, and nothing beside it."""

    model_config = ConfigDict(extra="forbid")


# ---------------------------------------------------------------------------------------------------------- search


class Count(Shape):
    """Stories that match, and all stories of the same days and sources."""

    relevant: int
    total: int


class TotalCount(Shape):
    """One total."""

    count: Count


class DayCount(Shape):
    """Stories of one day of publication."""

    date: str
    count: int
    total_count: int
    ratio: float


class DayCounts(Shape):
    """All days from the first to the last, and their sum."""

    counts: list[DayCount]
    total: int


class CountOverTime(Shape):
    """Attention over time."""

    count_over_time: DayCounts


class SourceWeek(Shape):
    """Stories of one source in one week, which is named by its Monday."""

    media_name: str
    matching_stories: int
    total_stories: int
    ratio: float
    week: str


class SourceWeeks(Shape):
    """Attention of each source by week."""

    attention: list[SourceWeek] = Field(alias="source-week-attention")


class SourceInterval(Shape):
    """Stories of one source in one day, week or month, which is named by its first day."""

    media_name: str
    interval: str
    bucket: str
    matching_stories: int
    total_stories: int
    ratio: float


class SourceIntervals(Shape):
    """Attention of each source over time."""

    attention: list[SourceInterval] = Field(alias="source-interval-attention")


class Story(Shape):
    """A story of the index."""

    id: str
    mediacloud_id: str
    media_name: str
    media_url: str
    title: str
    publish_date: str | None
    url: str
    language: str
    indexed_date: str
    text: str | None = Field(None, description="The full text, where it is asked for.")


class StoryList(Shape):
    """Some stories, and the token of the next ones; null if there are no more."""

    stories: list[Story]
    pagination_token: str | None


class Sample(Shape):
    """Stories at random."""

    sample: list[Story]


class OneStory(Shape):
    """One story."""

    story: Story


class TopSource(Shape):
    """A source and its matching stories."""

    source: str
    count: int


class TopSources(Shape):
    """The sources with the most matching stories."""

    sources: list[TopSource]


class TopLanguage(Shape):
    """A language, its matching stories, and their share of all that match."""

    language: str
    value: int
    ratio: float


class TopLanguages(Shape):
    """The languages of the matching stories."""

    languages: list[TopLanguage]


class Word(Shape):
    """A word of the matching stories: how often it occurs, in how many of the stories that were read."""

    term: str
    count: int
    ratio: float
    term_count: int
    term_ratio: float
    doc_count: int
    doc_ratio: float
    sample_size: int


class Words(Shape):
    """The most frequent words."""

    words: list[Word]


# --------------------------------------------------------------------------------------------------------- account


class Parameters(Shape):
    """What a client should know before it asks."""

    query_rate: str | None = Field(None, alias="query-rate", description="Missing where there is no limit.")
    platforms: list[str]
    max_page_size: int = Field(alias="max-page-size")


class ApiParameters(Shape):
    """What a client should know before it asks."""

    params: Parameters


class Profile(Shape):
    """Whose token it is, and what it may do."""

    username: str
    rights: str
    is_staff: bool
    local: bool
    roles: list[str]
    collections: list[str] | None = Field(description="The only collections that it sees; null means everything.")


class Version(Shape):
    """The version of this server, and its clock."""

    GIT_REV: str
    version: str
    now: float
    duration: int
    status: str
    results: str


# ------------------------------------------------------------------------------------------------------- directory


class Paged(Shape):
    """How many rows there are in all, and the addresses of the pages around this one."""

    count: int
    next: str | None
    previous: str | None


class CollectionRow(Shape):
    """A named set of sources."""

    id: int
    name: str
    platform: str
    public: bool
    created_at: datetime
    source_count: int


class CollectionPage(Paged):
    """A page of collections."""

    results: list[CollectionRow]


class SourceRow(Shape):
    """A source: its name is its domain, its label what people call it."""

    id: int
    name: str
    label: str
    homepage: str | None
    platform: str
    created_at: datetime
    collection_count: int


class SourcePage(Paged):
    """A page of sources."""

    results: list[SourceRow]


class FeedRow(Shape):
    """A feed."""

    id: int
    source_id: int | None
    source: int | None
    url: str
    name: str | None
    admin_rss_enabled: bool
    created_at: datetime
    modified_at: datetime


class FeedPage(Paged):
    """A page of feeds."""

    results: list[FeedRow]


class FeedDetail(Shape):
    """A feed with its polling state."""

    id: int
    sources_id: int | None
    name: str | None
    url: str
    active: bool
    system_enabled: bool
    system_status: str | None
    last_fetch_attempt: datetime | None
    last_fetch_success: datetime | None
    last_fetch_failures: float
    next_fetch_attempt: datetime | None
    next_fetch_reason: str | None
    last_new_stories: datetime | None
    poll_minutes: int | None
    update_minutes: int | None
    rss_title: str | None
    created_at: datetime


class FeedDetails(Shape):
    """Feeds with their polling state."""

    feeds: list[FeedDetail]
