"""The front page's figures: what was collected, what was left out and why, what is waiting, and which workers are running."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tearsheet.clock import utc_now
from tearsheet.engines.broker import Depth
from tearsheet.feeds.catalogue import FailingFeed, failing_feeds
from tearsheet.query import EVERYTHING
from tearsheet.web.reasons import describe_reason
from tearsheet.web.site import Site
from tearsheet.web.stories import StoryLine, story_line
from tearsheet.work import DROPPED, QUARANTINED, Count, WorkerInfo, living_workers

TOP_SOURCES = 12
TOP_LANGUAGES = 8
LATEST = 13
SHOWN_FAILING = 5


@dataclass(slots=True, frozen=True)
class Reason:
    """Stories that one stage left out for one reason."""

    stage: str
    status: str
    reason: str
    words: str
    stories: int


@dataclass(slots=True, frozen=True)
class Queue:
    """How many messages are waiting in one queue."""

    name: str
    ready: int
    leased: int
    delayed: int


@dataclass(slots=True)
class Overview:
    """Everything that the front page shows."""

    at: datetime
    stories: int = 0
    archived: int = 0
    archive_files: int = 0
    archive_bytes: int = 0
    dropped: int = 0
    quarantined: int = 0
    waiting: int = 0
    days: list[tuple[str, int]] = field(default_factory=list)
    """Stories by day of publication."""
    sources: list[tuple[str, int]] = field(default_factory=list)
    languages: list[tuple[str, int]] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)
    queues: list[Queue] = field(default_factory=list)
    workers: list[WorkerInfo] = field(default_factory=list)
    latest: list[StoryLine] = field(default_factory=list)
    failing: list[FailingFeed] = field(default_factory=list)
    """Feeds whose last poll failed, the first few, why, and what to do."""
    failing_feeds: int = 0


def overview(site: Site, depths: Mapping[str, Depth]) -> Overview:
    """Collect the figures."""
    services = site.services
    top = max(TOP_SOURCES, TOP_LANGUAGES)
    found = services.index.survey(EVERYTHING, limit=LATEST, order="indexed-newest", top=top)
    totals = services.archive.totals()
    counts = services.ledger.counts()
    failing = failing_feeds(services.database)
    return Overview(
        at=utc_now(site.clock),
        stories=found.count,
        archived=totals.stories,
        archive_files=totals.files,
        archive_bytes=totals.size,
        dropped=_stories(counts, DROPPED),
        quarantined=_stories(counts, QUARANTINED),
        waiting=sum(depth.total for name, depth in depths.items() if not name.endswith("-quar")),
        days=found.days,
        sources=found.sources[:TOP_SOURCES],
        languages=found.languages[:TOP_LANGUAGES],
        reasons=left_out(counts),
        queues=[Queue(name, depth.ready, depth.leased, depth.delayed) for name, depth in sorted(depths.items())],
        workers=living_workers(services.database, site.clock),
        latest=[story_line(story) for story in found.page.stories],
        failing=failing[:SHOWN_FAILING],
        failing_feeds=len(failing),
    )


def left_out(counts: Sequence[Count]) -> list[Reason]:
    """The reasons why stories were dropped or quarantined, the most frequent first."""
    return [
        Reason(count.stage, count.status, count.reason, describe_reason(count.reason), count.stories)
        for count in counts
        if count.status in (DROPPED, QUARANTINED)
    ]


def _stories(counts: Sequence[Count], status: str) -> int:
    return sum(count.stories for count in counts if count.status == status)
