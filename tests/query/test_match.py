"""Whether one story matches."""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.query import QueryError, parse_query
from tearsheet.query.match import phrase_matches, positions_of
from tearsheet.query.tree import ANY, Phrase
from tests.support.growth import assert_linear


@pytest.mark.parametrize(
    ("query", "story", "answer"),
    [
        ("a b", {"title": "a", "text": "b"}, True),
        ('"a b"', {"title": "a", "text": "b"}, False),
        ("title:a", {"text": "a"}, False),
        ("NOT a", {"text": "b"}, True),
        ("a -b", {"text": "a c"}, True),
        ("a -b", {"text": "a b"}, False),
        ("clim*", {"text": "Climate"}, True),
        ("language:EN", {"language": "en"}, True),
        ("url:*/world/*", {"url": "https://a.example/world/1"}, True),
        ("url:*/World/*", {"url": "https://a.example/world/1"}, False),
        ("source_id:3", {"source_id": 3}, True),
        ("source_id:3", {}, False),
        ("publication_date:2024-01", {"publication_date": "2024-01-31"}, True),
        ("publication_date:2024-01", {"publication_date": date(2024, 2, 1)}, False),
        ("publication_date:2024-01", {}, False),
        ("NOT publication_date:2024-01", {}, True),
        ("indexed_date:1970-01-01T00:00:00.000000005", {"indexed_date": 5}, True),
        ("indexed_date:2024", {"indexed_date": datetime(2024, 12, 31, 23, 59, 59, 999999, UTC)}, True),
        ("*", {}, True),
        ("東京", {"text": "北東京市"}, True),
        ("京東", {"text": "東京"}, False),
    ],
)
def test_matches(query, story, answer):
    assert parse_query(query).matches(**story) is answer


def test_filters_are_part_of_the_query():
    query = parse_query("a").within(start=date(2024, 1, 1), domains=["a.example"], sources=[4])
    assert query.matches(text="a", canonical_domain="A.example", publication_date="2024-01-01")
    assert query.matches(text="a", source_id=4, publication_date="2025-01-01")
    assert not query.matches(text="a", canonical_domain="a.example", publication_date="2023-12-31")
    assert not query.matches(text="a", canonical_domain="b.example", publication_date="2024-01-01")
    assert not parse_query("a").within(languages=[]).matches(text="a", language="en")


def near(words, phrase, slop):
    """Lucene's rule by trying every choice of places."""
    places = [[i for i, word in enumerate(words) if word == wanted] for wanted in phrase]
    for choice in itertools.product(*places):
        moved = [place - order for order, place in enumerate(choice)]
        if len(set(choice)) == len(choice) and max(moved) - min(moved) <= slop:
            return True
    return False


letters = st.sampled_from("abcx")


@given(st.lists(letters, max_size=9), st.lists(st.sampled_from("abc"), min_size=2, max_size=4), st.integers(0, 6))
def test_distance_is_lucenes(words, phrase, slop):
    assert phrase_matches(Phrase(ANY, tuple(phrase), slop), positions_of(words)) == near(words, phrase, slop)


def test_a_long_text_and_a_hard_phrase_are_quick():
    text = "a b " * 50_000
    query = parse_query('"' + "a b " * 20 + 'c"~1000 OR "a a a a a b b b b"~100 OR url:*a*a*a*a*a*a*a*b')
    start = time.process_time()
    assert query.matches(text=text, url="a" * 5000)
    assert time.process_time() - start < 5


def in_order(words, phrase):
    """Whether a phrase is in a text, by looking at every place."""
    return any(words[start : start + len(phrase)] == phrase for start in range(len(words)))


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), min_size=2, max_size=4))
def test_a_phrase_is_found_where_it_is(words, phrase):
    assert phrase_matches(Phrase(ANY, tuple(phrase)), positions_of(words)) == in_order(words, phrase)


HOSTILE = {
    "phrases of one word": " OR ".join('"' + "a " * count + '"' for count in range(2, 45)),
    "phrases that are not there": " OR ".join(f'"the x{number}"' for number in range(1_000)),
    "distances": " OR ".join(f'"a b x{number}"~1000' for number in range(30)),
    "a distance of one word": '"' + "a " * 40 + '"~1000',
    "wildcards": " OR ".join(f"a?{number}*b" for number in range(50)),
}


@pytest.mark.parametrize("query", HOSTILE.values(), ids=HOSTILE)
def test_the_time_for_a_hostile_query_grows_with_the_text_and_no_faster(query):
    parsed = parse_query(query)
    assert_linear(lambda text: parsed.matches(text=text), lambda count: "a the b x1 " * count, 2_000)


@pytest.mark.parametrize("query", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_query_is_explained_and_expressed_at_once(query):
    parsed = parse_query(query)
    start = time.process_time()
    assert parsed.explain()
    with suppress(QueryError):
        parsed.pattern()
    assert time.process_time() - start < 2


def test_deep_queries_are_answered():
    deep = "(a OR " * 29 + "b" + " AND c)" * 29
    assert parse_query(deep).matches(text="a") and not parse_query(f"NOT {deep}").matches(text="a")
