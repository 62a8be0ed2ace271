"""Reasons in words: each that a stage gives has them, and another speaks for itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import tearsheet.pipeline
from tearsheet.web.reasons import REASON_TEXTS, describe_reason


def reasons_in_the_code() -> set[str]:
    """Every reason that a stage of the pipeline gives as a plain word."""
    found = set()
    for file in Path(tearsheet.pipeline.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            name = getattr(getattr(node, "func", None), "id", "")
            if name in ("Drop", "Quarantine", "Retry", "NotIndexable") and node.args:  # type: ignore[attr-defined]  # a call
                first = node.args[0]  # type: ignore[attr-defined]  # a call
                if isinstance(first, ast.Constant):
                    found.add(str(first.value))
    return found


def test_every_reason_of_the_stages_has_words():
    assert len(reasons_in_the_code()) > 10
    assert reasons_in_the_code() - REASON_TEXTS.keys() == set()


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
