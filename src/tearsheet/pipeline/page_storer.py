"""The page storer: puts each story's page into the dated page store, beside the archive, if `pages.active` is set."""

from __future__ import annotations

from collections.abc import Sequence

from tearsheet.errors import UsageError
from tearsheet.pagestore import PageStore, put_story
from tearsheet.story import Story
from tearsheet.work import Quarantine, Result


class PageStorer:
    """A batch stage. Storing a redelivered story again changes nothing."""

    def __init__(self, store: PageStore) -> None:
        self._store = store

    def process_batch(self, stories: Sequence[Story]) -> Sequence[Result]:
        """Store the stories' pages. When this returns, they are on disk."""
        return [self._put(story) for story in stories]

    def _put(self, story: Story) -> Result:
        try:
            put_story(self._store, story)
        except UsageError as error:
            return Quarantine("no-page", str(error))
        return story
