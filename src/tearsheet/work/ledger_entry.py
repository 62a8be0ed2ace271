"""What the ledger keeps about one story at one stage."""

from __future__ import annotations

from dataclasses import dataclass

from tearsheet.story import Story
from tearsheet.urls import BadURL, canonical_domain

DONE = "done"
DROPPED = "dropped"
QUARANTINED = "quarantined"
RETRYING = "retrying"
RECOVERED = "recovered"


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


def entry_for(story: Story, stage: str, status: str, reason: str = "", detail: str = "") -> LedgerEntry:
    """The ledger entry for a story."""
    url = story.url or ""
    return LedgerEntry(
        story.id,
        stage,
        status,
        reason[:80],
        detail[:500],
        story.rss_entry.source_source_id,
        story.rss_entry.source_feed_id,
        domain_of(story),
        url[:2048],
    )


def domain_of(story: Story) -> str:
    """The canonical domain, or an empty string when it is not known."""
    known = story.content_metadata.canonical_domain or story.rss_entry.domain
    if known:
        return known
    try:
        return canonical_domain(story.url or "")[:255]
    except BadURL:
        return ""
