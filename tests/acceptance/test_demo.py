"""The demo ends with what the newsroom expects, also when it is killed again and again."""

from __future__ import annotations

import csv
import json
import os
import random
import shlex
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tearsheet.cli import app
from tearsheet.demo import Newsroom, NewsroomServer, serve_in_thread
from tearsheet.demo.model import LinkKind
from tests.support.demo_outcome import check
from tests.support.paths import ROOT
from tests.support.patience import PATIENCE
from tests.support.tearsheet_command import command, environment, tearsheet, write_config
from tests.support.typed_page import typed_in


@pytest.fixture
def newsroom() -> Newsroom:
    return Newsroom(seed=3, sites=8, articles=48)


@pytest.fixture
def server(newsroom) -> Iterator[NewsroomServer]:
    with serve_in_thread(newsroom) as server:
        yield server


class RunningDemo:
    """`tearsheet demo` in a terminal of its own, in an empty folder, as the tutorial types it first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tearsheet", "demo"],
            cwd=folder,
            env=environment({"TEARSHEET_WEB_PORT": "0", "COLUMNS": "200"}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self._process.stdout is not None
        self.shown = ""
        for line in self._process.stdout:
            self.shown += line
            if line.startswith("Your own feeds"):
                return
        raise AssertionError(f"it ended before it was ready: {self.shown}")

    def type(self, line: str) -> Result:
        """Type a command in a second terminal."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            for name in [name for name in os.environ if name.startswith("TEARSHEET_")]:
                patch.delenv(name)
            words = shlex.split(line.partition(" > ")[0].replace("/mnt/disk", str(self.folder)), comments=True)
            assert words[0] == "tearsheet"
            return CliRunner().invoke(app, words[1:])

    def stop(self) -> int:
        """Ctrl-C; returns the exit code."""
        self._process.send_signal(signal.SIGINT)
        self._process.communicate(timeout=PATIENCE)
        return self._process.returncode


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> Iterator[RunningDemo]:
    """The demo at work. The last test of those that use it stops it."""
    running = RunningDemo(tmp_path_factory.mktemp("demo"))
    yield running
    running.stop()


@pytest.mark.timeout(300)
def test_the_tutorial_can_be_typed_from_its_first_line_to_its_last(demo):
    first, *others = typed_in(ROOT / "docs/tutorial/first-collection.md")
    assert first.command == "tearsheet demo"
    assert len(others) > 10
    differences = [first.differs_from(demo.shown)]
    differences += [typed.differs_from(demo.type(typed.command).output) for typed in others]
    assert not any(differences), "\n".join(differences)
    assert "<svg" in (demo.folder / "floods.html").read_text("utf-8")


FIVE_MINUTES = (
    (ROOT / "README.md").read_text("utf-8").partition("## Five minutes")[2].partition("```\n")[0].splitlines()
)
PAGES = ("cite-results", "search-and-count", "see-gaps", "prove-and-share")
NOT_ON_THE_DEMO = (
    "--install-completion", "tearsheet demo", "STORY", "list.txt", "their.warc.gz", "…", "parquet", "--check", "--as-of",
    "index rebuild", "replay", "serve",
)  # fmt: skip


def lines_for_the_demo() -> list[str]:
    """What the README and pages of the documentation show, as far as it names nothing of a reader's own."""
    pages = [(ROOT / f"docs/how-to/{page}.md").read_text("utf-8").splitlines() for page in PAGES]
    lines = [line.partition(" | ")[0].strip() for page in (FIVE_MINUTES, *pages) for line in page]
    return [
        line for line in lines if line.startswith("tearsheet ") and not any(word in line for word in NOT_ON_THE_DEMO)
    ]


@pytest.mark.proof
@pytest.mark.timeout(300)
def test_what_the_documentation_types_finds_something_on_the_demo(demo):
    lines = lines_for_the_demo()
    assert len(lines) > 22
    for line in lines:
        done = demo.type(line)
        assert done.exit_code == 0, f"{line}: {done.output}"
        empty = ("No stories", "None", "No gaps", "0 of ", "is empty")
        assert done.stdout.strip() and not done.stdout.startswith(empty), f"{line}: {done.output}"


def test_what_the_demo_says_to_type_next_finds_something(demo):
    lines = [line.strip() for line in demo.shown.partition("Type next")[2].splitlines()[1:-1]]
    assert 4 <= len(lines) <= 6
    for line in lines:
        words = line.removeprefix("python -m ").partition("  #")[0]
        done = demo.type(words)
        assert (done.exit_code, bool(done.stdout.strip()), "No " in done.output) == (0, True, False), (
            f"{line}: {done.output}"
        )
    assert "make" not in demo.shown.partition("Type next")[2]


@pytest.mark.timeout(300)
def test_the_demo_ends_as_the_newsroom_expects_and_again_from_where_it_was(demo):
    newsroom = Newsroom()
    totals = newsroom.expectation().totals
    check_map(demo.folder / "tearsheet-data/demo/topics/corvane-bridge", newsroom)
    assert demo.stop() == 0
    without = demo.type("tearsheet topic run 'corvane bridge'")
    assert (without.exit_code, "the newsroom of this demo is not running" in without.output) == (7, True)
    again = tearsheet("demo", "--once", "--json", "--no-web", data=demo.folder / "tearsheet-data")
    assert again.returncode == 0, again.stderr
    summary = json.loads(again.stdout)
    captures = 3  # of the article that was captured whole: the page, its style and its picture
    spidered = 4  # stories of the topic that no feed had
    assert (summary["indexed"], summary["archived"], summary["queued"]) == (
        totals.indexed,
        totals.archived + captures + spidered,
        0,
    )
    assert summary["dropped"] == {f"{stage}/{reason}": n for (stage, reason), n in totals.dropped.items()}
    assert summary["failed_feeds"] == []


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
