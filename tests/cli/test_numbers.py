"""No number that a user types ends a command with a traceback."""

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from tearsheet.cli import app
from tests.support.every_command import commands
from tests.support.tearsheet_command import in_process


def numbers() -> Iterator[tuple[str, str]]:
    """Every option or argument that takes a number, with the command that has it."""
    for name in commands():
        command: Any = get_command(app)
        for word in name.split():
            command = command.get_command(None, word)
        for parameter in command.params:
            if parameter.bare_type() in ("int", "float"):
                yield name, parameter.opts[-1]


EVERY = list(numbers())


def test_options_with_numbers_are_found():
    assert {("search", "--limit"), ("topic map", "--snapshot"), ("topic create", "--seconds")} <= set(EVERY)


@pytest.mark.parametrize("value", [10**20, -(10**20), "1e300", "nan"])
def test_no_option_takes_a_number_that_nothing_can_hold(value, tmp_path):
    """Every command stops here before it begins, whatever else it would need."""
    for name, option in EVERY:
        command: Any = get_command(app)
        for word in name.split():
            command = command.get_command(None, word)
        needed = [one for one in command.params if one.param_type_name == "argument" and one.required]
        words = [str(value) if one.opts[-1] == option else "x" for one in needed]
        given = () if str(value) in words else (option, str(value))
        done = in_process(*name.split(), *words, *given, data=tmp_path / "none")
        told = option if given else next(one.metavar for one in needed if one.opts[-1] == option)
        assert done.exit_code == 2 and told in done.output, (name, option, done.output, done.exception)
    assert not (tmp_path / "none").exists()


def test_the_largest_value_is_said(tmp_path):
    assert (
        "less than or equal to 1000000000"
        in in_process("search", "flood", "--limit", str(10**20), data=tmp_path).output
    )


@pytest.mark.parametrize(
    "words",
    [
        "search x --limit {}",
        "count x --by source --limit {}",
        "feeds list --limit {} --source {}",
        "feeds add http://a.example/feed.xml --every {}",
        "feeds show 1 --events {}",
        "feeds stories 1 --limit {}",
        "feeds set 1 --every {}",
        "sources list --limit {}",
        "collections list --limit {}",
        "queues peek fetcher-in --limit {}",
        "queues requeue fetcher --limit {}",
        "archive list --limit {}",
        "topic create Floods flood --iterations {} --max-stories {}",
        "topic map Floods map.html --snapshot {}",
        "sources gaps --days 36500",
        "stats --days 36500",
        "token create x --days 36500",
        "feeds show {}00000000000",
        "sources show {}00000000000",
        "collections show {}00000000000",
    ],
)
def test_the_largest_number_that_is_taken_can_be_counted_with(words, folder):
    done = in_process(*words.format(10**9, 10**9).split(), data=folder)
    assert done.exit_code in (0, 2, 3, 5), (done.output, done.exception)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    assert in_process("feeds", "add", "http://a.example/feed.xml", data=folder).exit_code == 0
    return folder


@pytest.mark.parametrize(
    "command", ["sources list", "collections list", "feeds list", "feeds discover x", "feeds stories 1"]
)
def test_a_list_of_nothing_is_refused(command, tmp_path):
    """It would say that there is nothing, though there is."""
    done = in_process(*command.split(), "--limit", "0", data=tmp_path)
    assert done.exit_code == 2 and "--limit" in done.output
