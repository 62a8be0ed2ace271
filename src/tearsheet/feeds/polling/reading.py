"""What a poll reads, in a separate process: a feed as far as its poll needs it, and never more entries than a poll takes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from tearsheet.feeds.formats import TOO_LARGE, FeedError, ParsedFeed, parse_feed
from tearsheet.feeds.polling.dedupe import Candidate, candidates, entries_hash, newest, recent_entries
from tearsheet.feeds.polling.sitemaps import Child, children_of
from tearsheet.work import Quarantine, ReadingJob


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
    sitemaps: list[Child] = field(default_factory=list)
    """Of an index of sitemaps, those that it names, the newest first."""


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
        return ReadFeed(replace(parsed, entries=[]), sitemaps=children_of(parsed.entries))
    return sift(Merged(parsed, received.now, received.limit, received.known))


def read_part(received: ReceivedFeed) -> ParsedFeed:
    """Read one sitemap of several, with those of its entries that may be news. Raises Quarantine with the reason of a FeedError."""
    parsed = _parsed(received)
    recent = [] if parsed.is_index else recent_entries(parsed, received.now)
    kept = list(newest(recent, received.limit))
    return replace(parsed, entries=kept, tossed=parsed.tossed + len(parsed.entries) - len(kept))


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


_SECONDS, _ANSWER = 20.0, 16_000_000
READ_FEED = ReadingJob(read_feed, _SECONDS, _ANSWER)
READ_PART = ReadingJob(read_part, _SECONDS, _ANSWER)
SIFT = ReadingJob(sift, _SECONDS, _ANSWER)
