"""Counted nouns in what commands print."""

from __future__ import annotations

import ast
import itertools
import re

import pytest

from tearsheet.app.summary import Summary
from tearsheet.cli.collecting import print_summary
from tearsheet.counts import how_many
from tests.support.paths import ROOT
from tests.support.source_trees import tree_of

SOURCES = ROOT / "src" / "tearsheet"


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


NOUNS = re.compile(
    r" (?:captures|copies|documents|feeds|files|folders|links|pages|problems|records|seeds|sources|stories)\b"
)


def fixed_plurals(tree: ast.AST) -> list[str]:
    """Texts in which a number that may be one is followed by a noun for many; limits never are."""
    return [
        ast.unparse(text)
        for text in ast.walk(tree)
        if isinstance(text, ast.JoinedStr)
        for number, words in itertools.pairwise(text.values)
        if isinstance(number, ast.FormattedValue)
        and isinstance(words, ast.Constant)
        and not (number.format_spec and "g" in ast.unparse(number.format_spec))  # a mean, and no count
        and NOUNS.match(str(words.value))
        and not re.search(r"^[A-Z_]+$|\bmax_\w+$", ast.unparse(number.value))
    ]


def test_no_text_counts_one_thing_as_many():
    found = {str(path.relative_to(SOURCES)): fixed_plurals(tree_of(path)) for path in SOURCES.rglob("*.py")}
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_a_fixed_plural_would_be_seen():
    assert fixed_plurals(ast.parse('f"{count:,} stories"')) and not fixed_plurals(ast.parse('f"{MOST:,} stories"'))
