"""The indexes that the contract suite runs against, and stories to put into them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from tearsheet.engines.index_tantivy import TantivyIndex
from tearsheet.engines.ports import Index, IndexedStory

DAY = 86_400_000_000_000
START = 1_700_000_000_000_000_000


class TantivyHarness:
    """A fresh folder; each `open` is another look at it, as from another process."""

    name = "tantivy"

    def prepare(self, tmp_path: Path) -> None:
        self.place = tmp_path

    def open(self) -> Index:
        return TantivyIndex(self.place / "index")

    def clean(self) -> None:
        pass


INDEXES = [pytest.param(TantivyHarness, id="tantivy")]


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
