"""Feeds that would fill the memory, or never end: each is a failed poll that says why, and the others go on."""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tearsheet.feeds.polling.reading import READ_FEED, READ_PART, SIFT, Merged, ReceivedFeed, read_feed, read_part, sift
from tearsheet.feeds.polling.schedule import SOFT
from tearsheet.work import Quarantine, ReadingJob, ReadingPool
from tearsheet.work.confine import Limits
from tests.support.feed_fakes import NOW, rss
from tests.support.loopback_web import Request, response, serve
from tests.support.poll_scene import PollScene, loopback_client

ITEM = b"<item><title>Story</title><link>http://n.example/2026/11/15/story-%d.html</link></item>"


def received(body: bytes, **wanted: Any) -> ReceivedFeed:
    return ReceivedFeed(body, "http://n.example/feed", None, NOW, **{"max_bytes": 1_000_000, "limit": 20} | wanted)


def long_feed(count: int) -> bytes:
    items = b"".join(ITEM % number for number in range(count))
    return b"<rss version='2.0'><channel><title>Long</title>" + items + b"</channel></rss>"


def test_a_process_reads_what_we_read() -> None:
    sitemap = b"<urlset><url><loc>/a/b/c.html</loc><lastmod>2026-11-15T09:00:00.5Z</lastmod></url></urlset>"
    index = b"<sitemapindex><sitemap><loc>/x.xml</loc></sitemap><sitemap><loc>/news.xml</loc></sitemap></sitemapindex>"

    async def run() -> None:
        pool = ReadingPool(1, 60)
        try:
            for body in (long_feed(30), sitemap, index):
                assert await pool.read(READ_FEED, received(body)) == read_feed(received(body))
                part = read_part(received(body))
                assert await pool.read(READ_PART, received(body)) == part
                merged = Merged(part, NOW, 20, None)
                assert await pool.read(SIFT, merged) == sift(merged)
        finally:
            await pool.close()

    asyncio.run(run())
    assert [child.url for child in read_feed(received(index)).sitemaps] == [
        "http://n.example/x.xml",
        "http://n.example/news.xml",
    ]
    assert read_feed(received(sitemap)).candidates[0].url == "http://n.example/a/b/c.html"


def test_what_comes_back_is_no_more_than_a_poll_takes() -> None:
    read = read_feed(received(long_feed(300)))
    assert (len(read.candidates), read.skipped, read.feed.entries) == (20, {"tossed": 280}, [])
    part = read_part(received(long_feed(300)))
    assert (len(part.entries), part.tossed) == (20, 280)
    known = read_feed(received(long_feed(300), known=read.entries_hash))
    assert (known.candidates, known.entries_hash) == ([], read.entries_hash)


def test_the_limit_of_bytes_holds_for_what_is_in_a_gzip_file() -> None:
    body = gzip.compress(long_feed(300))
    assert read_feed(received(body, max_bytes=len(long_feed(300)))).candidates
    with pytest.raises(Quarantine, match="too large: more than 20000 bytes when unpacked"):
        read_feed(received(body, max_bytes=20_000))


class Watched:
    """A pool that gives one feed less time than it needs."""

    def __init__(self, pool: ReadingPool) -> None:
        self._pool = pool

    async def read(self, job: ReadingJob[Any, Any], question: Any) -> Any:
        if question.url.endswith("/slow"):
            job = replace(job, seconds=0.001)
        return await self._pool.read(job, question)


FEEDS = {
    "/fine": rss("http://n.example/2026/11/15/fine.html"),
    "/zipped": gzip.compress(long_feed(200_000)),
    "/slow": long_feed(5_000),
    "/fat": b"<rss version='2.0'><channel>" + b"<a/>" * 700_000 + b"</channel></rss>",
    "/crash": b"not a feed",
}
WITH_BOMB = "fetch error; too-large: more than 3000000 bytes when unpacked"


def test_feeds_that_exceed_a_limit_are_failed_polls_and_their_neighbours_go_on(tmp_path: Path) -> None:
    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(response(FEEDS[request.path]))

    async def run() -> PollScene:
        scene = PollScene(tmp_path, max_bytes=3_000_000)
        pool = ReadingPool(2, 60, Limits(memory=110_000_000))
        try:
            async with serve(answer) as web, loopback_client() as client:
                scene.add(*(f"http://127.0.0.1:{web.port}{path}" for path in FEEDS))
                await scene.poll(client, Watched(pool))
                scene.later(days=1)
                await scene.poll(client, Watched(pool))
        finally:
            await pool.close()
        return scene

    scene = asyncio.run(run())
    notes = {path: scene.last_event(number)[1] or "" for number, path in enumerate(FEEDS, 1)}
    assert notes["/fine"] in ("same hash", "0 skipped / 1 added")
    assert notes["/zipped"] == WITH_BOMB
    assert notes["/slow"] == "parse error; timeout: took longer than 0.001 s and was ended"
    assert notes["/fat"] == "parse error; memory: needed more than 104 MB of memory and was ended"
    assert notes["/crash"] == "parse error; Exception('no version')"
    for number in range(2, 6):
        row = scene.row(number)
        assert row.last_fetch_failures == 2 * SOFT and row.due_at > scene.now + timedelta(minutes=5)
    assert scene.story_urls() == ["http://n.example/2026/11/15/fine.html"]
    scene.database.close()
