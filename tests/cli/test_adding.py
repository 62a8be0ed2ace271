"""Feeds that a user names: a site's own page is taken to its feed, and what cannot be read is told with what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tearsheet.demo import Newsroom, serve_in_thread
from tests.support.tearsheet_command import in_process, write_config

HERALD = "http://harbour-herald.example"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    newsroom, folder = Newsroom(seed=3, sites=2, articles=40), tmp_path_factory.mktemp("adding")
    with serve_in_thread(newsroom) as server:
        write_config(folder, server, newsroom)
        yield folder


def feeds(data: Path) -> list[str]:
    return [row["url"] for row in json.loads(in_process("feeds", "list", "--json", data=data).stdout)]


def test_a_sites_own_page_is_taken_to_its_feed_which_is_said(data):
    done = in_process("feeds", "add", f"{HERALD}/", data=data)
    assert done.exit_code == 0, done.output
    assert f"{HERALD}/ is a web page; its feed {HERALD}/feeds/rss.xml is added" in done.stderr
    assert "1 feed added" in done.stdout
    assert feeds(data) == [f"{HERALD}/feeds/rss.xml"]


def test_what_cannot_be_looked_at_is_added_and_said(data):
    done = in_process("feeds", "add", "http://closed-gazette.example/news", data=data)
    assert done.exit_code == 0, done.output
    assert "cannot be fetched" in done.stderr
    assert "It is added as a feed all the same" in " ".join(done.stderr.split())
    assert in_process("feeds", "remove", "http://closed-gazette.example/news", "--yes", data=data).exit_code == 0


def test_what_is_called_like_a_feed_is_not_looked_at_and_its_first_poll_tells(data):
    added = in_process("feeds", "add", f"{HERALD}/feeds/page.xml", f"{HERALD}/feeds/missing.xml", data=data)
    assert (added.exit_code, added.stderr) == (0, "")
    for feed in feeds(data)[:1]:
        assert in_process("feeds", "set", feed, "--off", data=data).exit_code == 0  # its stories would take their time
    done = in_process("run", "--once", "--no-web", data=data)
    assert done.exit_code == 3, done.output
    told = " ".join(done.stdout.split())
    assert (
        f"{HERALD}/feeds/page.xml could not be read: this is a web page and no feed; `tearsheet feeds discover` finds"
        in told
    )
    assert f"{HERALD}/feeds/missing.xml could not be read: HTTP 404 Not Found; check its address" in told
    assert "2 of 3 feeds could not be read: see above" in " ".join(done.stderr.split())
