"""The live table of a run: what is said meanwhile stands above it, whole, and nothing of it remains."""

from __future__ import annotations

import io
import logging
import re
import sys

import pytest

from tearsheet.cli.context import err
from tearsheet.cli.live import _HEADINGS, LiveTable
from tearsheet.log import set_up_logging
from tests.support.pseudo_terminal import on_screen

STAGES = [("fetcher", "188", "14.1", "3", "1", "22"), ("parser", "130", "9.7", "0", "0", "0")]
ADDRESS = f"https://paper.example/{'a-long-way-' * 9}feed.xml"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def open_terminal(monkeypatch: pytest.MonkeyPatch, width: int) -> Terminal:
    window = Terminal()
    monkeypatch.setattr(sys, "stderr", window)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return window


def test_logs_and_messages_stand_above_it_whole_and_nothing_of_it_remains(monkeypatch: pytest.MonkeyPatch):
    terminal = open_terminal(monkeypatch, 50)
    set_up_logging()
    with LiveTable("demo newsroom") as live:
        live.update(STAGES, None, "")
        err.print("first")  # whatever is printed draws the table again
        logging.getLogger("tearsheet.archive").info("archive file written", extra={"url": ADDRESS})
        err.print(f"{ADDRESS}: it cannot be read")
        seen = on_screen(terminal.getvalue())
    err.print("120 stories indexed")
    assert seen.count("demo newsroom") == 1 and seen.count("parser") == 1
    first, logged, *told = on_screen(terminal.getvalue()).splitlines()
    assert (first, told) == ("first", [f"{ADDRESS}: it cannot be read", "120 stories indexed"])
    assert logged.endswith(f"archive file written url={ADDRESS}")


@pytest.mark.parametrize(("width", "columns"), [(30, 2), (50, 4), (64, 6), (120, 6)])
def test_columns_are_shown_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch, width: int, columns: int):
    terminal = open_terminal(monkeypatch, width)
    with LiveTable("") as live:
        live.update(STAGES, None, "")
        err.print("now")
        _, headings, fetcher, _ = on_screen(terminal.getvalue()).splitlines()
    assert re.split(r"  +", headings.strip()) == list(_HEADINGS[:columns])
    assert fetcher.split() == list(STAGES[0][:columns])


def test_the_feed_that_is_waited_for_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch):
    terminal = open_terminal(monkeypatch, 50)
    with LiveTable("") as live:
        live.update(STAGES, None, "", f"0 of 1 feed polled; 12 s of at most 80 s at {ADDRESS}")
        *_, last = on_screen(terminal.getvalue()).splitlines()
    assert last.strip() == "0 of 1 feed polled; 12 s of at most 80 s at https…"
