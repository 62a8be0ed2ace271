"""By which addresses a story is known."""

from __future__ import annotations

from tearsheet.archive.addresses import index_id_of, story_addresses, story_keys
from tearsheet.story import NEED_CANONICAL_URL, RSSEntry, Story
from tests.support.archive_stories import plain_story


def test_a_story_is_known_by_every_address_it_had():
    story = plain_story(7)
    story.content_metadata.original_url = "https://short.example/x"
    assert story_addresses(story) == ["https://t.example/7", "https://news.example/7", "https://short.example/x"]
    assert story_keys(story) == {index_id_of(url) for url in story_addresses(story)}


def test_the_address_of_all_blind_fetches_is_nobodys():
    assert story_addresses(Story(rss_entry=RSSEntry(link=NEED_CANONICAL_URL))) == []
    assert story_keys(Story(rss_entry=RSSEntry(link="no address"))) == set()
