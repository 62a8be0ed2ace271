"""The demo ends with what the newsroom expects, also when it is killed again and again."""

from __future__ import annotations

import csv
import json
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tearsheet.demo import Newsroom, NewsroomServer, serve_in_thread
from tearsheet.demo.model import LinkKind
from tests.support.demo_outcome import check
from tests.support.tearsheet_command import command, environment, tearsheet, write_config


@pytest.fixture
def newsroom() -> Newsroom:
    return Newsroom(seed=3, sites=8, articles=48)


@pytest.fixture
def server(newsroom) -> Iterator[NewsroomServer]:
    with serve_in_thread(newsroom) as server:
        yield server


def test_the_demo_command_ends_well_and_its_summary_is_what_the_newsroom_expects(tmp_path):
    done = tearsheet("demo", "--once", "--json", "--no-web", "--seed", "5", "--articles", "40", data=tmp_path)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    totals = Newsroom(5, articles=40).expectation().totals
    assert (summary["indexed"], summary["archived"], summary["queued"]) == (totals.indexed, totals.archived, 0)
    assert summary["dropped"] == {f"{stage}/{reason}": n for (stage, reason), n in totals.dropped.items()}
    check_map(tmp_path / "demo" / "topics" / "corvane-bridge", Newsroom(5, articles=40))
    again = tearsheet("demo", "--once", "--json", "--no-web", "--seed", "5", "--articles", "40", data=tmp_path)
    assert json.loads(again.stdout) == summary


def check_map(folder: Path, newsroom: Newsroom) -> None:
    """The map has the links that the newsroom wrote between stories about the bridge, and no others."""
    about = {article.number: article for article in newsroom.articles if article.event == "bridge"}
    written = {
        (about[link.source].title, about[link.target].title)
        for article in about.values()
        for link in newsroom.links_of(article)
        if link.kind in (LinkKind.BODY, LinkKind.CLEAR)
        and link.target in about
        and about[link.target].site != article.site
    }
    with (folder / "overall" / "stories.csv").open(encoding="utf-8", newline="") as lines:
        titles = {row["stories_id"]: row["title"] for row in csv.DictReader(lines)}
    with (folder / "overall" / "story_links.csv").open(encoding="utf-8", newline="") as lines:
        mapped = {(titles[row["source_stories_id"]], titles[row["ref_stories_id"]]) for row in csv.DictReader(lines)}
    assert set(titles.values()) == {article.title for article in about.values()}
    assert mapped == written
    assert "corvane" in (folder / "index.html").read_text("utf-8")


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "kills", [2, pytest.param(6, marks=pytest.mark.proof), pytest.param(20, marks=pytest.mark.slow)]
)
def test_killed_at_random_moments_the_run_ends_with_the_same_stories(tmp_path, newsroom, server, kills):
    write_config(tmp_path, server, newsroom)
    feeds = [feed.url for feed in server.feed_urls()]
    words = command("run", *feeds, "--once", "--no-web", "--json", data=tmp_path)
    chance = random.Random(11)
    endings: Counter[int] = Counter()
    for _ in range(kills):
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment({})) as process:
            assert process.stderr is not None
            process.stderr.readline()  # it has started and says which feeds it knows
            try:
                process.wait(chance.uniform(0, 2.5))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
        endings[process.returncode] += 1
    assert endings[-signal.SIGKILL] >= kills // 2, f"too few runs were killed at work: {endings}"
    last = tearsheet("run", "--once", "--no-web", "--json", data=tmp_path, timeout=300)
    assert last.returncode == 0, last.stderr
    check(tmp_path, newsroom)
