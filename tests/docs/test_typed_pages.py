"""The how-to pages, typed line by line into the demo's folder: every command line does what it is there for."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.reader_folder import DATA, lay_out
from tests.support.tearsheet_command import in_process, tearsheet
from tests.support.typed_page import command_lines

HOW_TO = ROOT / "docs" / "how-to"
PAGES = sorted(
    page.name
    for page in HOW_TO.glob("*.md")
    if page.name
    not in {"keep-data-safe.md", "reprocess.md"}  # tests/docs/test_recovery.py types these, with a second disk
)

ON_AND_ON = re.compile(
    r"tearsheet (?:--\S+ \S+ )*(?:run|serve|mcp|worker|archive replay|topic run|pipeline run|ingest|backup|restore)\b"
)
"""What goes on until it is stopped, asks the web, or needs a second disk: typed by other tests."""
FOR_SOMEBODY_ELSE = re.compile(r"\b[A-Z]{4,}\b|…|discover|feeds sync https:")
"""Lines with a reader's own values in them, or that ask the web."""
ENDS_WITH = {
    # These need a topic that was run, which takes long. `tests/acceptance/test_topic.py` runs one.
    "tearsheet topic map Rivers rivers.html": 5,
    "tearsheet topic export Rivers rivers/": 5,
    # The demo newsroom is not running here, so its feed cannot be read.
    "tearsheet feeds poll 1": 3,
    # There is no terminal here to ask for the password. `tests/cli/test_feeds.py` gives one.
    "tearsheet feeds set 1 --user laura --password-prompt": 2,
}
"""Lines that end otherwise here than for a reader."""


def lines_of(page: str) -> list[str]:
    """The command lines of a page that can be typed here: those of its blocks of code."""
    lines = [line for line in command_lines((HOW_TO / page).read_text("utf-8")) if line.startswith("tearsheet ")]
    return [line for line in lines if not ON_AND_ON.match(line) and not FOR_SOMEBODY_ELSE.search(without_quotes(line))]


def without_quotes(line: str) -> str:
    return re.sub(r"'[^']*'", "", line)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    done = tearsheet("demo", "--once", "--no-web", data=folder, timeout=280)
    assert done.returncode == 0, done.stderr
    return folder / "demo"


@pytest.fixture
def here(tmp_path: Path, demo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as a reader has it: the demo's data, and the files that the pages speak of."""
    lay_out(tmp_path, demo)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.proof  # it collects the whole demo first; test_examples.py checks the same lines without running them
@pytest.mark.parametrize("page", PAGES)
def test_every_line_of_the_page_does_what_it_is_there_for(page: str, here: Path):
    for line in lines_of(page):
        command, _, target = line.partition(" > ")
        result = in_process(*typed(command.partition(" | ")[0], here), data=Path(DATA))
        assert result.exit_code == ENDS_WITH.get(line, 0), (line, result.output, result.exception)
        assert "No stories match" not in result.output and "\n0 of " not in result.output, line
        if target:
            Path(target).write_text(result.stdout)


def typed(command: str, here: Path) -> list[str]:
    """The words of a line, as a shell hands them on; whoever types it says yes when asked."""
    words = [str(word) for part in shlex.split(command) for word in (here.glob(part) if "*/" in part else [part])]
    return [*words[1:], "--yes"] if words[1:2] == ["erase"] and "--reason" in words else words[1:]


def test_lines_are_found():
    assert sum(len(lines_of(page)) for page in PAGES) > 50
    assert "tearsheet count '\"swing bridge\"~5' --by week --csv > attention.csv" in lines_of("search-and-count.md")
    assert "tearsheet serve" not in lines_of("serve-to-others.md")
