"""Which stories of a poll are added: by link, by guid, by title within its window."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from datetime import datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from tearsheet.feeds.catalogue.changing import remove_feed
from tearsheet.feeds.catalogue.history import newest_stories
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.feeds.polling.document_store import MAX_DOCUMENT, failed_document
from tearsheet.feeds.polling.poller import Poller
from tearsheet.feeds.tables import feed_documents, feed_paces, feeds, stories
from tearsheet.settings import FeedSettings
from tearsheet.work import ThreadReader
from tests.support.feed_fakes import NOW, FakeClient, new_database, response


@pytest.fixture
def database(tmp_path: Path):
    database = new_database(tmp_path)
    add_feeds(database, [NewFeed("http://news.example/rss")], NOW)
    yield database
    database.close()


def poll(database, body: bytes, now: datetime = NOW) -> Counter[str]:
    """Poll the one feed at a time; returns what happened to its stories."""
    with database.begin() as connection:
        connection.execute(feeds.update().values(due_at=now, last_full_fetch=None))
        connection.execute(feed_paces.delete())
    poller = Poller(
        database, FakeClient(lambda _: response(body)), ThreadReader(), FeedSettings(interval_seconds=0),
        clock=now.timestamp, random=lambda: 0.0,
    )  # fmt: skip
    asyncio.run(poller.run(asyncio.Event(), once=True))
    found = {name.partition(".")[2]: count for name, count in poller.counters.items() if name.startswith("stories.")}
    return Counter(found)


def item(link: str, title: str = "", guid: str = "", date: datetime | None = None, more: str = "") -> str:
    parts = f"<title>{title}</title><link>http://news.example/{link}</link>{more}"
    parts += f"<guid isPermaLink='false'>{guid}</guid>" if guid else ""
    parts += f"<pubDate>{format_datetime(date)}</pubDate>" if date else ""
    return f"<item>{parts}</item>"


def rss(*items: str) -> bytes:
    return f"<rss version='2.0'><channel><title>News</title>{''.join(items)}</channel></rss>".encode()


def test_titles_are_compared_within_their_window_also_in_one_document(database) -> None:
    month = timedelta(days=30)
    column = [item(f"2026/{number}/column", "The week", date=NOW - number * month) for number in range(6)]
    assert poll(database, rss(*column)) == {"ok": 6}
    near = [item("2026/a/column", "The week", date=NOW - month + timedelta(days=3)), item("2026/b/column", "The week")]
    assert poll(database, rss(*near)) == {"dup_title": 2}
    later = NOW + timedelta(days=7)
    assert poll(database, rss(item("2026/c/column", "The week", date=later)), later) == {"ok": 1}


def test_links_that_rotate_make_no_duplicates_where_guids_stay(database) -> None:
    for number in range(4):
        now = NOW + timedelta(days=8 * number)
        found = poll(
            database,
            rss(*(item(f"go/{number}-{story}", f"Story {story}", f"id-{story}", NOW) for story in range(3))),
            now,
        )
        assert found == ({"dup_guid": 3} if number else {"ok": 3})
    with database.read() as connection:
        assert set(connection.execute(select(stories.c.seen_at)).scalars()) == {now}, "they are still there"


@pytest.mark.parametrize("title", ["", "Ferry sinks off the coast, %d comments"])
def test_links_that_rotate_make_no_duplicates_where_only_texts_stay(database, title: str) -> None:
    for number in range(3):
        titles = [f"{title % number} {story}" if title else "" for story in range(4)]
        texts = [f"<description>What happened at place {story}</description>" for story in range(4)]
        shown = [item(f"go/{number}-{story}", titles[story], f"id-{story}", more=texts[story]) for story in range(4)]
        assert (
            poll(database, rss(*shown[: 3 + (number > 1)]))
            == [{"ok": 3}, {"dup_guid": 3}, {"dup_guid": 3, "ok": 1}][number]
        )


def test_guids_that_rotate_or_are_all_the_same_neither_lose_nor_double_a_story(database) -> None:
    for number in range(3):
        found = poll(database, rss(*(item(f"a/{story}", f"Old {story}", f"{number}-{story}") for story in range(3))))
        assert found == ({"dup_url": 3} if number else {"ok": 3})
    assert poll(database, rss(item("b/1", "One", "same"), item("b/2", "Two", "same"))) == {"ok": 2}
    assert poll(database, rss(item("b/3", "Three", "same"), item("b/2", "Two", "same"))) == {"ok": 1, "dup_url": 1}
    long = "x" * 3000
    assert poll(database, rss(item("c/1", "Long ago", long, NOW), item("c/2", "Other", "o", NOW))) == {"ok": 2}
    assert poll(database, rss(item("c/9", "Long ago", long, NOW), item("c/2", "Other", "o", NOW)))["ok"] == 0


def test_what_an_entry_says_is_kept_with_its_story(database) -> None:
    more = (
        "<description>Short</description><author>Ann</author><category>Ships</category>"
        "<enclosure url='http://news.example/a.mp3' type='audio/mpeg' length='5'/>"
    )
    poll(database, rss(item("2026/a/story", "One", more=more), item("2026/b/story", "Two")))
    two, one = newest_stories(database, feed_id=1, details=True)
    assert (one["summary"], one["content"], one["authors"], one["categories"]) == ("Short", None, ["Ann"], ["Ships"])
    assert one["enclosures"] == [{"url": "http://news.example/a.mp3", "type": "audio/mpeg", "length": 5}]
    assert (two["summary"], two["authors"]) == (None, [])
    assert "summary" not in newest_stories(database, feed_id=1)[0]
    with database.read() as connection:
        kept = connection.execute(select(stories.c.details).order_by(stories.c.id)).scalars().all()
    assert json.loads(kept[0])["authors"] == ["Ann"] and kept[1] is None


def test_the_last_document_that_could_not_be_read_is_kept_for_a_look(database) -> None:
    assert failed_document(database, 1) is None
    poll(database, b"<html><body>Sorry</body></html>")
    kept = failed_document(database, 1)
    assert kept is not None and kept.text == "<html><body>Sorry</body></html>"
    assert (kept.note, kept.received_at, kept.size) == ("parse error; Exception('html?')", NOW, 31)
    poll(database, rss(item("2026/a/story", "One")))
    assert failed_document(database, 1) == kept, "it stays until another one fails"
    poll(database, b"nothing " * 100_000, NOW + timedelta(days=1))
    kept = failed_document(database, 1)
    assert kept is not None and (len(kept.text), kept.size) == (MAX_DOCUMENT, 800_000)
    remove_feed(database, 1)
    with database.read() as connection:
        assert connection.execute(select(feed_documents)).all() == []
