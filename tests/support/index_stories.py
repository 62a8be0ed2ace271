"""Stories to put into an index."""

from __future__ import annotations

import hashlib
from typing import Any

from tearsheet.engines.index.port import IndexedStory

DAY = 86_400_000_000_000
START = 1_700_000_000_000_000_000


def story(name: str, title: str = "", text: str = "", **more) -> IndexedStory:
    """A story whose id and addresses are made from its name."""
    fields: dict[str, Any] = {
        "id": hashlib.sha256(name.encode()).hexdigest(),
        "story_id": f"story-{name}",
        "url": f"https://example.com/{name}",
        "canonical_domain": "example.com",
        "indexed_date": START,
        "article_title": title,
        "text_content": text,
        "language": "en",
        "publication_date": "2024-01-05",
    }
    return IndexedStory(**(fields | more))
