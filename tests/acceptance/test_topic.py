"""A topic on the demo newsroom, by the command line: collected stories as seeds, links followed, a map at the end."""

from __future__ import annotations

import csv
import json
from urllib.parse import unquote

import pytest
from typer.testing import CliRunner

from tearsheet.cli import app
from tearsheet.demo import Newsroom, serve_in_thread
from tearsheet.demo.model import LinkKind
from tests.support.tearsheet_command import in_process, write_config


def ok(*words, data) -> str:
    done = in_process(*words, data=data)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.timeout(300)
def test_from_a_query_to_a_map(tmp_path):
    newsroom = Newsroom(seed=3, sites=8, articles=48)
    data, files = tmp_path / "data", tmp_path / "out"
    with serve_in_thread(newsroom) as server:
        write_config(data, server, newsroom, **{"topics.seconds_per_media_fetch": 0.0, "topics.poll_seconds": 0.1,
                                                "topics.retry_seconds": 0.1})  # fmt: skip
        ok("run", *(feed.url for feed in server.feed_urls()), "--once", "--no-web", data=data)
        ok("topic", "create", "Everything", "*", "--iterations", "5", data=data)
        [planned] = json.loads(ok("topic", "plan", "Everything", "--json", data=data))
        ok("topic", "seed", "Everything", "--index", data=data)
        ok("topic", "run", "Everything", data=data)
        again = in_process("topic", "create", "Everything", "*", data=data)
        assert (again.exit_code, "there is a topic" in again.output) == (2, True)
    status = json.loads(ok("topic", "status", "Everything", "--json", data=data))[0]
    assert (status["state"], status["waiting_for"], status["errors"]) == ("completed", "", 0)
    ok("topic", "export", "Everything", files, data=data)
    ok("topic", "map", "Everything", files / "map.html", data=data)
    assert "<svg" in (files / "map.html").read_text("utf-8")
    check_links(newsroom, files)
    stories = planned["estimate"]["stories"]
    assert planned["matching"] < stories["low"] <= status["stories"] <= stories["high"]
    check_description(data, files, status)


def check_description(data, files, status) -> None:
    """What is said of the methods has the numbers of the status and of the exported tables."""
    words = ["--data", str(data), "topic", "rehearse", "Everything", "--number", "3"]
    assert CliRunner().invoke(app, words, input="y\ny\nn\n").exit_code == 0
    [described] = json.loads(ok("topic", "describe", "Everything", "--json", data=data))
    [overall] = [
        span for span in json.loads((files / "summary.json").read_text())["timespans"] if span["timespan"] == "overall"
    ]
    with (files / "overall" / "story_links.csv").open(encoding="utf-8", newline="") as lines:
        assert described["links_between_sources"] == len(list(csv.DictReader(lines)))
    assert described["stories"] == described["record"]["stories"]["in"] == status["stories"] == overall["stories"]
    assert described["links"] == status["links_between_stories"]
    assert described["record"]["asked"].get("request failed", 0) == status["failed_requests"]
    assert max(map(int, described["record"]["iterations"])) == status["iteration"]
    assert (described["precision"]["right"], described["precision"]["wrong"]) == (2, 1)
    assert f"has {status['stories']} stories of" in described["paragraph"]


def plain(url: str) -> str:
    """An address without what makes no difference in the newsroom."""
    return unquote(url).lower().rstrip("/").replace("://www.", "://")


def check_links(newsroom: Newsroom, files) -> None:
    """Every link between two articles that both became stories is there, and none that stands beside an article."""
    with (files / "overall" / "stories.csv").open(encoding="utf-8", newline="") as lines:
        stories = {plain(row["url"]): row for row in csv.DictReader(lines)}
    with (files / "overall" / "story_links.csv").open(encoding="utf-8", newline="") as lines:
        found = {(row["source_stories_id"], row["ref_stories_id"]) for row in csv.DictReader(lines)}
    articles = {article.number: article for article in newsroom.articles}
    names = {number: plain(article.url) for number, article in articles.items()}
    ids = {number: stories[name]["stories_id"] for number, name in names.items() if name in stories}
    assert not stories.keys() - set(names.values())
    unlisted = [number for number in ids if not articles[number].listed]
    assert unlisted, "no story was found by links alone"
    expected = {
        (ids[link.source], ids[link.target])
        for link in newsroom.links
        if link.kind is not LinkKind.RELATED and link.source in ids and link.target in ids
    }
    assert found == expected
