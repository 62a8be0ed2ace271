"""From a story of the pipeline to a story of the index."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tearsheet.index.documents import NotIndexable, indexed_date, indexed_story, publication_date
from tearsheet.story import ContentMetadata, HTTPMetadata, RSSEntry, Story
from tearsheet.urls import url_hash

NOW = datetime(2024, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
NS = 1_000_000_000


def make(**content) -> Story:
    fields = {"url": "https://www.example.com/a?utm_source=x", "text_content": "Text.", "article_title": "T"}
    return Story(id="s", content_metadata=ContentMetadata(**(fields | content)))


def test_the_whole_story():
    story = make(
        canonical_domain="Example.com", language="EN", parsed_date="2024-02-29T10:00:00.123456", publication_date="2024-02-28",
        publication_date_source="json-ld", authors=["A"], description="", original_url="https://t.example/x",
    )  # fmt: skip
    story.rss_entry = RSSEntry(source_source_id=3, source_feed_id=4)
    document = indexed_story(story, NOW)
    assert document.id == url_hash("http://example.com/a")
    assert (document.story_id, document.canonical_domain, document.language) == ("s", "example.com", "en")
    assert document.indexed_date == 1_709_200_800 * NS + 123_456_000
    assert (document.publication_date, document.source_id, document.feed_id) == ("2024-02-28", 3, 4)
    assert document.extra == {"publication_date_source": "json-ld", "authors": ["A"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-02-29", 1_709_164_800 * NS),
        ("2024-02-29 10:00:00.000001", 1_709_200_800 * NS + 1000),
        ("2024-02-29T10:00:00.000001", 1_709_200_800 * NS + 1000),
        ("2024-02-29T10:00:00.123456789", 1_709_200_800 * NS + 123_456_789),
        ("2024-02-29T10:00:00", 1_709_200_800 * NS),
        ("2024-02-29T10:00:00+00:00", 1_709_200_800 * NS),
        ("2024-02-29T10:00:00Z", 1_709_200_800 * NS),
        (None, 1_709_294_400 * NS + 123_456_000),
        ("", 1_709_294_400 * NS + 123_456_000),
        ("yesterday", 1_709_294_400 * NS + 123_456_000),
        ("2024-02-30", 1_709_294_400 * NS + 123_456_000),
        ("1969-12-31", 0),
    ],
)
def test_indexed_date(text, expected):
    assert indexed_date(text, NOW) == expected


@pytest.mark.parametrize(
    ("page", "feed", "expected"),
    [
        ("2024-02-01", "Fri, 05 Jan 2024 10:00:00 GMT", ("2024-02-01", "page")),
        (None, "Fri, 05 Jan 2024 10:00:00 GMT", ("2024-01-05", "feed")),
        (None, "Fri, 05 Jan 2024 22:00:00 -0500", ("2024-01-06", "feed")),
        (None, "2024-01-05T10:00:00Z", ("2024-01-05", "feed")),
        ("2024-05-30", None, ("2024-05-30", "page")),  # 90 days after the first of March
        ("2024-05-31", None, (None, None)),
        ("2024-05-31", "Fri, 05 Jan 2024 10:00:00 GMT", ("2024-01-05", "feed")),
        (None, "Fri, 31 May 2024 10:00:00 GMT", (None, None)),
        ("2024-02-30", None, (None, None)),
        ("soon", "later", (None, None)),
        ("2024-02-01T10:00:00", None, ("2024-02-01", "page")),
        (None, "Fri, 05 Jan 99999 10:00:00 GMT", (None, None)),
        (None, None, (None, None)),
    ],
)
def test_publication_date(page, feed, expected):
    story = Story(rss_entry=RSSEntry(pub_date=feed), content_metadata=ContentMetadata(publication_date=page))
    assert publication_date(story, int(NOW.timestamp()) * NS) == expected


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"url": None, "text_content": None}, "no-data"),
        ({"url": None}, "no-url"),
        ({"url": "ftp://example.com/"}, "no-url"),
        ({"url": "not an address"}, "no-url"),
        ({"text_content": None}, "no-text"),
        ({"url": "https://en.wikipedia.org/wiki/News"}, "non-news"),
        ({"text_content": " \n "}, "no-text"),
    ],
)
def test_what_an_index_needs(content, reason):
    with pytest.raises(NotIndexable) as caught:
        indexed_story(make(**content), NOW)
    assert caught.value.reason == reason


def test_an_address_that_only_the_fetcher_knows_will_do():
    story = make(url=None)
    story.http_metadata = HTTPMetadata(final_url="https://a.bbc.co.uk/x")
    document = indexed_story(story, NOW)
    assert (document.url, document.canonical_domain) == ("https://a.bbc.co.uk/x", "bbc.co.uk")
