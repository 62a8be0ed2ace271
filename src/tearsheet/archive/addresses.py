"""Which addresses a story is known by: what was queued, where that led, and what the page says of itself."""

from __future__ import annotations

from tearsheet.story import NEED_CANONICAL_URL, Story
from tearsheet.urls import BadURL, url_hash


def index_id_of(url: str) -> str:
    """The id that an address has in the index; empty for an address that cannot be indexed."""
    try:
        return url_hash(url)
    except BadURL:
        return ""


def story_addresses(story: Story) -> list[str]:
    """Every address by which a story is known."""
    content = story.content_metadata
    found = (story.rss_entry.link, story.http_metadata.final_url, content.url, content.original_url)
    return [url for url in dict.fromkeys(found) if url and url != NEED_CANONICAL_URL]


def story_keys(story: Story) -> set[str]:
    """The keys of all addresses of a story."""
    return {key for url in story_addresses(story) if (key := index_id_of(url))}
