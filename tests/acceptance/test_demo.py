"""The demo ends with what the newsroom expects, also when it is killed again and again."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator

import pytest

from tearsheet.demo import Newsroom, NewsroomServer, serve_in_thread

from .outcome import check
from .tearsheet_command import command, environment, tearsheet, write_config

KILLS = 20


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
    again = tearsheet("demo", "--once", "--json", "--no-web", "--seed", "5", "--articles", "40", data=tmp_path)
    assert json.loads(again.stdout) == summary


@pytest.mark.timeout(600)
def test_killed_at_random_moments_the_run_ends_with_the_same_stories(tmp_path, newsroom, server):
    write_config(tmp_path, server, newsroom)
    feeds = [feed.url for feed in server.feed_urls()]
    words = command("run", *feeds, "--once", "--no-web", "--json", data=tmp_path)
    chance = random.Random(11)
    endings: Counter[int] = Counter()
    for _ in range(KILLS):
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment({})) as process:
            assert process.stderr is not None
            process.stderr.readline()  # it has started and says which feeds it knows
            try:
                process.wait(chance.uniform(0, 2.5))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
        endings[process.returncode] += 1
    assert endings[-signal.SIGKILL] >= KILLS // 2, f"too few runs were killed at work: {endings}"
    last = tearsheet("run", "--once", "--no-web", "--json", data=tmp_path, timeout=300)
    assert last.returncode == 0, last.stderr
    check(tmp_path, newsroom)
