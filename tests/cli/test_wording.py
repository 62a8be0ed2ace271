"""What is said of a command line that cannot be understood: in our words, and how to put it right."""

from __future__ import annotations

import pytest

from tests.support.tearsheet_command import in_process


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("serch", "there is no command 'serch'; did you mean search?"),
        ("feeds lst", "there is no command 'lst'; did you mean list?"),
        ("feeds xyzzy", "there is no command 'xyzzy'; `tearsheet feeds --help` lists them"),
        ("search flood --limit abc", "--limit: 'abc' is no whole number"),
        ("search flood ferry boat", "write a query of several words in quotes: 'flood ferry boat'"),
        ("count flood ferry", "write a query of several words in quotes: 'flood ferry'"),
        ("status now", "too much was given: now; `tearsheet status --help` says what it takes"),
    ],
)
def test_a_mistake_is_told_in_our_words(tmp_path, words, told):
    done = in_process(*words.split(), data=tmp_path)
    assert (done.exit_code, told in " ".join(done.output.split())) == (2, True), done.output


@pytest.mark.parametrize(("command", "usage"), [("run", "[FEED…]"), ("queues dump-archives", "[QUEUE…]")])
def test_an_argument_that_may_be_left_out_has_one_pair_of_brackets(tmp_path, command, usage):
    line = in_process(*command.split(), "--help", data=tmp_path).output.splitlines()[0]
    assert line.endswith(f" {usage}"), line
