from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.pipeline.queuers.hist import read
from tearsheet.pipeline.queuers.rows import Problem, Row, Unreadable
from tearsheet.story import NEED_CANONICAL_URL, ContentMetadata, HTTPMetadata, RSSEntry

FILE = "s3://mediacloud-database-files/2021/stories_2021-10-01.csv"
HEAD = "collect_date,stories_id,media_id,downloads_id,feeds_id,language,url\n"


def rows_of(text: str | bytes, file: str = FILE) -> list[Row | Problem]:
    return list(read(file, io.BytesIO(text.encode() if isinstance(text, str) else text)))


def test_each_field_is_filled_as_the_appendix_says():
    (row,) = rows_of(HEAD + "2021-10-01 12:30:15.250000,7,8,3211617700,9,pt-br,http://a.example/1\n")
    assert isinstance(row, Row)
    assert row.story.rss_entry == RSSEntry(
        link="3211617700", fetch_date="2021-10-01", source_feed_id=9, source_source_id=8, via=FILE
    )
    assert row.story.http_metadata == HTTPMetadata(final_url="http://a.example/1", fetch_timestamp=1633091415.25)
    assert row.story.content_metadata == ContentMetadata(language="pt", full_language="pt-br")
    assert row.story.raw_html.html is None


def test_a_file_of_ids_alone_is_fetched_blind():
    rows = rows_of("downloads_id\n12\n13\n12\n")
    found = [row.story for row in rows if isinstance(row, Row)]
    assert [story.rss_entry.link for story in found] == ["12", "13"]
    assert {story.http_metadata.final_url for story in found} == {NEED_CANONICAL_URL}
    assert {story.http_metadata.fetch_timestamp for story in found} == {None}
    assert [(row.line, row.reason) for row in rows if isinstance(row, Problem)] == [(4, "dups")]


def test_bad_rows_are_counted_with_their_line_and_the_rest_goes_on():
    rows = rows_of(
        HEAD
        + "2021-10-01,7,8,x12,9,en,http://a.example/1\n"
        + "2021-10-01,7,8,12,9,en,\n"
        + "yesterday,7,8,12,9,en,http://a.example/3\n"
        + "2021-10-01,7,8,12,9,http://a.example/4\n"
        + '2021-10-01,7,8,12,9,en,"http://a.example/5\n'
        + "2021-10-01,,,12,,,http://a.example/6\n"
        + "2021-10-01,,,13,,,http://a.example/6\n"
    )
    assert [(row.line, row.reason) for row in rows if isinstance(row, Problem)] == [
        (2, "bad-dlid"), (4, "bad-date"), (5, "bad-row"), (6, "bad-row"), (8, "dups"),
    ]  # fmt: skip
    blind, good = [row.story for row in rows if isinstance(row, Row)]
    assert blind.http_metadata.final_url == NEED_CANONICAL_URL, "an empty cell: the page must say its address"
    assert (good.rss_entry.source_feed_id, good.content_metadata.language) == (None, None)


def test_a_file_without_the_column_that_is_needed_is_refused():
    with pytest.raises(Unreadable, match="line 1: bad-columns: there is no column downloads_id"):
        rows_of("collect_date,url\n2021-10-01,http://a.example/1\n")


def test_one_download_of_two_epochs_is_two_stories():
    texts = [HEAD + f"{day},7,8,3211617700,9,en,http://a.example/1\n" for day in ("2021-10-01", "2022-01-01")]
    ids = {row.story.id for text in texts for row in rows_of(text) if isinstance(row, Row)}
    assert len(ids) == 2


@given(st.binary(max_size=300))
def test_no_bytes_raise(data: bytes):
    for row in rows_of(HEAD.encode() + data):
        assert row.line >= 1
