from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from tearsheet.pipeline.queuers.csv_urls import read
from tearsheet.pipeline.queuers.rows import MAX_LINE, Problem, Row, Unreadable
from tearsheet.story import ContentMetadata, HTTPMetadata, RSSEntry

FILE = "s3://lists/2022/urls-2022-03-04.csv.gz"


def rows_of(text: str | bytes, file: str = FILE) -> list[Row | Problem]:
    rows: list[Row | Problem] = []
    try:
        rows.extend(read(file, io.BytesIO(text.encode() if isinstance(text, str) else text)))
    except Unreadable as unreadable:
        rows.append(unreadable.problem)
    return rows


def stories(text: str | bytes) -> list[str | None]:
    return [row.story.rss_entry.link for row in rows_of(text) if isinstance(row, Row)]


def problems(text: str | bytes) -> list[tuple[int, str]]:
    return [(row.line, row.reason) for row in rows_of(text) if isinstance(row, Problem)]


def test_each_field_is_filled_as_the_appendix_says():
    (row,) = rows_of("url\nhttp://a.example/1\n")
    assert isinstance(row, Row)
    assert row.story.rss_entry == RSSEntry(link="http://a.example/1", fetch_date="2022-03-04", via=FILE)
    assert row.story.http_metadata == HTTPMetadata(final_url="http://a.example/1")
    assert row.story.content_metadata == ContentMetadata()


def test_addresses_are_in_the_named_column_or_in_the_first():
    assert stories("http://a.example/1,x\nhttp://a.example/2,y\n") == ["http://a.example/1", "http://a.example/2"]
    assert stories('\ufeffid,"URL",title\n1,http://a.example/1,"a, b"\n') == ["http://a.example/1"]


def test_of_several_columns_of_addresses_the_first_that_is_filled_counts():
    text = "link,t,url\nhttp://a.example/1,x,\nhttp://a.example/2,y,http://a.example/3\n,z, \nhttp://a.example/4\n"
    assert stories(text) == ["http://a.example/1", "http://a.example/3", "http://a.example/4"]
    assert problems(text) == [(4, "bad-url")]


def test_the_separator_line_of_a_spreadsheet_is_no_address():
    assert stories("sep=;\nurl;t\nhttp://a.example/1;x\n") == ["http://a.example/1"]
    assert problems("sep=;\n") == [(1, "empty")]


def test_bad_rows_are_counted_with_their_line_and_the_rest_goes_on():
    text = 'id,url\n1,http://a.example/1\n2,ftp://a.example/2\n3\n4,"http://a.example/4\n5,http://a.example/5\n6,http://a.example/1\n'
    assert stories(text) == ["http://a.example/1", "http://a.example/5"]
    assert problems(text) == [(3, "bad-url"), (4, "bad-row"), (5, "bad-row"), (7, "dups")]


def test_a_row_that_is_too_long_or_no_text_spoils_only_itself():
    text = b"http://a.example/1\n" + b"x" * (3 * MAX_LINE) + b"\nhttp://a.example/\xff\nhttp://a.example/2\n"
    assert stories(text) == ["http://a.example/1", "http://a.example/2"]
    assert problems(text) == [(2, "bad-row"), (3, "bad-row")]


def test_the_same_file_gives_the_same_ids_wherever_it_lies():
    def ids(file: str) -> list[str]:
        return [
            row.story.id for row in rows_of("http://a.example/1\nhttp://a.example/2\n", file) if isinstance(row, Row)
        ]

    assert ids(FILE) == ids("/tmp/urls-2022-03-04.csv")
    assert len(set(ids(FILE)) | set(ids("other.csv"))) == 4


@given(st.binary(max_size=400))
def test_no_bytes_raise(data: bytes):
    for row in rows_of(data):
        assert row.line >= 1
