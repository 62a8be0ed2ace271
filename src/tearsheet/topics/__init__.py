"""Topics: from a boolean query to a map of who links to whom."""

from __future__ import annotations

from tearsheet.topics.dedupe import TitledStory, same_story
from tearsheet.topics.links import MinedLink, mine_links

__all__ = ["MinedLink", "TitledStory", "mine_links", "same_story"]
