"""Each table of names exists once in the tree: two that hold mostly the same names drift apart, and users meet the difference."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path

import tearsheet

SMALLEST = 8
"""Tables with fewer names than this are part of the rule that uses them."""
MOSTLY = 0.5
LEFT_OUT = ("tearsheet.__main__", "tearsheet.demo", "tearsheet.engines.database.migrations")
"""The demo writes what the program reads, so that it needs tables of its own; migrations repeat the tables on purpose."""
ALIKE = {
    # Made from the other when the program starts.
    ("tearsheet.extract.blocks.CONTAINER_TAGS", "tearsheet.extract.blocks.TAG_NUMBER"),
    ("tearsheet.extract.dates._MONTHS", "tearsheet.lexicon.months.MONTHS"),
    ("tearsheet.ingest.resource_elements.UNWANTED_HOSTS", "tearsheet.ingest.resources._UNWANTED"),
    ("tearsheet.topics.snapshot.export.COLUMN_TYPES", "tearsheet.topics.snapshot.export.STORY_COLUMNS"),
    # What an export shows of a source, and of a story: the figures of both are counted alike.
    ("tearsheet.topics.snapshot.export.MEDIUM_COLUMNS", "tearsheet.topics.snapshot.export.STORY_COLUMNS"),
    # What a block is in, and what it is next to: each was chosen for what the model learned from it.
    ("tearsheet.extract.blocks.AROUND_TAGS", "tearsheet.extract.features._NEAR_TAGS"),
    # What is known of a feed by polling it, and what of that is forgotten when it moves.
    ("tearsheet.feeds.catalogue.feed_changes._FORGOTTEN", "tearsheet.feeds.polling.result_store.RESULT_COLUMNS"),
    # The columns of a list of feeds, and what they are called in reports.
    ("tearsheet.feeds.catalogue.csv_lists.COLUMNS", "tearsheet.feeds.catalogue.matching._NAMES"),
    # What each kind of failed request means to the one who asked: their keys are the kinds.
    ("tearsheet.feeds.polling.statuses.FETCH_ERRORS", "tearsheet.fetch.model.ERROR_KINDS"),
    ("tearsheet.feeds.polling.statuses.FETCH_ERRORS", "tearsheet.ingest.statuses._OF_KIND"),
    ("tearsheet.fetch.model.ERROR_KINDS", "tearsheet.ingest.statuses._OF_KIND"),
    # What an export shows of a story, and what a query may ask of it.
    ("tearsheet.archive.replay._HEADERS", "tearsheet.web.security.HEADERS"),  # of captured pages, and of our own
    ("tearsheet.index.export.COLUMNS", "tearsheet.query.tree.FIELD_NAMES"),
}
"""Tables that may share names, and why."""


def tables() -> Iterator[tuple[str, frozenset[str]]]:
    """The name of each table and the names in it, where it is defined."""
    for found in pkgutil.walk_packages(tearsheet.__path__, "tearsheet."):
        if found.name.startswith(LEFT_OUT):
            continue
        module = importlib.import_module(found.name)
        source = Path(module.__file__ or "").read_text("utf-8")
        for attribute, value in vars(module).items():
            if re.search(rf"(?m)^{attribute}\b[^=\n]*=", source):
                for inner, names in parts(value):
                    if len(names) >= SMALLEST:
                        yield f"{found.name}.{attribute}{inner}", names


def parts(value: object) -> Iterator[tuple[str, frozenset[str]]]:
    """A collection of texts; of a mapping its keys, and each collection that it holds."""
    if isinstance(value, Mapping):
        yield from named("", value.keys())
        for key, inner in value.items():
            if isinstance(inner, (tuple, list, set, frozenset)):
                yield from named(f"[{key}]", inner)
    elif isinstance(value, (tuple, list, set, frozenset)):
        yield from named("", value)


def named(label: str, values: Iterable[object]) -> Iterator[tuple[str, frozenset[str]]]:
    texts = list(values)
    if texts and all(isinstance(text, str) for text in texts):
        yield label, frozenset(str(text) for text in texts)


def mostly_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) > MOSTLY * max(len(one), len(other))


def test_no_two_tables_have_mostly_the_same_names():
    found = dict(tables())
    assert {"tearsheet.lexicon.months.MONTHS", "tearsheet.lexicon.shorteners.SHORTENERS"} <= found.keys()
    pairs = combinations(sorted(found.items()), 2)
    assert {(a, b) for (a, names), (b, others) in pairs if mostly_the_same(names, others)} == ALIKE


def test_a_copy_would_be_found():
    months = dict(tables())["tearsheet.lexicon.months.MONTHS"]
    assert mostly_the_same(months, frozenset(sorted(months)[len(months) // 3 :]) | {"a", "b", "c"})
    assert not mostly_the_same(months, frozenset("abcdefghij") | {"may"})
