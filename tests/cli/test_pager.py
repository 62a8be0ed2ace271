"""Long output goes through the reader's pager, short output does not."""

from __future__ import annotations

import sys

import pytest

from tearsheet.cli.pager import paged, pager_command

LINES = [f"line {number}\n" for number in range(30)]


@pytest.mark.parametrize(
    ("environ", "command"),
    [
        ({"PAGER": "more -s"}, ["more", "-s"]),
        ({"PAGER": "more", "TEARSHEET_PAGER": "most"}, ["most"]),
        ({"PAGER": "more", "TEARSHEET_PAGER": ""}, []),
        ({"PAGER": "cat"}, []),
    ],
)
def test_whose_pager_it_is(environ, command):
    assert pager_command(environ) == command


def test_what_fits_on_the_screen_is_printed(monkeypatch):
    monkeypatch.setenv("TEARSHEET_PAGER", "no-such-program")
    assert list(paged(LINES, 31)) == LINES


def test_what_does_not_fit_goes_to_the_pager(monkeypatch, tmp_path):
    read = tmp_path / "read"
    code = f"import sys, pathlib; pathlib.Path({str(read)!r}).write_text(sys.stdin.read())"
    monkeypatch.setattr("tearsheet.cli.pager.pager_command", lambda environ: [sys.executable, "-c", code])
    assert list(paged(LINES, 30)) == []
    assert read.read_text() == "".join(LINES)


def test_a_reader_who_leaves_early_is_no_error(monkeypatch):
    monkeypatch.setattr("tearsheet.cli.pager.pager_command", lambda environ: [sys.executable, "-c", ""])
    assert list(paged((f"{number}\n" * 1000 for number in range(1000)), 30)) == []


def test_without_a_pager_everything_is_printed(monkeypatch):
    for command in ("", "no-such-program"):
        monkeypatch.setenv("TEARSHEET_PAGER", command)
        assert list(paged(LINES, 10)) == LINES
