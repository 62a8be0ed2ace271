"""The reference page of the query language tells the truth."""

from __future__ import annotations

import re

import pytest

from tearsheet.query import QueryError, parse_query
from tearsheet.query.parser import (
    MAX_DEPTH,
    MAX_LEAVES,
    MAX_LENGTH,
    MAX_NESTING,
    MAX_OPEN_WILDCARDS,
    MAX_SLOP,
    MAX_WILD_LENGTH,
    MAX_WILDCARDS,
    MAX_WILDCARDS_EACH,
)
from tearsheet.query.tree import FIELD_NAMES
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "reference" / "query-language.md").read_text("utf-8")
ROWS = [
    line.replace(r"\|", "¦").split("|")[1].replace("¦", "|") for line in PAGE.splitlines() if line.startswith("| `")
]
EXAMPLES = [example for row in ROWS for example in re.findall(r"`([^`]+)`", row)]


def test_every_example_can_be_read():
    assert len(EXAMPLES) > 30
    for example in EXAMPLES:
        assert parse_query(example).explain()


def test_every_field_and_limit_is_named():
    assert all(f"{name}:" in PAGE for name in FIELD_NAMES if name not in ("article_title", "text_content"))
    words = (MAX_WILDCARDS, MAX_WILDCARDS_EACH, MAX_WILD_LENGTH, MAX_OPEN_WILDCARDS, MAX_SLOP)
    for limit in (MAX_LENGTH, MAX_LEAVES, MAX_DEPTH, MAX_NESTING, *words):
        assert f"{limit:,}" in PAGE


@pytest.mark.parametrize("query", ["word~2", "word^2", "*word", "w*", '"a* b"', "colour:red", "+a OR b"])
def test_what_is_said_to_be_refused_is(query):
    with pytest.raises(QueryError):
        parse_query(query)
