"""Reasons in words: each that a stage gives has them, and another speaks for itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import tearsheet.archive
import tearsheet.index
import tearsheet.pipeline
import tearsheet.work
from tearsheet.pipeline.fetcher import COUNTED_STATUSES, status_counter
from tearsheet.web.reasons import REASON_TEXTS, describe_reason
from tests.support.source_trees import source_trees

PLACE_OF_REASON = {
    "Drop": 0,
    "Quarantine": 0,
    "Retry": 0,
    "Skipped": 0,
    "NotIndexable": 0,
    "Problem": 1,
    "Unreadable": 1,
}
"""What says why a story or a row is left out, and which of its arguments is the reason."""


def nodes_of(package: ModuleType) -> Iterator[ast.AST]:
    assert package.__file__ is not None
    for tree in source_trees(Path(package.__file__).parent).values():
        yield from ast.walk(tree)


def reasons_in_the_code() -> set[str]:
    """Every reason that a stage or a queuer gives as a plain word."""
    found = set()
    for node in nodes_of(tearsheet.pipeline):
        place = PLACE_OF_REASON.get(getattr(getattr(node, "func", None), "id", ""))
        if isinstance(node, ast.Call) and place is not None and len(node.args) > place:
            reason = node.args[place]
            if isinstance(reason, ast.Constant):
                found.add(str(reason.value))
    return found


def test_every_reason_that_is_given_has_words():
    assert len(reasons_in_the_code()) > 20
    assert reasons_in_the_code() - REASON_TEXTS.keys() == set()


def test_every_reason_in_the_table_is_given():
    written = {
        node.value
        for package in (tearsheet.archive, tearsheet.index, tearsheet.pipeline, tearsheet.work)
        for node in nodes_of(package)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert REASON_TEXTS.keys() - written - {status_counter(status) for status in COUNTED_STATUSES} == set()


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("http-5xx", "the server had an error (5xx)"),
        ("http-418", "the server refuses the request (418)"),
        ("some-new-one", "some new one"),
        ("", "no reason given"),
    ],
)
def test_a_reason_that_is_not_in_the_table_speaks_for_itself(reason, words):
    assert describe_reason(reason) == words
