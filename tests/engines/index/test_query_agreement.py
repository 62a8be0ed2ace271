"""A query finds the same stories everywhere: on each index, by the test on one story, and by its regular expression."""

from __future__ import annotations

import pytest

from tearsheet.query import QueryError
from tests.support.indexes import INDEXES
from tests.support.query_agreement import by_pattern, expected, make_queries, make_stories, prepare


@pytest.mark.parametrize("adapter", INDEXES)
@pytest.mark.parametrize(
    ("story_count", "query_count", "seed"),
    [
        pytest.param(500, 250, 2, id="some"),
        pytest.param(2000, 1000, 3, id="all", marks=[pytest.mark.slow, pytest.mark.timeout(900)]),
    ],
)
def test_all_agree_on_every_story(adapter, story_count, query_count, seed, tmp_path):
    stories = make_stories(story_count)
    prepared = prepare(stories)
    harness = adapter()
    harness.prepare(tmp_path)
    index = harness.open()
    try:
        index.add(stories)
        index.refresh()
        hits = patterns = 0
        for query in make_queries(query_count, seed):
            wanted = expected(query, prepared)
            answer = index.search(query, limit=len(stories), text=False).stories
            assert {one.id for one in answer} == wanted, query.source
            assert len(answer) == len(wanted), query.source
            assert index.count(query) == len(wanted), query.source
            matched = by_pattern(query, prepared)
            assert matched is None or matched == wanted, query.source
            hits += 0 < len(wanted) < len(stories)
            patterns += matched is not None
            assert query.explain().startswith(("Stories", "All", "No"))
        assert hits > query_count * 0.6, "most queries must find some stories and not all, or the test says little"
        assert patterns > query_count * 0.2
    finally:
        index.close()
        harness.clean()


def test_what_has_no_pattern_is_refused():
    refused = 0
    for query in make_queries(300, 5):
        try:
            assert len(query.pattern()) < 4000 * (len(query.source) + 1)
        except QueryError as error:
            assert "regular expression" in str(error)
            refused += 1
    assert 30 < refused < 270
