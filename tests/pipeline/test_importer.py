"""The importer on a real index."""

from __future__ import annotations

import pytest

from tearsheet.engines.index.opener import open_index
from tearsheet.pipeline.importer import Importer
from tearsheet.query import parse_query
from tearsheet.story import ContentMetadata, RSSEntry, Story
from tearsheet.work.outcomes import Drop, Quarantine

CLOCK = 1_709_294_400.0  # 2024-03-01T12:00


@pytest.fixture
def index(tmp_path):
    index = open_index("index", tmp_path)
    yield index
    index.close()


def make(id, path, **content):
    story = Story(
        id=id, content_metadata=ContentMetadata(url=f"https://example.com/{path}", text_content="words", **content)
    )
    story.rss_entry = RSSEntry(pub_date="Fri, 05 Jan 2024 10:00:00 GMT")
    return story


def test_new_stories_go_on_and_duplicates_end(index):
    importer = Importer(index, lambda: CLOCK)
    first, again, other, empty = make("1", "a"), make("2", "a?utm_source=b"), make("3", "b"), Story(id="4")
    results = importer.process_batch([first, again, empty, other])
    assert results[0] is first and results[3] is other
    assert isinstance(results[1], Drop) and results[1].reason == "dups"
    assert "https://example.com/a" in results[1].detail and "story 1" in results[1].detail
    assert isinstance(results[2], Quarantine) and results[2].reason == "no-data"
    index.refresh()
    assert index.count(parse_query("words")) == 2


def test_dates_are_filled_in_for_the_archive(index):
    importer = Importer(index, lambda: CLOCK)
    story, dated = make("1", "a"), make("2", "b", publication_date="2024-02-01", publication_date_source="meta")
    dated.content_metadata.parsed_date = "2024-02-02 10:00:00.000001"
    importer.process_batch([story, dated])
    content = story.content_metadata
    assert (content.publication_date, content.publication_date_source) == ("2024-01-05", "feed")
    assert content.parsed_date == "2024-03-01T12:00:00.000000"
    content = dated.content_metadata
    assert (content.publication_date, content.publication_date_source) == ("2024-02-01", "meta")
    assert content.parsed_date == "2024-02-02 10:00:00.000001"


def test_a_redelivered_story_goes_on_again(index):
    story = make("1", "a")
    Importer(index, lambda: CLOCK).process_batch([story])
    again = make("1", "a")
    assert Importer(index, lambda: CLOCK + 60).process_batch([again]) == [again]


def test_what_is_no_news_is_not_indexed_however_it_came(index):
    story = make("1", "a")
    story.content_metadata.url = "https://mobile.twitter.com/someone/status/1"
    (result,) = Importer(index, lambda: CLOCK).process_batch([story])
    assert isinstance(result, Drop) and result.reason == "non-news"
    index.refresh()
    assert index.count(parse_query("words")) == 0
