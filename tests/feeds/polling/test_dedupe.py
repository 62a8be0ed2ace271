"""Which entries of a feed may become stories, and under which reason the others are counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tearsheet.feeds.formats.model import NEWS_SITEMAP, SITEMAP, Entry, ParsedFeed
from tearsheet.feeds.polling import dedupe
from tearsheet.feeds.polling.dedupe import candidates, entries_hash

NOW = datetime(2026, 3, 1, tzinfo=UTC)
STORY = "http://paper.example/2026/03/01/a-long-story"


def urls_and_reasons(*entries: Entry, version: str = "rss20", limit: int = 100) -> tuple[list[str], dict[str, int]]:
    found, skipped = candidates(ParsedFeed(version, entries=list(entries)), NOW, limit)
    return [candidate.url for candidate in found], dict(skipped)


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        (None, dedupe.NO_URL),
        ("/2026/03/01/story", dedupe.RELATIVE),
        ("ftp://paper.example/story", dedupe.RELATIVE),
        (f"http://paper.example/{'x' * 3000}", dedupe.TOO_LONG),
        ("http://[broken/story", dedupe.BAD),
        ("http://paper.example/", dedupe.HOME),
        ("http://www.youtube.com/watch?v=abcdefghijk", dedupe.NO_NEWS),
    ],
)
def test_an_entry_that_cannot_be_a_story_is_counted_under_its_reason(link, reason):
    assert urls_and_reasons(Entry(link)) == ([], {reason: 1})


def test_two_addresses_of_one_page_are_one_story_and_the_first_one_stays():
    same = [Entry(STORY), Entry(f"{STORY}?utm_source=feed"), Entry(STORY.replace("http:", "https:"))]
    assert urls_and_reasons(*same) == ([STORY], {dedupe.DUPLICATE_URL: 2})


def test_entries_beyond_the_limit_are_counted_as_tossed():
    entries = [Entry(f"{STORY}-{number}") for number in range(5)]
    urls, skipped = urls_and_reasons(*entries, limit=2)
    assert len(urls) == 2
    assert skipped == {dedupe.TOSSED: 3}


def test_of_a_plain_sitemap_only_pages_that_changed_lately_count():
    fresh = Entry(STORY, updated=NOW - timedelta(days=1))
    stale = Entry(f"{STORY}-old", updated=NOW - timedelta(days=30))
    undated = Entry(f"{STORY}-undated")
    assert urls_and_reasons(fresh, stale, undated, version=SITEMAP) == ([STORY], {dedupe.STALE: 2})
    assert len(urls_and_reasons(fresh, stale, undated, version=NEWS_SITEMAP)[0]) == 3


def test_what_is_old_takes_no_place_from_what_is_new():
    """A whole site in a sitemap, with today's pages at its end; and a feed that has its oldest stories first."""
    old = [Entry(f"{STORY}-old-{number}", updated=NOW - timedelta(days=30)) for number in range(50)]
    new = [Entry(f"{STORY}-new-{number}", updated=NOW - timedelta(hours=number)) for number in range(3)]
    urls, skipped = urls_and_reasons(*old, *new, version=SITEMAP, limit=10)
    assert (urls, skipped) == ([entry.link for entry in new], {dedupe.STALE: 50})
    dated = [Entry(f"{STORY}-{number}", published=NOW - timedelta(days=99 - number)) for number in range(20)]
    urls, skipped = urls_and_reasons(*dated, Entry(f"{STORY}-undated"), limit=5)
    assert (urls, skipped) == ([entry.link for entry in dated[-5:]], {dedupe.TOSSED: 16})


def test_titles_are_compared_without_case_and_extra_blanks():
    found, _ = candidates(
        ParsedFeed("rss20", entries=[Entry(STORY, "Flood, 3 dead"), Entry(f"{STORY}-2", " FLOOD,  3 dead ")]), NOW, 10
    )
    assert found[0].normalized_title_hash == found[1].normalized_title_hash


def test_a_fingerprint_changes_with_what_is_listed_and_with_nothing_else():
    entries = [Entry(STORY, "a", guid="1")]
    assert entries_hash(entries) == entries_hash([Entry(STORY, "a", guid="1", published=NOW)])
    assert entries_hash(entries) != entries_hash([Entry(STORY, "b", guid="1")])
