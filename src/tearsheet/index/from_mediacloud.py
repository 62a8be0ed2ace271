"""A story that Media Cloud indexed, as a story of ours."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from tearsheet.engines.index import IndexedStory
from tearsheet.index.documents import indexed_story
from tearsheet.story import ContentMetadata, Story, make_story_id

_FIELDS = {
    name: name for name in ("url", "canonical_domain", "article_title", "text_content", "language", "publication_date")
} | {"parsed_date": "indexed_date"}
"""Our fields, and what they are called there."""


def story_of_mediacloud(document: tuple[str, Mapping[str, Any]], now: datetime) -> IndexedStory:
    """The story of a document of Media Cloud's index, with the date and the id that it has there. Raises NotIndexable."""
    identifier, source = document
    content = ContentMetadata()
    for field, name in _FIELDS.items():
        if source.get(name):
            setattr(content, field, str(source[name]))
    story = Story(make_story_id("mediacloud", identifier), content_metadata=content)
    found = indexed_story(story, now)
    if found.mediacloud_id != identifier:
        found.extra["mediacloud_id"] = identifier
    return found
