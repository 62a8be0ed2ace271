"""Counted nouns in what commands print."""

from __future__ import annotations

import pytest

from tearsheet.app.summary import Summary
from tearsheet.cli.collecting import print_summary
from tearsheet.cli.counts import how_many


@pytest.mark.parametrize(
    ("number", "words", "told"),
    [
        (1, ("story",), "1 story"),
        (0, ("story",), "0 stories"),
        (1200, ("address", "was"), "1,200 addresses were"),
        (1, ("address", "was"), "1 address was"),
        (2, ("story", "waits"), "2 stories wait"),
        (2, ("survey",), "2 surveys"),
        (3, ("WARC file",), "3 WARC files"),
        (1, ("", "was"), "1 was"),
        (2, ("", "was"), "2 were"),
    ],
)
def test_one_is_told_apart_from_many(number, words, told):
    assert how_many(number, *words) == told


def test_the_summary_of_a_run_counts_in_english(capsys):
    print_summary(Summary(feeds=1, indexed=1, archived=1, archive_files=1, archive_bytes=600_000), as_json=False)
    assert capsys.readouterr().out == "1 story indexed and 1 archived in 1 WARC file (0.6 MB), from 1 feed\n"
