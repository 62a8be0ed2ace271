"""What a topic is, and the states that its stories and links go through."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from tearsheet.counts import how_many
from tearsheet.index import Question
from tearsheet.topics.foci import Focus

# topic_stories.state
KNOWN = "known"
"""Found by an earlier definition of the topic, and not found again yet: not a part of it, but its links may be known."""
WAITING = "waiting"
"""Found, and waiting until all pages of its iteration have arrived."""
ADDING = "adding"
"""To be judged, and added if it is relevant."""
IN = "in"
OUT = "out"
MERGED = "merged"
OVER_BUDGET = "over-budget"
"""Found when the topic had as many stories as it may have, and so never judged."""
OVER_CAP = "over-cap"
"""Found only by links of its own source, which had brought as many stories in this way as it may."""

# topic_stories.iteration and topic_fetch_urls.iteration
NOT_REACHED = -1
"""Of what an earlier definition of the topic led to, until this one does."""

# topic_fetch_urls.state
PENDING = "pending"
STORY_MATCH = "story match"
STORY_ADDED = "story added"
NO_MATCH = "content match failed"
REQUEST_FAILED = "request failed"
IGNORED = "ignored"
ERROR = "error"

NOT_HAD = (REQUEST_FAILED, IGNORED, ERROR)
"""Addresses whose pages could not be had: the page, or a rule, may have changed since."""

# topic_seed_urls.source, where others need to know it
INDEX = "index"
POST = "post"

# topic_jobs.job, of those that others need not wait for
FETCH_LINK = "topic_fetch_link"
MINE_STORY = "topic_mine_story"

# topics.state
CREATED = "created"
RUNNING = "running"
DEDUPED = "deduped"
SNAPSHOT = "snapshot"
COMPLETED = "completed"
FAILED = "failed"
STOPPED = "stopped"
AT_WORK = (RUNNING, DEDUPED, SNAPSHOT)

MAX_ITERATIONS = 15
MAX_STORIES = 100_000
LEAST_SHARED = 2
"""How many pages two sources must both link to, to be joined, if nobody says otherwise: one alone is often chance."""
UNDATEABLE = "undateable"
"""The date method of a story whose day is not known; exports show it instead of the day."""


@dataclass(slots=True, frozen=True)
class NewTopic:
    """A topic as a user defines it."""

    name: str
    query: str
    start: date | None = None
    end: date | None = None
    domains: tuple[str, ...] = ()
    """Sources that the seeds come from; all sources if there are none. Links may lead anywhere."""
    collections: tuple[str, ...] = ()
    """Collections, by name or id, that the seeds' sources belong to. Their members are read when the topic is seeded."""
    max_iterations: int = MAX_ITERATIONS
    max_stories: int = MAX_STORIES
    seconds_per_media_fetch: float | None = None
    foci: dict[str, Focus] = field(default_factory=dict)
    """By name: parts of the topic that snapshots count separately."""
    timespans: tuple[tuple[date, date], ...] = ()
    """Custom timespans, both days included."""
    platforms: bool = True
    """Whether links to platforms and other sites without news are followed: their videos and posts may become stories."""


@dataclass(slots=True, frozen=True)
class Topic:
    """A topic as it is stored."""

    id: int
    name: str
    query: str
    start: date | None
    end: date | None
    domains: tuple[str, ...]
    collections: tuple[str, ...]
    max_iterations: int
    max_stories: int
    seconds_per_media_fetch: float
    foci: dict[str, Focus]
    timespans: tuple[tuple[date, date], ...]
    platforms: bool
    state: str
    message: str
    run: str
    seeded: bool
    corrected: bool
    """Whether it was corrected since it was last spidered: its next run works out the whole result anew."""


@dataclass(slots=True, frozen=True)
class Seed:
    """Where a topic starts: an address, or a story in the index."""

    url: str
    stories_id: str | None = None
    source: str = "url"
    """`index`, `url`, `csv` or `post`."""
    assume_match: bool = False
    """Whether the story belongs to the topic whatever its text says."""


@dataclass(slots=True, frozen=True)
class Progress:
    """How far a topic has got: what is still to be done, and what was found."""

    to_fetch: int = 0
    waiting: int = 0
    adding: int = 0
    to_mine: int = 0
    stories: int = 0
    not_relevant: int = 0
    over_budget: int = 0
    over_cap: int = 0
    left_out: int = 0
    """Addresses that are not followed: platforms, if the topic does without them, and others that never lead to a story."""
    links: int = 0
    links_unfetched: int = 0
    failed_requests: int = 0
    errors: int = 0
    iteration: int = 0
    first_waited_for: str = ""
    put_off: int = 0
    """Addresses that are tried again later, and that nothing waits for."""
    next_try: float | None = None
    """When the first of them is due."""

    @property
    def done(self) -> bool:
        """Whether nothing is left to spider."""
        return not (self.to_fetch or self.waiting or self.adding or self.to_mine or self.links_unfetched)

    def describe_waiting(self) -> str:
        """What the topic is waiting for, for people to read."""
        parts = [
            f"{count:,} {what}"
            for count, what in (
                (self.to_fetch, "links to be fetched"),
                (self.adding + self.waiting, "stories to be added"),
                (self.to_mine, "stories to be mined"),
                (self.links_unfetched, "links without a result"),
            )
            if count
        ]
        first = f" (the first: {self.first_waited_for})" if self.first_waited_for else ""
        return ", ".join(parts) + first

    def describe_put_off(self, now: float) -> str:
        """What is tried again later, for people to read; empty if nothing is. Of a moment today only the time is told."""
        if self.next_try is None:
            return ""
        first, today = datetime.fromtimestamp(self.next_try, UTC), datetime.fromtimestamp(now, UTC).date()
        told = first.strftime("%H:%M UTC" if first.date() == today else "%Y-%m-%d %H:%M UTC")
        return f"{how_many(self.put_off, 'address', 'waits')} for another try, the first at {told}"


def seed_question(topic: NewTopic | Topic) -> Question:
    """The question whose answers are a topic's seeds. Raises QueryError or UsageError for one that makes no sense."""
    return Question(
        topic.query,
        topic.start,
        topic.end,
        sources=topic.domains,
        collections=topic.collections,
        order="indexed-oldest",
    )


def file_part(name: str) -> str:
    """A name as a part of file names."""
    return "".join(c if c.isalnum() else "-" for c in name)


def simplest(urls: Iterable[str]) -> str:
    """The address that stands for a page: the shortest, then the first alphabetically, whatever order they arrived in."""
    return min(urls, key=lambda url: (len(url), url))
