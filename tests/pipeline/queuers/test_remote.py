from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.errors import EngineError, ItemRefused
from tearsheet.pipeline.queuers import remote
from tearsheet.pipeline.queuers.http_input import opened_url
from tearsheet.pipeline.queuers.remote import Cursor, RemoteQueuer, rss_fetcher, server_name, stories_of, story_of
from tearsheet.story import ContentMetadata, HTTPMetadata, RSSEntry, WireStory, decode_story
from tearsheet.work.water_marks import WaterMarks
from tests.support.fault_proxy import FAULTS, Plan, in_front_of
from tests.support.rss_fetcher_server import rss_fetcher as serve_rss_fetcher

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
    rows.append(ROW | {"id": 4715, "url": "https://x.com/someone"})
    stories, problems = stories_of(rows, "s")
    assert len(stories) == 1
    assert [(problem.line, problem.reason) for problem in problems] == [
        (4712, "no-url"), (4713, "bad-url"), (4714, "no-url"), (4715, "non-news"),
    ]  # fmt: skip


def test_fields_that_are_missing_or_odd_are_left_out():
    story = story_of({"id": 1, "url": "http://a.example/1", "published_at": "soon", "feed_id": "3", "title": 5}, "s")
    assert story.rss_entry == RSSEntry(link="http://a.example/1", via="1@s")


def test_the_server_is_named_without_its_password():
    assert server_name("https://user:secret@rss.example:8000/x") == "rss.example"


class Troubled:
    """An rss-fetcher that has trouble a number of times before it answers."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.asked = 0

    def __call__(self, first: int) -> list[dict[str, Any]]:
        self.asked += 1
        if self.asked <= self.times:
            raise EngineError("http://rss.example: the server answers 502 Bad Gateway")
        return [ROW] if first <= ROW["id"] else []


def take(folder: Path, ask: Troubled, *, once: bool, patience: float = 60.0) -> int:
    """How many stories a queuer took from it before it ended, or before two were asked for in vain."""

    async def work() -> int:
        broker, stop = SqliteBroker(folder / "queues.db"), asyncio.Event()
        cursor = Cursor(folder / "cursor.json")
        queuer = RemoteQueuer(ask, "s", cursor, broker, ["fetcher"], WaterMarks(5, 10), patience=patience)
        running = asyncio.create_task(queuer.run(stop, once=once))
        while not once and ask.asked < ask.times + 2 and not running.done():
            await asyncio.sleep(0.01)
        stop.set() if not once else None
        try:
            await running
        finally:
            await broker.close()
        return queuer.queued

    return asyncio.run(work())


@pytest.mark.parametrize("once", [True, False])
def test_a_server_in_trouble_is_asked_again(tmp_path, once):
    assert take(tmp_path, Troubled(3), once=once) == 1


def test_a_run_that_is_to_end_tells_of_a_server_that_stays_away(tmp_path):
    with pytest.raises(EngineError, match="502"):
        take(tmp_path, Troubled(1_000_000), once=True, patience=0.3)


async def links_in(broker: SqliteBroker) -> list[str]:
    leases = await broker.lease("fetcher-in", 1_000)
    return sorted(decode_story(WireStory(lease.message.body)).rss_entry.link or "" for lease in leases)


async def take_all(folder: Path, url: str) -> list[str]:
    """The addresses of the stories that a queuer takes from a server."""
    broker, cursor = SqliteBroker(folder / "queues.db"), Cursor(folder / "cursor.json")
    queuer = RemoteQueuer(rss_fetcher(url), "s", cursor, broker, ["fetcher"], WaterMarks(5, 10))
    try:
        await queuer.run(asyncio.Event(), once=True)
        return await links_in(broker)
    finally:
        await broker.close()


@pytest.mark.parametrize("odd", [{"feed_id": 10**30}, {"title": "half \ud83d"}, {"title": "\0"}, {"id": 10**30}])
def test_one_odd_row_does_not_stop_the_others(tmp_path, odd):
    with serve_rss_fetcher(3, odd) as url:
        found = asyncio.run(take_all(tmp_path, url))
    assert {"http://old.example/story-1", "http://old.example/story-3"} <= set(found)


def test_no_more_rows_are_taken_at_once_than_were_asked_for():
    with serve_rss_fetcher(20) as url:
        assert [row["id"] for row in rss_fetcher(url, batch=5)(1)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("number", [0, 1], ids=["the answer with rows", "the answer without"])
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_of_the_server_is_waited_out_or_told_and_no_row_is_lost_or_taken_twice(
    tmp_path, monkeypatch, fault, number
):
    monkeypatch.setattr(remote, "opened_url", partial(opened_url, timeout=0.5))

    with serve_rss_fetcher(3) as server, in_front_of(server) as proxy:
        proxy.begin(Plan("GET /api/rss_entries/N?_limit", number, fault))
        if fault in ("403", "404") and number == 0:
            with pytest.raises(ItemRefused, match=fault):
                asyncio.run(take_all(tmp_path, proxy.url))
        found = asyncio.run(take_all(tmp_path, proxy.url))
        assert proxy.spoiled == 1
    assert found == [f"http://old.example/story-{n}" for n in (1, 2, 3)]
