"""Feeds that a user names: a site's own page is taken to its feed, and what cannot be read is told with what to do."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tearsheet.app.summary import Summary, ThisRun
from tearsheet.cli import app
from tearsheet.cli.collecting import print_summary
from tearsheet.cli.pipes import Printer
from tearsheet.demo import Newsroom, serve_in_thread
from tearsheet.feeds.catalogue import DiscoveredFeed, NoSite, Polls
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


def test_a_site_may_be_named_as_people_say_it(tmp_path, monkeypatch):
    """Without `https://`; a file of that name comes first, and what is not there is not added."""
    asked: list[str] = []

    def discover(services: Any, site: str, *rest: Any, **options: Any) -> list[DiscoveredFeed]:
        asked.append(site)
        if "nowhere" in site:
            raise NoSite(f"{site} cannot be fetched: unknown host")
        return [DiscoveredFeed("https://www.bbc.co.uk/feed", "News", "rss20", 5, None, 100, "declared")]

    monkeypatch.setattr("tearsheet.app.discover_feeds", discover)
    done = in_process("feeds", "add", "www.bbc.co.uk/news", "--yes", data=tmp_path)
    assert done.exit_code == 0 and "https://www.bbc.co.uk/news is a web page; its feed" in done.stderr, done.output
    gone = in_process("feeds", "add", "nowhere.org", data=tmp_path)
    assert gone.exit_code == 5 and "nothing was added: check it, or write the whole address" in gone.output
    (tmp_path / "list.md").write_text("http://a.example/rss\n")
    monkeypatch.chdir(tmp_path)
    assert in_process("feeds", "add", "list.md", data=tmp_path).exit_code == 0
    assert asked == ["https://www.bbc.co.uk/news", "https://nowhere.org"]
    assert feeds(tmp_path) == ["https://www.bbc.co.uk/feed", "http://a.example/rss"]


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


def test_a_run_that_had_nothing_to_do_says_so_and_which_feeds_are_failing(data):
    done = in_process("run", "--once", "--no-web", data=data)
    assert done.exit_code == 0, done.output
    told = " ".join(done.stdout.split())
    assert "No feed was due; the next one is due at " in told
    assert f"{HERALD}/feeds/missing.xml is failing: HTTP 404 Not Found; its next poll is at " in told
    assert f"{HERALD}/feeds/page.xml is failing: " in told
    assert "a web page and no feed; its next poll is at " in told
    assert "could not be read" not in told


def test_a_run_that_ends_needs_no_port_unless_pages_are_asked_for(data):
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = str(held.getsockname()[1])
        assert in_process("run", "--once", "--port", port, data=data).exit_code == 0
        assert in_process("run", "--once", "--web", "--port", port, data=data).exit_code == 6


def test_what_a_run_did_is_told_apart_from_what_the_folder_holds(capsys):
    done = ThisRun(Polls(1, None), indexed=2, archived=3, failing=[])
    print_summary(Summary(feeds=1, indexed=20, archived=30, this_run=done), as_json=False)
    told = capsys.readouterr().out
    assert "This run: 2 stories indexed and 3 archived." in told
    assert "In the folder: 20 stories indexed and 30 archived" in told
    print_summary(Summary(feeds=1, indexed=2, archived=3, this_run=done), as_json=False)
    assert capsys.readouterr().out.startswith("2 stories indexed and 3 archived")


@pytest.mark.parametrize("answer", ["n", "stop"])
def test_nothing_is_left_behind_by_looking_at_a_page(answer, tmp_path, monkeypatch):
    async def found(*_: Any, **__: Any) -> list[DiscoveredFeed]:
        if answer == "stop":
            raise KeyboardInterrupt
        return [DiscoveredFeed(f"{HERALD}/rss.xml", "Herald", "rss 2.0", 3, None, 115, "declared by the page")]

    monkeypatch.setattr("tearsheet.app.feeds.discover", found)
    monkeypatch.setattr(Printer, "is_terminal", True)
    data = tmp_path / "data"
    for words in (["run", "--once"], ["feeds", "add"]):
        done = CliRunner().invoke(app, ["--data", str(data), *words, f"{HERALD}/"], input="n\n")
        assert done.exit_code != 0, done.output
        assert (answer == "stop") is ("Add its feed" not in done.output), done.output
        assert not data.exists()
