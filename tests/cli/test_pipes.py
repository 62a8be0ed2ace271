"""A reader who leaves early is no error: the command ends quietly, with the code that it would have had."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tearsheet.cli.pipes import let_go_of_broken_pipes
from tests.support.tearsheet_command import command, environment


@pytest.fixture
def pipe_without_a_reader() -> Iterator[int]:
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.mark.parametrize("form", ["--json", "--sources"])
def test_nobody_reads_the_results(tmp_path, pipe_without_a_reader, form):
    """One form is printed and waits in a buffer, the other is a table that rich writes at once."""
    words = command("config", "show", form, data=tmp_path)
    done = subprocess.run(
        words, stdout=pipe_without_a_reader, stderr=subprocess.PIPE, env=environment({}), timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_nobody_reads_the_error(tmp_path, pipe_without_a_reader):
    words = command("search", "(", data=tmp_path)
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=pipe_without_a_reader, env=environment({}), timeout=100, check=False
    )
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("words", [["--help"], ["search", "--help"], ["--version"]])
def test_a_help_on_a_full_disk_is_lost_and_that_is_said(tmp_path, words):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command(*words, data=tmp_path),
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment({}),
            timeout=100,
            check=False,
        )
    told = b"tearsheet: cannot write the output: No space left on device\n"
    assert (done.returncode, done.stderr) == (16, told)


def test_whole_pipes_are_left_alone(capsys):
    print("said")
    assert not let_go_of_broken_pipes()
    assert capsys.readouterr().out == "said\n"
