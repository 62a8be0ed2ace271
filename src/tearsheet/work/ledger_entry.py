"""What the ledger keeps about one story at one stage."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tearsheet.engines.broker import Message
from tearsheet.foreign_text import writable
from tearsheet.story import Story, WireStory, decode_story, make_story_id
from tearsheet.urls import BadURL, canonical_domain

DONE = "done"
DROPPED = "dropped"
QUARANTINED = "quarantined"
RETRYING = "retrying"
RECOVERED = "recovered"

_LONGEST = {
    "story_id": 36,
    "stage": 40,
    "status": 12,
    "reason": 80,
    "detail": 500,
    "domain": 255,
    "url": 2048,
    "link": 2048,
}
"""The longest texts that are kept, by field."""
_LARGEST_ID = 2**63 - 1


@dataclass(slots=True, frozen=True)
class LedgerEntry:
    """What became of one story at one stage."""

    story_id: str
    stage: str
    status: str
    reason: str = ""
    detail: str = ""
    source_id: int | None = None
    feed_id: int | None = None
    domain: str = ""
    url: str = ""
    """The best address known."""
    link: str = ""
    """The address that was queued; empty where it is the same."""
    tries: int = 1
    """How often the stage has tried the story, this time included."""

    def as_row(self) -> dict[str, str | int | None]:
        """Its values as every engine can store them: pages and files of others decide what is in them."""
        row: dict[str, str | int | None] = {
            name: fitted(getattr(self, name), longest) for name, longest in _LONGEST.items()
        }
        row["source_id"], row["feed_id"] = _storable_id(self.source_id), _storable_id(self.feed_id)
        row["tries"] = self.tries
        return row


def fitted(text: str, longest: int) -> str:
    """Text without the characters that a database refuses, and not longer than its column."""
    return writable(text).replace("\0", "\N{REPLACEMENT CHARACTER}")[:longest]


def _storable_id(number: int | None) -> int | None:
    return number if number is None or -_LARGEST_ID <= number <= _LARGEST_ID else None


def entry_for(story: Story, stage: str) -> LedgerEntry:
    """The ledger entry for a story, before it is known what became of it."""
    url, link = story.url or "", story.rss_entry.link or ""
    return LedgerEntry(
        story.id or make_story_id("no id", url, link),
        stage,
        status="",
        source_id=story.rss_entry.source_source_id,
        feed_id=story.rss_entry.source_feed_id,
        domain=domain_of(story),
        url=url,
        link="" if link == url else link,
    )


def entry_for_message(message: Message, stage: str) -> LedgerEntry:
    """The ledger entry for the story of a message. One that is no story is known by its bytes."""
    try:
        return entry_for(decode_story(WireStory(message.body, message.page)), stage)
    except ValueError:
        return LedgerEntry(make_story_id("unreadable", hashlib.sha256(message.body).hexdigest()), stage, "")


def domain_of(story: Story) -> str:
    """The canonical domain, or an empty string when it is not known."""
    known = story.content_metadata.canonical_domain or story.rss_entry.domain
    if known:
        return known
    try:
        return canonical_domain(story.url or "")[:255]
    except BadURL:
        return ""
