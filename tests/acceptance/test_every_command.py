"""Every command in an empty folder and in a full one, mistyped, with a wrong value, without a terminal and at 50 columns.

An answer, or one line that says what to do, with a documented exit code: never a traceback, never nothing, never a broken address.
"""

from __future__ import annotations

import json
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from tearsheet.app.services import Services
from tearsheet.cli import app
from tearsheet.errors import EXIT_CODES
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.settings import Settings
from tearsheet.terminal import cells
from tests.support.every_command import FILES, FORMS, SERVING, SUMMARIES, WORDS, commands
from tests.support.full_folder import NAMES, SECRET, fill, url_of
from tests.support.tearsheet_command import in_process

LISTS = [
    "search *", "count *", "count * --by week", "count * --by source", "count * --by word", "stats", "stats --by source",
    f"stats --url {SECRET}", "status", "feeds list", "feeds show 1", "feeds stories 1", "sources list", "sources show 1",
    "sources gaps", "collections list", "collections show Press", "queues list", "queues peek importer-in", "archive list",
    "archive verify", "pages list", "pages check", "topic list", "topic status bridge", "topic stories bridge",
    "topic decisions bridge", "token list", "pipeline list", "config show", "config show --sources", "erase --show",
]  # fmt: skip
NARROW = 50
ASKING = {"run", "ingest", "feeds discover", "feeds poll", "topic run"}
"""Commands that ask the web: test_demo.py and test_newcomer.py run them on a newsroom."""
OFFERED = commands()
LEAVES = sorted(OFFERED)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("full")
    fill(folder)
    with Services(Settings(folder)) as services:
        feed = NewFeed(f"https://paper.example/{'a-long-way-' * 9}feed.xml", name="Paper", collections=("Press",))
        add_feeds(services.database, [feed], datetime(2026, 1, 1, tzinfo=UTC))
    return folder


def checked(*words: str, data: Path) -> Any:
    done = in_process(*words, data=data)
    assert done.exception is None or isinstance(done.exception, SystemExit), (words, done.exception)
    assert done.exit_code in EXIT_CODES and "Traceback" not in done.output, (words, done.output)
    assert done.output.strip() or "--jsonl" in words, (words, "says nothing")
    return done


def options_of(name: str) -> list[Any]:
    command: Any = get_command(app)
    for word in name.split():
        command = command.get_command(typer.Context(command), word)
    return [one for one in command.params if one.param_type_name == "option"]


def test_a_mistyped_command_is_answered_with_the_one_that_was_meant(tmp_path: Path):
    for name in LEAVES:
        *group, last = name.split()
        done = checked(*group, last[:-1] + last[-1] * 2, data=tmp_path)
        assert done.exit_code == 2 and "did you mean" in done.output.lower() and last in done.output, (
            name,
            done.output,
        )


def test_a_mistyped_option_is_answered_with_the_one_that_was_meant(tmp_path: Path):
    for name in LEAVES:
        for option in [one for one in options_of(name) if len(one.opts[0]) > 6][:1]:
            done = checked(*name.split(), option.opts[0] + "x", data=tmp_path)
            assert done.exit_code == 2 and "did you mean" in done.output and option.opts[0] in done.output, done.output


def test_a_wrong_kind_of_value_names_its_option(tmp_path: Path):
    numbers = 0
    for name in LEAVES:
        for option in [one for one in options_of(name) if one.metavar == "NUMBER"]:
            done = checked(*name.split(), option.opts[-1], "many", data=tmp_path)
            assert done.exit_code == 2 and option.opts[-1] in done.output, done.output
            numbers += 1
    assert numbers > 20


def test_every_list_is_there_for_programs_in_both_forms():
    """A command that has one of the forms has both, apart from those that print one summary of what they did."""
    lists = {name for name, options in OFFERED.items() if {"--json", "--jsonl"} & options} - SUMMARIES - FILES
    assert {name for name in lists if not {"--json", "--jsonl"} <= OFFERED[name]} == set()
    named = {
        name for name in LEAVES if name.split()[-1] in ("list", "peek", "stories", "search", "count", "gaps", "show")
    }
    assert named <= lists


@pytest.mark.parametrize("line", LISTS)
def test_in_an_empty_folder(tmp_path: Path, line: str):
    assert checked(*line.split(), data=tmp_path).exit_code in (0, 5)


@pytest.mark.parametrize("line", LISTS)
def test_at_fifty_columns_every_address_is_whole(full: Path, line: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", str(NARROW))
    shown = checked(*line.split(), data=full)
    if shown.exit_code == 5:
        return
    command = next(name for name in LEAVES if f"{line} ".startswith(f"{name} "))
    forms = {form: checked(*line.split(), form, data=full).stdout for form in FORMS[:2] if form in OFFERED[command]}
    rows = json.loads(forms["--json"]) if "--json" in forms and command != "status" else []
    if "--jsonl" in forms:
        lines = [json.loads(text) for text in forms["--jsonl"].splitlines()]
        assert [list(row) for row in rows] == [list(row) for row in lines], "the same rows in both forms"
    known = set(re.findall(r"https?://[^\s\"]+", json.dumps(rows, ensure_ascii=False)))
    for text in shown.stdout.splitlines() if rows else ():
        addresses = re.findall(r"https?://\S+", text)
        if command in ("search", "feeds list", "feeds stories", "stats", "queues peek"):
            assert set(addresses) <= known, text
        assert addresses or cells(text) <= NARROW or max(map(len, text.split())) > NARROW // 2, text


def test_every_command_that_ends_has_words_to_be_tried_with():
    assert set(LEAVES) == set(WORDS) | SERVING and WORDS.keys() >= ASKING


@pytest.mark.proof  # it opens a folder a hundred times; the tests above try the lists
@pytest.mark.parametrize("folder", ["empty", "full"])
def test_every_command_answers(folder: str, full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """In the order of their table, in which some begin or change a folder that later ones find."""
    monkeypatch.setenv("COLUMNS", str(NARROW))
    data, outside = tmp_path / "data", tmp_path / "outside"
    outside.mkdir()
    for name, kind in (
        ("page.html", "<p>A page.</p>"),
        ("sources.csv", "domain\nown.example\n"),
        ("urls.csv", "url\n"),
    ):
        (outside / name).write_text(kind)
    if folder == "full":
        shutil.copytree(full, data)
    known = {url_of(name) for name in NAMES}
    for line in [line for name, line in WORDS.items() if name not in ASKING]:
        words = [word.format(hostile="bridge", outside=outside) for word in line.split(" ")]
        done = checked(*words, data=data)
        assert len(done.stderr.splitlines()) < 12, (words, done.stderr)
        cut = [text for text in done.output.split() if any(whole.startswith(text) for whole in known - {text})]
        assert not [text for text in cut if text.startswith("https://news")], (words, done.output)
