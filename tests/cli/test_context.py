"""Results that cannot be written are an error: one line that says so, and the exit code of a full disk."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from subprocess import PIPE

import pytest

from tearsheet.app import Services
from tearsheet.cli.context import write_out
from tearsheet.settings import Settings
from tests.support.index_stories import story
from tests.support.tearsheet_command import command, environment

STDOUT, STDERR = 1, 2
WORDS = pytest.mark.parametrize(
    "words",
    [
        ["search", "*", "--limit", "0", "--jsonl"],
        ["search", "*", "--csv"],
        ["config", "show", "--json"],
        ["config", "show", "--sources"],
        ["--version"],
    ],
    ids=["jsonl", "csv", "json", "table", "version"],
)


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """A data folder with one story, so that every form has something to print."""
    folder: Path = tmp_path_factory.mktemp("data")
    with Services(Settings(data=folder)) as services:
        services.index.add([story("1", "The flood", "Water rises.")])
    return folder


@pytest.fixture
def full() -> Iterator[int]:
    """A file on a disk without any room."""
    descriptor = os.open("/dev/full", os.O_WRONLY)
    yield descriptor
    os.close(descriptor)


def ended(
    data: Path, words: list[str], *, without: int | None = None, stdout: int = PIPE, stderr: int = PIPE
) -> tuple[int, bytes]:
    """How a command ends, and what it says on stderr; `without` is a descriptor that is closed before it starts."""
    done = subprocess.run(
        command(*words, data=data),
        stdout=stdout,
        stderr=stderr,
        env=environment({}),
        preexec_fn=None if without is None else partial(os.close, without),
        timeout=100,
        check=False,
    )
    return done.returncode, done.stderr


@WORDS
def test_a_full_disk_is_told_in_one_line(data, full, words):
    assert ended(data, words, stdout=full) == (16, b"tearsheet: cannot write the output: No space left on device\n")


@WORDS
def test_a_closed_output_is_told_in_one_line(data, words):
    assert ended(data, words, without=STDOUT) == (
        16,
        b"tearsheet: cannot write the output: standard output is closed\n",
    )


def test_an_error_that_cannot_be_told_keeps_its_exit_code(data, full):
    assert ended(data, ["search", "("], stderr=full)[0] == 2
    assert ended(data, ["search", "("], without=STDERR)[0] == 2


def test_what_goes_wrong_in_making_a_line_is_no_error_of_the_output():
    def lines() -> Iterator[bytes]:
        yield b""
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        write_out(lines())
