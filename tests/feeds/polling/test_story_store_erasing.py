"""Erased stories leave the entries and the daily files, and the feed that still lists them brings them no more."""

from __future__ import annotations

import asyncio
import gzip
from datetime import timedelta

import pytest

from tearsheet.archive import Erased, index_id_of
from tearsheet.engines.database import open_database
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.feeds.polling import addresses_from_domain, entry_ids, erase_entries, erase_from_daily_rss
from tearsheet.feeds.polling.daily_rss import write_daily_rss
from tearsheet.feeds.polling.poller import Poller
from tearsheet.feeds.polling.story_store import count_entries
from tearsheet.settings import FeedSettings
from tearsheet.work import ThreadReader
from tests.support.feed_fakes import NOW, FakeClient, response, rss

SECRET = "http://a.example/secret?x=1&y=2"


@pytest.fixture
def database(tmp_path):
    database = open_database("t.db", tmp_path)
    database.migrate()
    add_feeds(database, [NewFeed("http://a.example/rss")], NOW)
    poll(database, NOW)
    yield database
    database.close()


def poll(database, now, *more: str):
    return poll_document(database, now, rss(SECRET.replace("&", "&amp;"), "http://a.example/other", *more))


def poll_document(database, now, body: bytes):
    client = FakeClient(lambda request: response(body))
    poller = Poller(
        database, client, ThreadReader(), FeedSettings(interval_seconds=0), clock=now.timestamp, random=lambda: 0.0
    )
    asyncio.run(poller.run(asyncio.Event(), once=True))
    return poller.counters


def test_an_erased_entry_does_not_come_back_with_its_feed(database):
    assert count_entries(database) == 2
    assert erase_entries(database, [SECRET], None) == 1 and count_entries(database) == 2
    erasure = Erased(database).start("asked for", {index_id_of(SECRET): SECRET})
    assert erase_entries(database, [SECRET, "no address"], erasure) == 1
    assert entry_ids(database, [SECRET]) == []
    counters = poll(database, NOW + timedelta(hours=7), "http://a.example/new")
    assert (counters["stories.erased"], counters["stories.dup_url"], counters["stories.ok"]) == (1, 1, 1)
    assert addresses_from_domain(database, "a.example") == ["http://a.example/other", "http://a.example/new"]


def rotating(turn: int, *, title: str = "Secret", time: str = "10:17:00") -> bytes:
    """Two stories under links that are others at each poll, and guids that stay."""
    items = "".join(
        f"<item><title>{name}</title><link>http://a.example/{name.lower()}?turn={turn}</link>"
        f"<guid isPermaLink='false'>{guid}</guid><pubDate>Mon, 02 Nov 2026 {at} GMT</pubDate></item>"
        for name, guid, at in ((title, "a", time), ("Other", "b", "11:30:00"))
    )
    return f'<rss version="2.0"><channel><title>A</title>{items}</channel></rss>'.encode()


@pytest.mark.parametrize("change", [{}, {"title": "Edited"}, {"time": "16:00:00"}])
def test_an_erased_story_does_not_come_back_under_a_new_link(database, change):
    poll_document(database, NOW + timedelta(hours=7), rotating(1))
    link = "http://a.example/secret?turn=1"
    erase_entries(database, [link], Erased(database).start("asked for", {index_id_of(link): link}))
    for turn in (2, 3):
        counters = poll_document(database, NOW + timedelta(days=2 * turn), rotating(turn, **change))
        assert (counters["stories.erased"], counters["stories.dup_guid"], counters["stories.ok"]) == (1, 1, 0)


def test_a_guid_that_is_used_again_keeps_no_other_story_away(database):
    """As in a feed that only counts the places of a list."""
    poll_document(database, NOW + timedelta(hours=7), rotating(1))
    link = "http://a.example/secret?turn=1"
    erase_entries(database, [link], Erased(database).start("asked for", {index_id_of(link): link}))
    later = rotating(2, title="Quite another story", time="16:00:00")
    counters = poll_document(database, NOW + timedelta(days=4), later)
    assert (counters["stories.erased"], counters["stories.ok"]) == (0, 1)


def test_an_erased_story_leaves_the_daily_file(database, tmp_path):
    write_daily_rss(database, tmp_path / "rss", NOW.date(), NOW)
    (path,) = (tmp_path / "rss").iterdir()
    before = gzip.decompress(path.read_bytes()).decode().splitlines()
    keys = {index_id_of(SECRET)}
    assert erase_from_daily_rss(tmp_path / "rss", keys, dry_run=True) == 1
    assert erase_from_daily_rss(tmp_path / "rss", keys) == 1
    after = gzip.decompress(path.read_bytes()).decode().splitlines()
    assert after == [line for line in before if "secret" not in line] and len(after) == len(before) - 1
    assert erase_from_daily_rss(tmp_path / "rss", keys) == erase_from_daily_rss(tmp_path / "nowhere", keys) == 0
