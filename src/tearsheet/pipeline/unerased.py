"""Around a stage: stories that were erased end here, whatever brings them back, and are counted as `erased`.

What the ledger then notes names neither their addresses nor their titles: that is what was to be forgotten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from tearsheet.archive import REASON, Erased
from tearsheet.story import ContentMetadata, HTTPMetadata, RSSEntry, Story
from tearsheet.work import AsyncStage, BatchStage, Drop, KeepingStage, Kept, Result, domain_of

R = TypeVar("R")


class Unerased:
    """A stage that gets no erased stories, for example a fetcher: what was erased is not even asked for."""

    def __init__(self, stage: AsyncStage, erased: Erased) -> None:
        self._stage = stage
        self._erased = erased

    async def process(self, story: Story) -> Story | Sequence[Story]:
        """Work on the story. Raises Drop when it was erased, before or after its final address was known."""
        await self._check(story)
        results = await self._stage.process(story)
        for result in [results] if isinstance(results, Story) else results:
            await self._check(result)
        return results

    async def _check(self, story: Story) -> None:
        if (await asyncio.to_thread(self._erased.of_stories, [story]))[0]:
            forget(story)
            raise Drop(REASON)


class UnerasedBatch:
    """A batch stage that gets no erased stories."""

    def __init__(self, stage: BatchStage, erased: Erased) -> None:
        self._stage = stage
        self._erased = erased

    def process_batch(self, stories: Sequence[Story]) -> Sequence[Result]:
        """Work on those that were not erased."""
        return _without_erased(self._stage.process_batch, stories, self._erased)


class UnerasedKeeping:
    """A stage that gathers stories, for example an archiver, and gets no erased ones."""

    def __init__(self, stage: KeepingStage, erased: Erased) -> None:
        self._stage = stage
        self._erased = erased
        self.finish = stage.finish
        self.given_up = stage.given_up
        self.abandon = stage.abandon

    def process_batch(self, stories: Sequence[Story]) -> Sequence[Result | Kept]:
        """Add those that were not erased."""
        return _without_erased(self._stage.process_batch, stories, self._erased)


def _without_erased(
    process: Callable[[Sequence[Story]], Sequence[R]], stories: Sequence[Story], erased: Erased
) -> list[R | Drop]:
    gone = erased.of_stories(stories)
    done = iter(process([story for story, is_gone in zip(stories, gone, strict=True) if not is_gone]))
    results: list[R | Drop] = []
    for story, is_gone in zip(stories, gone, strict=True):
        if is_gone:
            forget(story)
        results.append(Drop(REASON) if is_gone else next(done))
    return results


def forget(story: Story) -> None:
    """Leave of a story only what says whose it was: its id, its source and its feed."""
    entry = story.rss_entry
    story.rss_entry = RSSEntry(
        domain=domain_of(story), source_feed_id=entry.source_feed_id, source_source_id=entry.source_source_id
    )
    story.http_metadata, story.content_metadata = HTTPMetadata(), ContentMetadata()
    story.raw_html.html, story.exchanges = None, []
