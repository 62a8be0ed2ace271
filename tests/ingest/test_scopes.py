"""What a page is, by how much it says."""

from __future__ import annotations

from typing import Any

import pytest

from tearsheet.ingest.model import Biblio
from tearsheet.ingest.scopes import PageFeatures, scope_of


def page(**more: Any) -> PageFeatures:
    facts: dict[str, Any] = {
        "url": "http://a.example/x/y",
        "biblio": Biblio(),
        "platform": None,
        "word_count": 0,
        "visible": "",
        "markup": "",
    }
    return PageFeatures(**(facts | more))


@pytest.mark.parametrize(
    ("words", "platform", "scope"),
    [
        (19, None, "stub"), (20, None, "unknown"), (500, "wordpress", "unknown"), (501, "blogger", "article-fulltext"),
        (1200, None, "unknown"), (1201, None, "article-fulltext"), (600, "ojs", "other"),
    ],
)  # fmt: skip
def test_thresholds_of_words(words, platform, scope):
    assert scope_of(page(word_count=words, platform=platform)) == scope
