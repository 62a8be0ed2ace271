"""Stories to put into an index."""

from __future__ import annotations

import hashlib
import random
from itertools import islice, permutations
from typing import Any

from tearsheet.engines.index.port import IndexedStory

DAY = 86_400_000_000_000
START = 1_700_000_000_000_000_000


COMMON = "the of and to in a is that for it".split()


def long_stories(count: int, words: int) -> list[IndexedStory]:
    """Stories of common words, each of which begins hundreds of others: what makes a query expensive."""
    rng = random.Random(1)
    rarer = [f"{word}{number}" for word in COMMON for number in range(300)]
    return [story(str(n), " ".join(COMMON), " ".join(rng.choices(COMMON * 300 + rarer, k=words))) for n in range(count)]


def near_phrases(count: int, distance: int) -> str:
    """An OR of so many phrases of five common words with a distance."""
    phrases = islice(permutations(COMMON, 5), count)
    return " OR ".join(f'"{" ".join(words)}"~{distance}' for words in phrases)


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
