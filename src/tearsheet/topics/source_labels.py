"""Labels of sources from a table that somebody else made, such as where newspapers stand politically: a set of foci."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from tearsheet.counts import how_many
from tearsheet.errors import UsageError
from tearsheet.tables import csv_table_in, unguarded
from tearsheet.topics.foci import SET_MARK, Focus
from tearsheet.urls import BadURL, canonical_domain

LABEL_COLUMN = "label"
SOURCE_COLUMNS = ("source", "media", "domain", "url")
"""Columns that may name the source; the first one that is there counts."""
MOST_LABELS = 50
LONGEST_LABEL = 40


@dataclass(slots=True, frozen=True)
class Labels:
    """The labels of a table, and what is wrong with some of its lines."""

    by_source: Mapping[str, tuple[str, int]]
    """The label of each source, and the line where it stands."""
    refused: list[str]
    """By line, in their order."""

    def foci(self, set_name: str) -> dict[str, Focus]:
        """A focus for each label, with the sources that have it."""
        sources: dict[str, list[str]] = defaultdict(list)
        for source, (label, _) in self.by_source.items():
            sources[label].append(source)
        return {
            f"{set_name}{SET_MARK}{label}": Focus(sources=tuple(sorted(sources[label]))) for label in sorted(sources)
        }

    def unknown(self, known: Collection[str]) -> Iterator[str]:
        """What is said, by line, of sources that are not among these."""
        for source, (_, line) in self.by_source.items():
            if source not in known:
                yield f"line {line}: {source} has no story in the topic"


def read_labels(body: bytes) -> Labels:
    """The labels of a CSV file with the columns `source` and `label`. Cells are separated by commas, semicolons or tabs.

    Lines without a source or a label are refused, and so is a second label of a source. Raises UsageError for a file that is no
    such table.
    """
    found: dict[str, tuple[str, int]] = {}
    refused: list[str] = []
    column = ""
    for line, row in csv_table_in(body, [LABEL_COLUMN]):
        column = column or _source_column(row)
        text, label = unguarded(row[column]).strip(), unguarded(row[LABEL_COLUMN]).strip()
        source = _source(text)
        before = found.get(source, (label, line))[0]
        if not source:
            refused.append(f"line {line}: {text[:80]!r} is no source" if text else f"line {line}: no source")
        elif not label:
            refused.append(f"line {line}: {source} has no label")
        elif len(label) > LONGEST_LABEL:
            refused.append(f"line {line}: a label has at most {LONGEST_LABEL} characters")
        elif before != label:
            refused.append(f"line {line}: {source} is {before!r} by an earlier line, and here {label!r}")
        else:
            found.setdefault(source, (label, line))
    labels = {label for label, _ in found.values()}
    if not found:
        raise UsageError("; ".join(["no line has a source and a label", *refused[:1]]))
    if len(labels) > MOST_LABELS:
        raise UsageError(
            f"there are {how_many(len(labels), 'label')}, and {MOST_LABELS} at most can be compared: put numbers into classes first"
        )
    return Labels(found, refused)


def _source_column(row: Mapping[str, str]) -> str:
    for column in SOURCE_COLUMNS:
        if column in row:
            return column
    raise UsageError(
        f"line 1: there is no column {SOURCE_COLUMNS[0]!r} (or {', '.join(map(repr, SOURCE_COLUMNS[1:]))})"
    )


def _source(text: str) -> str:
    """The source that an address or a domain belongs to, as it stands in topics; empty if it is neither."""
    try:
        return canonical_domain(text if "://" in text else f"http://{text}/").lower() if text else ""
    except BadURL:
        return ""
