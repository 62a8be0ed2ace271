"""The importer: stories into the index, many at once. The first copy of a story wins; later ones end here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines.index import AddResult, Index, IndexedStory
from tearsheet.index import NotIndexable, indexed_story
from tearsheet.story import Story
from tearsheet.work import Drop, Outcome, Quarantine, Result


class Importer:
    """A batch stage. What it returns is already safe in the index."""

    def __init__(self, index: Index, clock: Clock = wall_clock) -> None:
        self._index = index
        self._clock = clock

    def process_batch(self, stories: Sequence[Story]) -> Sequence[Result]:
        """Index stories. New ones, and redelivered ones whose own copy is in the index, go on with their dates filled in."""
        results: list[Result] = list(stories)
        indexed: dict[int, IndexedStory] = {}
        for position, story in enumerate(stories):
            try:
                indexed[position] = indexed_story(story, utc_now(self._clock))
            except NotIndexable as error:
                results[position] = _not_indexable(error)
        added = self._index.add(list(indexed.values()))
        for (position, document), outcome in zip(indexed.items(), added, strict=True):
            results[position] = _result(stories[position], document, outcome)
        return results


def _not_indexable(error: NotIndexable) -> Outcome:
    """Whoever made a story that lacks something should look at it; what is no news, or not collected, does not belong there."""
    return (Drop if error.reason in ("non-news", "spidered") else Quarantine)(error.reason, error.detail)


def _result(story: Story, document: IndexedStory, outcome: AddResult) -> Result:
    if outcome.status == "duplicate":
        return Drop("dups", f"{document.url} was indexed first as story {outcome.first_story_id}")
    content = story.content_metadata
    content.publication_date = document.publication_date
    content.publication_date_source = document.extra.get("publication_date_source")
    if not content.parsed_date:
        moment = datetime.fromtimestamp(document.indexed_date // 1_000_000_000, UTC)
        content.parsed_date = f"{moment:%Y-%m-%dT%H:%M:%S}.{document.indexed_date // 1000 % 1_000_000:06}"
    return story
