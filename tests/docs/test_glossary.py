"""The glossary has every word that the program is built around, each once and in order."""

from __future__ import annotations

import re

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "reference" / "glossary.md").read_text("utf-8")
WORDS = re.findall(r"^\| (?!word |---)([^|]+?) \| \S", PAGE, re.MULTILINE)
BUILT_AROUND = {
    "source", "feed", "entry", "story", "stage", "queue", "pipeline", "capture", "topic", "link", "snapshot", "ingest",
    "collection", "engine", "port", "index", "archive", "ledger", "worker", "queuer", "quarantine", "reason", "gap", "citation",
}  # fmt: skip


def test_every_word_that_the_program_is_built_around_is_there():
    assert set(WORDS) >= BUILT_AROUND


def test_each_word_is_there_once_and_in_order():
    assert sorted(set(WORDS)) == WORDS
    assert len(WORDS) == PAGE.count("\n| ") - 1
