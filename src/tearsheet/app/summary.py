"""What a data folder holds, and what was left out and why."""

from __future__ import annotations

from dataclasses import dataclass, field

from tearsheet.app.queues import read_depths
from tearsheet.app.services import Services
from tearsheet.clock import wall_clock
from tearsheet.feeds.catalogue import FailingFeed, Polls, count_feeds
from tearsheet.feeds.polling import count_entries
from tearsheet.query import EVERYTHING
from tearsheet.work import DROPPED, QUARANTINED, LaterTries, later_tries, quarantines


@dataclass(slots=True, frozen=True)
class ThisRun:
    """What one run has done to a data folder."""

    polls: Polls
    indexed: int
    archived: int
    failing: list[FailingFeed]
    """Feeds that were not polled in this run, and whose last poll before it failed."""


@dataclass(slots=True)
class Summary:
    """What a data folder holds, and what was left out and why."""

    feeds: int = 0
    entries: int = 0
    indexed: int = 0
    archived: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    """By `stage/reason`."""
    quarantined: dict[str, int] = field(default_factory=dict)
    in_quarantine: dict[str, int] = field(default_factory=dict)
    """How many of them are still there, by stage."""
    queued: int = 0
    later: LaterTries = field(default_factory=LaterTries)
    """Those of them that wait for another try."""
    archive_files: int = 0
    archive_bytes: int = 0
    this_run: ThisRun | None = None
    """What the run did that this summary ends; everything else is of the folder as a whole."""
    short_of_disk: str = ""
    """Why a run left stories unqueued: the disk is nearly full. They are taken when there is room."""
    failed_feeds: list[FailingFeed] = field(default_factory=list)
    """The feeds whose last poll in a run failed, why, and what to do."""
    uncopied: str = ""
    """How many copies of archive files a run that has ended could not make, and why."""


def summarise(services: Services) -> Summary:
    """Count what the data folder holds."""
    services.index.refresh()  # stories added in the last few seconds count too
    totals = services.archive.totals()
    counts = services.ledger.counts()
    depths = read_depths(services)
    return Summary(
        feeds=count_feeds(services.database),
        entries=count_entries(services.database),
        indexed=services.index.count(EVERYTHING),
        archived=totals.stories,
        dropped={f"{c.stage}/{c.reason}": c.stories for c in counts if c.status == DROPPED},
        quarantined={f"{c.stage}/{c.reason}": c.stories for c in counts if c.status == QUARANTINED},
        in_quarantine=quarantines(depths),
        queued=sum(depth.total for name, depth in depths.items() if not name.endswith("-quar")),
        later=later_tries(depths, wall_clock()),
        archive_files=totals.files,
        archive_bytes=totals.size,
    )
