"""Which folder a command works on, and what it says of it; a mistyped one is never made."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tearsheet.app.services import Services
from tearsheet.cli import app
from tearsheet.settings import Settings
from tests.support.index_stories import story


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the demo has run, and nothing else."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TEARSHEET_DATA", raising=False)
    demo = tmp_path / "tearsheet-data" / "demo"
    with Services(Settings(demo)) as services:
        services.index.add([story("1", "Bridge closed")])
        services.database.migrate()
    (demo / "config.toml").write_text("[fetch]\nconnect_to = {}\n")
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def test_after_the_demo_commands_read_it_and_say_so(here):
    found = run("count", "bridge", "--json")
    assert '"stories": 1' in found.stdout
    assert found.stderr == "Reading the demo in tearsheet-data/demo; --data names another\n"
    assert found.stdout.startswith("[")  # what programs read stays clean
    assert run("--quiet", "count", "bridge").stderr == ""
    assert run("--data", "tearsheet-data/demo", "count", "bridge").stderr == ""


def test_with_a_feed_of_ones_own_there_is_no_more_demo(here):
    added = run("feeds", "add", "http://own.example/rss")
    assert (added.exit_code, "Reading the demo" in added.output) == (0, False)
    assert added.stderr == (
        "New collection in tearsheet-data: commands read it from now on, and the demo with --data tearsheet-data/demo\n"
    )
    assert run("feeds", "add", "http://own.example/atom").stderr == ""
    listed = run("feeds", "list", "--json")
    assert "own.example" in listed.stdout
    assert listed.stderr == ""


@pytest.mark.parametrize("line", ["search x", "status", "topic run a", "collections add a b", "topic map a b.html"])
def test_a_mistyped_folder_is_told_and_not_made(here, line):
    done = run("--data", "tearshet-data", *line.split())
    assert done.exit_code == 5
    assert "there is no data folder" in done.output
    assert not (here / "tearshet-data").exists()


def test_a_collection_is_begun_in_a_new_folder_that_is_named(here):
    done = run("--data", "papers", "feeds", "add", "http://own.example/rss")
    assert done.exit_code == 0, done.output
    assert "New data folder papers" in done.stderr
    assert (here / "papers" / "tearsheet.db").exists()
    assert "New data folder" not in run("--data", "papers", "feeds", "add", "http://own.example/atom").stderr


def test_a_folder_is_only_told_of_when_it_was_made(here):
    refused = run("--data", "papers", "feeds", "add", "papers.txt")
    assert refused.exit_code == 2 and "New data folder" not in refused.output
    assert not (here / "papers").exists()


def test_in_a_folder_that_was_removed_one_is_told_to_leave_it(here, monkeypatch):
    gone = here / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = run("status")
    assert (done.exit_code, "the folder that you are in no longer exists" in done.stderr) == (2, True)
