"""Fill an index from archived stories, or from another index. Stories keep their dates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from tearsheet.chunks import chunks
from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines.index import Index, IndexedStory
from tearsheet.index.documents import NotIndexable, indexed_story
from tearsheet.story import Story

BATCH = 500
Known = TypeVar("Known")


@dataclass(slots=True)
class Rebuilt:
    """What became of the stories that were read."""

    created: int = 0
    there_already: int = 0
    duplicates: int = 0
    not_indexable: int = 0

    @property
    def total(self) -> int:
        """All stories that were read."""
        return self.created + self.there_already + self.duplicates + self.not_indexable


def rebuild_from_stories(
    index: Index,
    stories: Iterable[Story],
    progress: Callable[[Rebuilt], None] | None = None,
    clock: Clock = wall_clock,
) -> Rebuilt:
    """Index archived stories that are not indexed yet. They keep their dates; it may be stopped and restarted at any time."""
    return fill_index(index, stories, indexed_story, progress, clock)


def fill_index(
    index: Index,
    stories: Iterable[Known],
    form: Callable[[Known, datetime], IndexedStory],
    progress: Callable[[Rebuilt], None] | None = None,
    clock: Clock = wall_clock,
) -> Rebuilt:
    """Index what `form` makes of stories, unless it is there already."""
    report = Rebuilt()
    for batch in chunks(stories, BATCH):
        documents = []
        for story in batch:
            try:
                documents.append(form(story, utc_now(clock)))
            except NotIndexable:
                report.not_indexable += 1
        for result in index.add(documents):
            if result.status == "created":
                report.created += 1
            elif result.status == "own":
                report.there_already += 1
            else:
                report.duplicates += 1
        if progress is not None:
            progress(report)
    index.refresh()
    return report
