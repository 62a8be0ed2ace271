"""A result that can be cited: what was asked, when, and a digest by which anyone can tell whether they got the same stories."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from tearsheet import __version__
from tearsheet.counts import how_many
from tearsheet.engines.index import Index, IndexedStory
from tearsheet.index.answers import all_stories
from tearsheet.query import Query


@dataclass(slots=True, frozen=True)
class Result:
    """The stories of a query, in figures that identify them."""

    stories: int
    sources: int
    first_day: str | None
    """The first and the last day of publication."""
    last_day: str | None
    sha256: str
    """Digest of the sorted ids of the stories, one per line. An id is the SHA-256 of a story's normalised URL."""


@dataclass(slots=True, frozen=True)
class Citation:
    """What a reader needs to find the same stories again."""

    query: str
    meaning: str
    filters: dict[str, Any]
    """By their names; `as_of` is the moment up to which stories were indexed."""
    result: Result
    repeat: str
    """A command that exports the same stories."""
    tearsheet: str = __version__


def describe(stories: Iterable[IndexedStory]) -> Result:
    """The figures of some stories, in any order."""
    ids: list[str] = []
    sources: set[str] = set()
    first = last = None
    for story in stories:
        ids.append(story.id)
        sources.add(story.canonical_domain)
        day = story.publication_date
        if day is not None:
            first, last = min(first or day, day), max(last or day, day)
    digest = hashlib.sha256("".join(f"{id_}\n" for id_ in sorted(ids)).encode()).hexdigest()
    return Result(len(ids), len(sources), first, last, digest)


def result_of(index: Index, query: Query) -> Result:
    """The figures of all stories that a query finds."""
    return describe(all_stories(index, query, text=False, order="indexed-oldest"))


def sentence(citation: Citation, today: date) -> str:
    """The citation as a sentence for a methods section or a footnote."""
    result = citation.result
    span = f", published {result.first_day} to {result.last_day}" if result.first_day else ""
    return (
        f"{how_many(result.stories, 'story')} of {how_many(result.sources, 'source')}{span}, matching “{citation.query}”, "
        f"collected with Tearsheet {citation.tearsheet} up to {citation.filters['as_of']}; "
        f"retrieved {today}; SHA-256 of the story ids {result.sha256}."
    )
