"""Pages by date on tantivy, which looks at a short time first: the same pages as from a sorted list."""

from __future__ import annotations

import random

import pytest

from tearsheet.engines.index import tantivy_pages
from tearsheet.engines.index.port import IndexedStory
from tearsheet.engines.index.tantivy import TantivyIndex
from tearsheet.query import parse_query
from tests.support.index_stories import START, story


@pytest.fixture
def index(tmp_path, monkeypatch):
    monkeypatch.setattr(tantivy_pages, "_WINDOW", 20)
    index = TantivyIndex(tmp_path)
    yield index
    index.close()


def make(first: int, count: int) -> list[IndexedStory]:
    """Most come in order of time; some are late, as from an archive, and some share a moment."""
    chance = random.Random(first)
    return [
        story(
            str(n),
            text="common" + (" rare" if n % 17 == 0 else ""),
            indexed_date=START + (n - chance.choice([0, 0, 0, 0, 1, 2, 150])) * 1000,
            publication_date=chance.choice([None, *(f"2024-03-{day:02}" for day in range(1 + n // 8, 5 + n // 8))]),
        )
        for n in range(first, first + count)
    ]


def urls(index, query, order, limit):
    found: list[str] = []
    token = None
    while True:
        page = index.search(parse_query(query), limit=limit, token=token, order=order)
        assert 0 < len(page.stories) <= limit or not found
        found += [one.url for one in page.stories]
        token = page.next_token
        if token is None:
            return found


@pytest.mark.parametrize("order", ["newest", "oldest", "indexed-newest", "indexed-oldest"])
@pytest.mark.parametrize("limit", [1, 4, 19, 60])
def test_pages_are_those_of_a_sorted_list(index, order, limit):
    stories = make(0, 120)
    index.add(stories)
    index.refresh()
    more = make(120, 60)
    for new in (more[:0], more[:30], more[30:]):  # the time that is looked at first was found before these came
        index.add(new)
        index.refresh()
        stories += new
        for query in ("common", "rare", "nothing"):
            matching = [n for n, one in enumerate(stories) if query in one.text_content.split()]
            assert urls(index, query, order, limit) == [stories[n].url for n in in_order(stories, matching, order)]


def in_order(stories: list[IndexedStory], numbers: list[int], order: str) -> list[int]:
    """The numbers of the stories in order; without a day of publication they come last, whichever way one looks."""
    down = order.endswith("newest")
    if order.startswith("indexed"):
        return sorted(numbers, key=lambda n: (stories[n].indexed_date, n), reverse=down)
    dated = [n for n in numbers if stories[n].publication_date]
    undated = [n for n in numbers if not stories[n].publication_date]
    by_day = sorted(dated, key=lambda n: (stories[n].publication_date, n), reverse=down)
    return by_day + sorted(undated, reverse=down)
