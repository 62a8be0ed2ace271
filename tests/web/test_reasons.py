"""What templates call: reasons, sizes, languages, addresses."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tearsheet.pipeline
from tearsheet.web import render
from tearsheet.web.reasons import REASON_WORDS, reason_in_words


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
    assert reasons_in_the_code() - REASON_WORDS.keys() == set()


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
    assert reason_in_words(reason) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (1_234_567, "1.2 MB"), (10**16, "10000.0 TB")],
)
def test_sizes(count, words):
    assert render.size(count) == words


@given(st.text(max_size=40))
def test_only_web_addresses_become_links(text):
    assert render.web_address("javascript:" + text) == ""
    assert render.web_address("data:text/html," + text) == ""


def test_text_becomes_paragraphs_and_stays_text():
    assert render.paragraphs("a <b>\n\n c & d\n") == "<p>a &lt;b&gt;</p>\n<p>c &amp; d</p>"
