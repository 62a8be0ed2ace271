"""Indexes of sitemaps: all are read over several polls, failures are told, and a request to stay away is obeyed."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tearsheet.feeds.tables import fetch_events
from tests.support.feed_fakes import response
from tests.support.feed_site import FeedSite
from tests.support.poll_scene import START, PollScene

INDEX = "http://n.example/index.xml"


@pytest.fixture
def scene(tmp_path: Path):
    scene = PollScene(tmp_path)
    yield scene
    scene.database.close()


def index(count: int) -> bytes:
    names = "".join(f"<sitemap><loc>/{number}.xml</loc></sitemap>" for number in range(count))
    return f"<sitemapindex>{names}</sitemapindex>".encode()


def urlset(*paths: str, changed: str = "2026-11-15T09:00:00Z") -> bytes:
    urls = "".join(f"<url><loc>http://n.example{path}</loc><lastmod>{changed}</lastmod></url>" for path in paths)
    return f"<urlset>{urls}</urlset>".encode()


def counts(scene: PollScene) -> dict[str, int]:
    with scene.database.read() as connection:
        found = connection.execute(select(fetch_events.c.counts).order_by(fetch_events.c.id.desc())).scalars().first()
    counted: dict[str, int] = json.loads(found or "{}")
    return counted


def poll(scene: PollScene, site: FeedSite) -> None:
    asyncio.run(scene.poll(site.client))
    scene.later(days=1, hours=1)


def test_all_sitemaps_are_read_over_several_polls_and_what_is_left_is_counted(scene: PollScene) -> None:
    site = FeedSite({f"http://n.example/{n}.xml": urlset(f"/2026/11/15/story-{n}.html") for n in range(12)})
    site.answers[INDEX] = index(12)
    scene.add(INDEX)
    left = []
    for _ in range(3):
        poll(scene, site)
        left.append(counts(scene).get("sitemaps_left", 0))
    assert len(scene.story_urls()) == 12
    assert left[:1] == [7]
    assert "still to be read" in scene.row().next_fetch_reason
    assert len([url for url in site.asked if url != INDEX]) == 15


def test_an_index_that_names_indexes_says_so(scene: PollScene) -> None:
    site = FeedSite({INDEX: index(1), "http://n.example/0.xml": index(3)})
    scene.add(INDEX)
    poll(scene, site)
    assert scene.last_event() == (
        "fetch_failed", "parse error; none of 1 sitemaps of the index could be read; an index within an index is not "
        "followed; add it as a feed of its own: http://n.example/0.xml",
    )  # fmt: skip


def test_an_index_whose_every_sitemap_fails_has_failed(scene: PollScene) -> None:
    site = FeedSite({INDEX: index(3)})
    scene.add(INDEX)
    poll(scene, site)
    row = scene.row()
    assert scene.last_event() == (
        "fetch_failed", "HTTP 404 Not Found; none of 3 sitemaps of the index could be read",
    )  # fmt: skip
    assert (row.system_status, row.last_fetch_failures) == ("HTTP 404 Not Found", 0.5)


def test_one_that_fails_among_others_is_counted(scene: PollScene) -> None:
    site = FeedSite({INDEX: index(2), "http://n.example/0.xml": urlset("/2026/11/15/story.html")})
    scene.add(INDEX)
    poll(scene, site)
    assert scene.last_event() == ("fetch_succeeded", "0 skipped / 1 added")
    assert counts(scene)["sitemaps_failed"] == 1
    assert "1 sitemaps of its index could not be read" in scene.row().next_fetch_reason


def test_after_a_request_to_stay_away_no_other_is_asked(scene: PollScene) -> None:
    busy = response(status=429, headers={"Retry-After": "43200"}, reason="Too Many Requests")
    site = FeedSite({INDEX: index(5), "http://n.example/0.xml": busy})
    scene.add(INDEX)
    poll(scene, site)
    assert site.asked == [INDEX, "http://n.example/0.xml"]
    row = scene.row()
    assert row.system_status == "HTTP 429 Too Many Requests"
    assert row.next_fetch_attempt >= START + timedelta(hours=12)


def test_new_pages_behind_thousands_of_old_ones_are_found(scene: PollScene) -> None:
    old = urlset(*(f"/2019/01/01/page-{n}.html" for n in range(5000)), changed="2019-01-01")
    new = urlset(*(f"/2026/11/15/page-{n}.html" for n in range(10)))
    site = FeedSite({INDEX: index(1), "http://n.example/0.xml": old[: -len(b"</urlset>")] + new[len(b"<urlset>") :]})
    scene.add(INDEX)
    poll(scene, site)
    assert scene.last_event() == ("fetch_succeeded", "5000 skipped / 10 added")
