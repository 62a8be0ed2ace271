"""SECURITY.md: every promise names tests, and they exist."""

from __future__ import annotations

import re

import pytest

from tests.support.paths import ROOT

PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
ROWS = re.findall(r"^\| (?!Boundary |---)(.+?) \| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)
BOUNDARIES = (
    "The web that we fetch from", "Feeds", "Archives", "The web server", "Other sites", "Proxies", "Captured pages", "The terminal",
    "Spreadsheets", "Agents", "Child processes", "Messages", "The data folder", "Secrets", "The supply chain",
)  # fmt: skip


@pytest.mark.parametrize("name", BOUNDARIES)
def test_every_boundary_has_a_promise(name):
    assert [row for row in ROWS if row[0].startswith(name)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_promise_is_shown_by_tests_that_exist(row):
    named = row[2].split(", ")
    assert all(re.fullmatch(r"`tests/(?:\w+/)*test_\w+\.py`", test) for test in named)
    assert [test for test in named if not (ROOT / test.strip("`")).is_file()] == []


def test_every_row_is_read():
    assert len(ROWS) == PAGE.count("\n| ") - 1
