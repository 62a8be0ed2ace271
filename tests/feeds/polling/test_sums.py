"""Sums of polls and entries by reason."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tearsheet.feeds.polling.dedupe import ADDED
from tearsheet.feeds.polling.sums import ENTRIES, POLLS, poll_reason, read_sums
from tests.support.feed_fakes import FakeClient, response, rss
from tests.support.poll_scene import PollScene


def test_a_server_cannot_make_up_reasons() -> None:
    assert poll_reason("HTTP 503 Gone fishing <script>", None) == "HTTP 503"
    assert poll_reason("Working", "same hash") == "same hash"
    assert poll_reason("SSL error", None) == "SSL error"


def test_polls_and_entries_are_summed_for_good(tmp_path: Path) -> None:
    scene = PollScene(tmp_path)
    scene.add("http://a.example/rss", "http://b.example/rss")
    body = rss("http://a.example/1", "http://a.example/2", "mailto:x@a.example")
    client = FakeClient(lambda asked: response(body) if "//a." in asked.url else response(status=503, reason="x y z"))
    asyncio.run(scene.poll(client))
    scene.later(days=1)
    asyncio.run(scene.poll(client))
    assert dict(read_sums(scene.database, POLLS)) == {"Working": 1, "same hash": 1, "HTTP 503": 2}
    assert dict(read_sums(scene.database, ENTRIES))[ADDED] == 2
    scene.database.close()
