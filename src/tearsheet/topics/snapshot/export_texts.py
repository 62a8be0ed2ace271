"""The texts of stories in exported tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

TextsOf = Callable[[Sequence[str]], Mapping[str, str]]
"""The texts of stories by their ids; those that are kept nowhere any more are left out."""
TEXT = "text"


def with_texts(
    columns: Sequence[str], rows: Sequence[tuple[Any, ...]], texts: TextsOf
) -> tuple[Sequence[str], list[tuple[Any, ...]]]:
    """A table of stories with a further column: the text of each, empty for one that has none."""
    place = columns.index("stories_id")
    found = texts([row[place] for row in rows])
    return (*columns, TEXT), [(*row, found.get(row[place], "")) for row in rows]
