"""`tearsheet erase`, killed with SIGKILL at random moments: the next one finishes, and nothing else is lost."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from tearsheet.app.captures import verify_archive
from tearsheet.query import parse_query
from tests.support.full_folder import DOCUMENT, SECRET, SETTINGS, WORDS, fill
from tests.support.leftovers import places_of
from tests.support.tearsheet_command import command, environment, tearsheet
from tests.support.web_seed import open_services


def kill_once(data, chance: random.Random) -> bool:
    """Start to erase, and kill it at some moment after it has begun; returns whether it was still at work."""
    words = command("erase", SECRET, DOCUMENT, "--reason", "asked for", "--yes", data=data)
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment({}), start_new_session=True
    )
    while not (data / "erase.lock").exists() and process.poll() is None:
        time.sleep(0.005)
    time.sleep(chance.random() ** 2 * 1.5)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def check(data) -> None:
    done = tearsheet("erase", "--resume", data=data)
    assert done.returncode == 0, done.stderr
    if places_of(data, WORDS[0]):  # it was killed before the list was written
        assert tearsheet("erase", SECRET, DOCUMENT, "--reason", "x", "--yes", data=data).returncode == 0
    assert {word: places for word in WORDS if (places := places_of(data, word))} == {}
    with open_services(data, **SETTINGS) as services:
        assert [verdict.problems for verdict in verify_archive(services)] == [[], []]
        assert services.archive.totals().stories == 5
        assert services.index.count(parse_query("bridge")) == 2
        assert services.erased.unfinished() == []


@pytest.mark.slow
@pytest.mark.kills
@pytest.mark.timeout(1500)
def test_whenever_it_is_killed_the_next_one_finishes(tmp_path, kills):
    """Beside it, `test_erasing.py` stops it within one process, before and after each step."""
    rounds = 20
    filled = tmp_path / "filled"
    fill(filled)
    (filled / "config.toml").write_text('[archive]\nstores = ["copies"]\n[pages]\nactive = true\n')
    chance = random.Random(rounds)
    for number in range(rounds):
        data = tmp_path / str(number)
        shutil.copytree(filled, data)
        for _ in range(1 + (number % 3 == 0)):
            kills["erase"] += kill_once(data, chance)
        check(data)
        shutil.rmtree(data)
