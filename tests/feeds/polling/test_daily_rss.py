"""The daily RSS file."""

from __future__ import annotations

import gzip
from datetime import date, timedelta
from pathlib import Path

import pytest
from lxml import etree

from tearsheet.feeds import parse_feed
from tearsheet.feeds.polling.daily_rss import daily_rss_name, write_daily_rss, write_missing_days
from tests.support.feed_fakes import NOW
from tests.support.feed_rows import add_stories, story

DAY = date(2026, 11, 14)


def test_the_daily_file_is_whole_and_readable(database, tmp_path: Path) -> None:
    add_stories(database, story(1, published_at=NOW), story(2), story(3, fetched_at=NOW))
    assert write_daily_rss(database, tmp_path / "rss", DAY, NOW) == 2
    [path] = (tmp_path / "rss").iterdir()
    assert path.name == "mc-2026-11-14.rss.gz"
    body = gzip.decompress(path.read_bytes())
    items = etree.fromstring(body).findall(".//item")
    assert [item.findtext("link") for item in items] == ["http://a.example/1?x=1&y=2", "http://a.example/2?x=1&y=2"]
    assert items[0].findtext("title") == "Tom & <Jerry> 1"
    assert (items[0].findtext("pubDate"), items[1].findtext("pubDate")) == ("Sun, 15 Nov 2026 12:00:00 GMT", "")
    source = items[0].find("source")
    assert source is not None
    assert {str(name): value for name, value in source.attrib.items()} == {
        "url": "http://a.example/rss?a=1&b='\"",
        "mcFeedId": "1",
        "mcSourceId": "7",
    }
    assert all(line.count(b"<item>") <= 1 for line in body.splitlines())
    assert len(parse_feed(body, "http://x.example/").entries) == 2
    assert etree.fromstring(body).findtext("channel/link") == "/"


def test_a_file_that_was_made_before_its_day_was_over_is_made_again(database, tmp_path: Path) -> None:
    def titles() -> int:
        return gzip.decompress((tmp_path / daily_rss_name(NOW.date())).read_bytes()).count(b"<item>")

    add_stories(database, story(1, fetched_at=NOW))
    assert write_daily_rss(database, tmp_path, NOW.date(), NOW) == 1
    add_stories(database, story(2, fetched_at=NOW + timedelta(hours=1)))
    assert write_missing_days(database, tmp_path, 2, NOW + timedelta(hours=2)) == {tmp_path / daily_rss_name(DAY): 0}
    assert titles() == 1
    tomorrow = NOW + timedelta(days=1)
    assert write_missing_days(database, tmp_path, 2, tomorrow) == {tmp_path / daily_rss_name(NOW.date()): 2}
    assert titles() == 2
    assert write_missing_days(database, tmp_path, 2, tomorrow) == {}


@pytest.mark.parametrize("broken", [b"", b"no gzip", gzip.compress(b"<rss><lastBuildDate>x</lastBuildDate>", mtime=0)])
def test_a_file_that_cannot_be_read_is_made_again(broken: bytes, database, tmp_path: Path) -> None:
    (tmp_path / daily_rss_name(DAY)).write_bytes(broken)
    assert write_missing_days(database, tmp_path, 2, NOW) == {tmp_path / daily_rss_name(DAY): 0}
