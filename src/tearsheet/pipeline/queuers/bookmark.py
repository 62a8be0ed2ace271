"""How far a file was queued: so that an interrupted queuer goes on where it stopped instead of at the first row.

A file is known by its name only, and another one may come under the same name. So the stories that were queued are remembered by a
digest of their ids. A file that does not begin with the same stories is read from its start.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Mark:
    """A position in a file: how many of its stories were queued, and the digest of their ids."""

    stories: int
    digest: str


class Bookmark:
    """The position in a file that is being queued."""

    def __init__(self) -> None:
        self._stories = 0
        self._digest = hashlib.sha256()

    @property
    def mark(self) -> Mark:
        """Where we are now."""
        return Mark(self._stories, self._digest.hexdigest())

    def move(self, story_ids: Iterable[str]) -> None:
        """Go on by these stories."""
        for story_id in story_ids:
            self._stories += 1
            self._digest.update(story_id.encode("utf-8", "replace") + b"\n")

    def reaches(self, mark: Mark, story_ids: Iterable[str]) -> bool:
        """Go on to a mark of an earlier time; False when the stories on the way are others."""
        for story_id in story_ids:
            self.move([story_id])
            if self._stories == mark.stories:
                return self.mark == mark
        return False
