from __future__ import annotations

import gzip
import io
from datetime import UTC, date, datetime
from typing import BinaryIO, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.engines.database import open_database
from tearsheet.feeds.polling.daily_rss import daily_rss_name, write_daily_rss
from tearsheet.feeds.tables import stories
from tearsheet.pipeline.queuers.daily_rss import daily_files, read
from tearsheet.pipeline.queuers.rows import Problem, Row, Unreadable
from tearsheet.story import ContentMetadata, HTTPMetadata, RSSEntry

FILE = "https://files.example/mc-2023-05-06.rss.gz"
ITEM = (
    "<item><link>http://a.example/{n}</link><pubDate>Sat, 06 May 2023 10:00:00 +0000</pubDate><domain>a.example</domain>"
    '<title>Story &amp; {n}</title><source url="http://a.example/feed" mcFeedId="3" mcSourceId="4">a feed</source></item>\n'
)


def document(*items: str) -> str:
    build = "<lastBuildDate>Sun, 07 May 2023 00:15:00 +0000</lastBuildDate>"
    return f'<?xml version="1.0"?>\n<rss version="2.0"><channel><title>day</title>{build}\n{"".join(items)}</channel></rss>\n'


def rows_of(text: str | bytes, file: str = FILE) -> list[Row | Problem]:
    return list(read(file, io.BytesIO(text.encode() if isinstance(text, str) else text)))


def test_each_field_is_filled_as_the_appendix_says():
    (row,) = rows_of(document(ITEM.format(n=1)))
    assert isinstance(row, Row)
    assert row.story.rss_entry == RSSEntry(
        link="http://a.example/1",
        title="Story & 1",
        domain="a.example",
        pub_date="Sat, 06 May 2023 10:00:00 +0000",
        fetch_date="2023-05-06",
        source_url="http://a.example/feed",
        source_feed_id=3,
        source_source_id=4,
        via=FILE,
    )
    assert (row.story.http_metadata, row.story.content_metadata) == (HTTPMetadata(), ContentMetadata())


def test_the_day_comes_from_the_file_when_its_name_says_none():
    (row,) = rows_of(document(ITEM.format(n=1)), "day.rss")
    assert isinstance(row, Row) and row.story.rss_entry.fetch_date == "2023-05-07"


def test_items_without_an_address_and_repeated_ones_are_counted_with_their_line():
    rows = rows_of(document(ITEM.format(n=1), "<item><title>x</title></item>\n", ITEM.format(n=1), ITEM.format(n=2)))
    assert [(row.line, getattr(row, "reason", "ok")) for row in rows] == [
        (3, "ok"), (4, "bad-url"), (5, "dups"), (6, "ok"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "broken",
    [
        "<item><title>a & b < c</item>\n",
        "<item><title>a & b</item>\n",
        "<item>\n",
        "<item></title></item>\n",
        "<item><title>\x03 \x00</title></item>\n",
        '<item><source url="a"b"c"/></item>\n',
    ],
)
def test_a_broken_item_spoils_no_other(broken):
    rows = rows_of(document(ITEM.format(n=1), broken, ITEM.format(n=2), ITEM.format(n=3)))
    assert [(row.line, row.story.rss_entry.link) for row in rows if isinstance(row, Row)] == [
        (3, "http://a.example/1"), (5, "http://a.example/2"), (6, "http://a.example/3"),
    ]  # fmt: skip
    assert [row.line for row in rows if isinstance(row, Problem)] == [4]


def test_many_items_are_read_across_the_edges_of_blocks():
    rows = rows_of(document(*(ITEM.format(n=n) for n in range(2000))))
    assert [row.line for row in rows if isinstance(row, Row)] == list(range(3, 2003))


def test_something_else_is_refused():
    with pytest.raises(Unreadable, match="bad-xml"):
        rows_of("<html><body>no feed</body></html>")
    with pytest.raises(Unreadable, match="bad-xml"):
        rows_of("")


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_else(data: bytes):
    try:
        rows_of(data)
    except Unreadable:
        return


def test_entities_are_not_fetched(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    evil = (
        f'<!DOCTYPE r [<!ENTITY x SYSTEM "file://{secret}">]>'
        + document("<item><link>http://a.example/1</link><title>&x;</title></item>").partition("\n")[2]
    )
    for row in rows_of(evil):
        assert isinstance(row, Row) and "hidden" not in (row.story.rss_entry.title or "")


def test_a_day_that_we_wrote_ourselves_can_be_read(tmp_path):
    database = open_database("t.db", tmp_path)
    database.migrate()
    day = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    with database.begin() as db:
        row = {
            "url": "http://a.example/é?a=1&b=2",
            "normalized_url": "http://a.example/é?a=1&b=2",
            "feed_id": 3,
            "sources_id": 4,
        }
        row |= {"title": 'A "quoted" <title> & more', "domain": "a.example"}
        db.execute(stories.insert(), [row | dict.fromkeys(("published_at", "fetched_at", "seen_at"), day)])
    assert write_daily_rss(database, tmp_path, day.date(), day) == 1
    database.close()
    path = tmp_path / daily_rss_name(day.date())
    with gzip.open(path) as stream:
        (found,) = read(str(path), cast(BinaryIO, stream))
    assert isinstance(found, Row)
    assert found.story.rss_entry == RSSEntry(
        link="http://a.example/é?a=1&b=2",
        title='A "quoted" <title> & more',
        domain="a.example",
        pub_date="Mon, 06 May 2024 07:08:09 GMT",
        fetch_date="2024-05-06",
        source_feed_id=3,
        source_source_id=4,
        via=str(path),
    )


def test_the_files_of_the_last_days_end_with_yesterday():
    assert daily_files(["https://rss.example/rss/", "days"], date(2024, 3, 2), 2) == [
        "https://rss.example/rss/mc-2024-03-01.rss.gz", "days/mc-2024-03-01.rss.gz",
        "https://rss.example/rss/mc-2024-02-29.rss.gz", "days/mc-2024-02-29.rss.gz",
    ]  # fmt: skip
