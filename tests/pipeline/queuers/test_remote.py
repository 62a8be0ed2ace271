from __future__ import annotations

from typing import Any

from tearsheet.pipeline.queuers.remote import server_name, stories_of, story_of
from tearsheet.story import ContentMetadata, HTTPMetadata, RSSEntry

ROW: dict[str, Any] = {
    "id": 4711, "feed_id": 3, "sources_id": 4, "url": "http://a.example/1", "normalized_url": "http://a.example/1", "guid": "g",
    "published_at": "2023-05-06T10:00:00", "fetched_at": "2023-05-06T11:12:13.5", "domain": "a.example", "title": "A story",
    "normalized_title": "a story", "normalized_title_hash": "x", "feed_url": "http://a.example/feed",
}  # fmt: skip


def test_each_field_is_filled_as_the_appendix_says():
    story = story_of(ROW, "rss.example")
    assert story.rss_entry == RSSEntry(
        link="http://a.example/1",
        title="A story",
        domain="a.example",
        pub_date="Sat, 06 May 2023 10:00:00 +0000",
        fetch_date="2023-05-06",
        source_url="http://a.example/feed",
        source_feed_id=3,
        source_source_id=4,
        via="4711@rss.example",
    )
    assert (story.http_metadata, story.content_metadata) == (HTTPMetadata(), ContentMetadata())
    assert story.id == story_of(ROW, "rss.example").id != story_of(ROW, "other.example").id


def test_rows_that_are_no_stories_are_told_by_their_ids():
    rows = [ROW, ROW | {"id": 4712, "url": None}, ROW | {"id": 4713, "url": "gopher://x"}, {"id": 4714}]
    stories, problems = stories_of(rows, "s")
    assert len(stories) == 1
    assert [(problem.line, problem.reason) for problem in problems] == [
        (4712, "no-url"), (4713, "bad-url"), (4714, "no-url"),
    ]  # fmt: skip


def test_fields_that_are_missing_or_odd_are_left_out():
    story = story_of({"id": 1, "url": "http://a.example/1", "published_at": "soon", "feed_id": "3", "title": 5}, "s")
    assert story.rss_entry == RSSEntry(link="http://a.example/1", via="1@s")


def test_the_server_is_named_without_its_password():
    assert server_name("https://user:secret@rss.example:8000/x") == "rss.example"
