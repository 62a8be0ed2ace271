"""What a poll reads, in a separate process: a feed as far as its poll needs it, and never more entries than a poll takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tearsheet.feeds.formats import TOO_LARGE, Entry, FeedError, ParsedFeed, parse_feed
from tearsheet.feeds.polling.dedupe import Candidate, candidates, entries_hash, newest
from tearsheet.work import Quarantine, ReadingJob

MAX_CHILD_SITEMAPS = 5


@dataclass(slots=True, frozen=True)
class ReceivedFeed:
    """A feed as it came from the web, and what is wanted of it."""

    body: bytes
    url: str
    charset: str | None
    """What HTTP stated."""
    now: datetime
    max_bytes: int
    """How long it may be when it is unpacked."""
    limit: int
    """How many stories are taken from it."""
    known: str | None = None
    """The fingerprint of entries whose stories are not wanted again."""


@dataclass(slots=True, frozen=True)
class ReadFeed:
    """What a poll needs of a feed."""

    feed: ParsedFeed
    """What it says about itself, without its entries."""
    entries_hash: str = ""
    candidates: list[Candidate] = field(default_factory=list)
    """Empty if the entries are the known ones."""
    skipped: dict[str, int] = field(default_factory=dict)
    sitemaps: list[str] = field(default_factory=list)
    """Of an index of sitemaps, those to be read in its place."""


@dataclass(slots=True, frozen=True)
class Merged:
    """Several sitemaps as one feed."""

    feed: ParsedFeed
    now: datetime
    limit: int
    known: str | None


def read_feed(received: ReceivedFeed) -> ReadFeed:
    """Read a feed. Raises Quarantine with the reason of a FeedError."""
    parsed = _parsed(received)
    if parsed.is_index:
        promising = promising_sitemaps(parsed.entries)[:MAX_CHILD_SITEMAPS]
        return ReadFeed(replace(parsed, entries=[]), sitemaps=promising)
    return sift(Merged(parsed, received.now, received.limit, received.known))


def read_part(received: ReceivedFeed) -> ParsedFeed:
    """Read one sitemap of several, with its newest entries. Raises Quarantine with the reason of a FeedError."""
    parsed = _parsed(received)
    kept = [] if parsed.is_index else newest(parsed.entries, received.limit)
    return replace(parsed, entries=list(kept), tossed=parsed.tossed + len(parsed.entries) - len(kept))


def sift(merged: Merged) -> ReadFeed:
    """Pick the stories out of a feed's entries."""
    feed = merged.feed
    fingerprint, alone = entries_hash(feed.entries), replace(feed, entries=[])
    if fingerprint == merged.known:
        return ReadFeed(alone, fingerprint)
    found, skipped = candidates(feed, merged.now, merged.limit)
    return ReadFeed(alone, fingerprint, found, dict(skipped))


def _parsed(received: ReceivedFeed) -> ParsedFeed:
    try:
        return parse_feed(
            received.body, received.url, charset=received.charset, now=received.now, max_bytes=received.max_bytes
        )
    except FeedError as error:
        detail = f"more than {received.max_bytes} bytes when unpacked" if error.reason == TOO_LARGE else error.note
        raise Quarantine(error.reason, detail) from error


def promising_sitemaps(entries: Sequence[Entry]) -> list[str]:
    """Sitemaps by how likely they are to list news: those that say so in their name, then the most recently changed."""

    def rank(entry: Entry) -> tuple[bool, float]:
        changed = entry.updated.timestamp() if entry.updated else 0.0
        return not names_news(entry.link or ""), -changed

    return [entry.link for entry in sorted(entries, key=rank) if entry.link]


def names_news(url: str) -> bool:
    """Whether the path of an address mentions news; the host often does, which means nothing."""
    return "news" in url.lower().partition("://")[2].partition("/")[2]


_SECONDS, _ANSWER = 20.0, 16_000_000
READ_FEED = ReadingJob(read_feed, _SECONDS, _ANSWER)
READ_PART = ReadingJob(read_part, _SECONDS, _ANSWER)
SIFT = ReadingJob(sift, _SECONDS, _ANSWER)
