"""The poller with a fake client: leases, events, stories, the outbox."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tearsheet.feeds.catalogue.history import failing_feeds
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.feeds.polling import store
from tearsheet.feeds.polling.advice import what_to_do
from tearsheet.feeds.polling.poller import Poller
from tearsheet.feeds.polling.story_store import SeenStories, mark_queued, unqueued_stories
from tearsheet.feeds.tables import feed_paces, feeds, fetch_events, sources
from tearsheet.settings import FeedSettings
from tearsheet.work import ThreadReader
from tests.support.feed_fakes import NOW, FakeClient, new_database, response, rss


@pytest.fixture
def database(tmp_path: Path):
    database = new_database(tmp_path)
    yield database
    database.close()


def run_once(database, client, clock=lambda: NOW.timestamp(), **settings):
    poller = Poller(
        database, client, ThreadReader(), FeedSettings(interval_seconds=0, **settings), clock=clock, random=lambda: 0.0
    )
    asyncio.run(poller.run(asyncio.Event(), once=True))
    return poller


def columns(database, feed_id: int = 1):
    with database.read() as connection:
        return connection.execute(select(feeds).where(feeds.c.id == feed_id)).one()


def events(database):
    with database.read() as connection:
        return [(row.event, row.note) for row in connection.execute(select(fetch_events).order_by(fetch_events.c.id))]


def test_a_new_feed_is_polled_and_its_stories_go_out_once(database) -> None:
    add_feeds(database, [NewFeed("http://news.example/rss")], NOW)
    client = FakeClient(lambda _: response(rss("http://news.example/a", "http://news.example/b", "mailto:x@y")))
    poller = run_once(database, client)
    row = columns(database)
    assert row.system_status == "Working"
    assert row.last_fetch_attempt == row.last_fetch_success == row.last_new_stories == NOW
    assert (row.rss_title, row.last_fetch_failures, row.queued) == ("A feed", 0, False)
    assert row.next_fetch_attempt == row.due_at == NOW + timedelta(minutes=360)
    assert events(database) == [("queued", None), ("fetch_succeeded", "1 skipped / 2 added")]
    assert poller.counters["stories.ok"] == 2
    waiting = unqueued_stories(database, 10)
    assert [(s.url, s.feed_url) for s in waiting] == [
        ("http://news.example/a", "http://news.example/rss"),
        ("http://news.example/b", "http://news.example/rss"),
    ]
    mark_queued(database, [waiting[0].id], NOW)
    assert [s.url for s in unqueued_stories(database, 10)] == ["http://news.example/b"]


def test_nothing_is_polled_before_it_is_due(database) -> None:
    add_feeds(database, [NewFeed("http://news.example/rss")], NOW)
    client = FakeClient(lambda _: response(rss("http://news.example/a")))
    run_once(database, client)
    run_once(database, client)
    assert len(client.requests) == 1
    run_once(database, client, clock=lambda: (NOW + timedelta(minutes=361)).timestamp())
    assert len(client.requests) == 2
    assert events(database)[-1] == ("fetch_succeeded", "same hash")


def test_a_story_seen_in_two_feeds_is_one_story(database) -> None:
    add_feeds(database, [NewFeed("http://one.example/rss"), NewFeed("http://two.example/rss")], NOW)
    client = FakeClient(lambda _: response(rss("http://one.example/a?utm_source=x")))
    poller = run_once(database, client)
    assert (poller.counters["stories.ok"], poller.counters["stories.dup_url"]) == (1, 1)
    assert len(unqueued_stories(database, 10)) == 1


@pytest.mark.parametrize(
    ("extra", "headers", "minutes"),
    [
        ("<ttl>30</ttl>", {}, 30),
        ('<u xmlns="http://purl.org/rss/1.0/modules/syndication/"/>', {}, 360),
        ("<ttl>30</ttl>", {"Cache-Control": "max-age=5400"}, 90),
    ],
    ids=["ttl", "nothing said", "ttl and HTTP"],
)
def test_what_a_feed_says_about_its_rhythm_counts_from_the_first_poll_on(database, extra, headers, minutes) -> None:
    add_feeds(database, [NewFeed("http://news.example/rss")], NOW)
    run_once(database, FakeClient(lambda _: response(rss("http://news.example/a", extra=extra), headers=headers)))
    row = columns(database)
    assert row.next_fetch_attempt == NOW + timedelta(minutes=minutes)
    assert row.poll_minutes == minutes
    assert row.update_minutes == (None if minutes == 360 else minutes)


def test_a_feed_that_is_put_off_is_not_called_queued(database) -> None:
    """Its poller died, its lease ran out, and when it is looked at again its host is booked for an hour."""
    add_feeds(database, [NewFeed("http://news.example/rss")], NOW)
    terms = store.LeaseTerms("dead", 1, timedelta(0), timedelta(seconds=30), timedelta(minutes=5))
    assert len(store.lease_due(database, terms, NOW, NOW)[0]) == 1
    assert columns(database).queued
    with database.begin() as connection:
        connection.execute(feed_paces.update().values(next_start=NOW + timedelta(hours=1)))
    later = NOW + timedelta(minutes=10)
    other = store.LeaseTerms("other", 1, timedelta(0), timedelta(seconds=30), timedelta(minutes=5))
    assert store.lease_due(database, other, later, later) == ([], 1)
    row = columns(database)
    assert (row.queued, row.lease, row.next_fetch_attempt) == (False, None, NOW + timedelta(hours=1))


def test_only_the_feeds_that_were_named_are_polled(database) -> None:
    add_feeds(database, [NewFeed(f"http://{name}.example/rss") for name in "abc"], NOW)
    client = FakeClient(lambda _: response(rss("http://news.example/a")))
    settings = FeedSettings(interval_seconds=0)
    poller = Poller(database, client, ThreadReader(), settings, clock=NOW.timestamp, random=lambda: 0.0, only=[2])
    asyncio.run(poller.run(asyncio.Event(), once=True))
    assert [request.url for request in client.requests] == ["http://b.example/rss"]


def test_a_poll_that_cannot_be_written_does_not_take_the_others_with_it(database, monkeypatch) -> None:
    """Whatever a database refuses of one feed's stories, the feed gets an event that says so, and the poller goes on."""
    add_feeds(database, [NewFeed(f"http://{name}.example/rss") for name in "abc"], NOW)
    add = SeenStories.add

    def refuse(seen, rows):
        if any(row["feed_id"] == 2 for row in rows):
            raise ValueError("text that no database takes")
        return add(seen, rows)

    monkeypatch.setattr(SeenStories, "add", refuse)
    client = FakeClient(lambda request: response(rss(request.url.replace("rss", "story"))))
    poller = run_once(database, client)
    assert sorted(story.feed_id or 0 for story in unqueued_stories(database, 10)) == [1, 3]
    row = columns(database, 2)
    assert (row.system_status, row.last_fetch_failures, row.queued) == ("fetch error", 0.5, False)
    assert row.next_fetch_attempt > NOW
    assert ("fetch_failed", "fetch error; ValueError('text that no database takes')") in events(database)
    assert poller.counters["feeds.fetch_succeeded"] == 2
    assert poller.counters["feeds.fetch_failed"] == 1


def name_of_source(database) -> str:
    with database.read() as connection:
        return str(connection.execute(select(sources.c.name)).scalar_one())


def test_a_source_is_called_what_its_feeds_call_themselves_the_shortest_title_first(database) -> None:
    add_feeds(database, [NewFeed(f"http://news.example/{part}") for part in ("sport", "all", "local")], NOW)
    titles = {"sport": "The News: all sport", "all": "The  News", "local": "The News: local"}

    def answer(request):
        return response(rss("http://news.example/a", title=titles[request.url.rpartition("/")[2]]))

    assert name_of_source(database) == "news.example"
    run_once(database, FakeClient(answer))
    assert name_of_source(database) == "The News"


def test_a_name_that_somebody_gave_to_a_source_stays(database) -> None:
    add_feeds(database, [NewFeed("http://news.example/rss", source_name="Our paper")], NOW)
    run_once(database, FakeClient(lambda _: response(rss("http://news.example/a"))))
    assert name_of_source(database) == "Our paper"


def test_a_first_poll_that_fails_is_told_at_once_with_what_to_do_and_later_ones_are_not(database, caplog) -> None:
    add_feeds(database, [NewFeed("http://me:pw@news.example/"), NewFeed("http://good.example/rss")], NOW)
    page = response(b"<!DOCTYPE html><html><head><title>News</title></head><body>Hello</body></html>")
    client = FakeClient(lambda request: page if "news" in request.url else response(rss("http://good.example/a")))
    for days in (0, 2):
        run_once(database, client, clock=(NOW + timedelta(days=days)).timestamp)
    [told] = [record for record in caplog.records if record.message == "the first poll of a feed failed"]
    assert (told.url, told.why) == ("http://news.example/", "this is a web page and no feed")
    assert told.advice == what_to_do("parse error", "html?")
    [failing] = failing_feeds(database)
    assert (failing.url, failing.why, failing.advice) == (told.url, told.why, told.advice)
    assert failing_feeds(database, since=NOW + timedelta(days=9)) == []
