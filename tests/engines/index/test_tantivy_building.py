"""Queries that take long to build hold up no other thread: they are built in a process of their own, or refused."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.engines.index import tantivy_reader
from tearsheet.engines.index.tantivy import BUILT_HERE, TantivyIndex
from tearsheet.engines.index.tantivy_building import build_seconds
from tearsheet.engines.index.tantivy_query import to_tantivy
from tearsheet.engines.index.tantivy_schema import words_schema
from tearsheet.query import Prefix, QueryError, Wildcard, parse_query
from tests.support.index_stories import story

SCHEMA = words_schema()
BUSY = 5
"""Processor time on a busy machine may be so many times that of an idle one."""


def many(form: str, count: int) -> str:
    return " OR ".join(form.format(number) for number in range(10, 10 + count))


COSTLY = [
    "ab" + "*?" * 5,
    "ab*" + "?" * 9 + "x",
    "ab*x????",
    "ab*x?????",
    "ab*xx?x?x?x?x?x",
    many("ab{}*", 100),
    many("ab{}*?", 50),
    many("ab{}*x????", 20),
    many("url:*{}" + "x" * 480, 5),
    many("url:a*{}" + "x" * 480, 60),
    many("url:a*{}" + "é" * 480, 60),
    "url:" + "*éa" * 10 + "é" * 400,
]
CHEAP = [
    "climate",
    "wom?n",
    "c*r",
    "ab" + "*x" * 10,
    many("ab{}*", 20),
    "url:*election*",
    "url:https://example.com/*/2024/*",
    "url:" + "x" * 499 + "*",
    many("w{}", 2_000),
    '"' + " ".join(f"w{number}" for number in range(2_000)) + '"',
    '"' + "ab " * 1_998 + 'ab*"',
]


def built_in(query: str) -> float:
    tree = parse_query(query).tree
    begun = time.thread_time()
    try:
        to_tantivy(tree, SCHEMA, lambda phrase: [1], lambda ids: [1])
    except QueryError as error:
        assert "question marks behind a star" in str(error)
    return time.thread_time() - begun


@pytest.mark.parametrize("query", CHEAP, ids=[query[:30] for query in CHEAP])
def test_what_people_write_is_built_here_and_quickly(query):
    assert build_seconds(parse_query(query).tree) <= BUILT_HERE
    # The garbage of all the tests before may be collected in one of the tries, but not in each.
    assert min(built_in(query) for _ in range(3)) <= BUSY * BUILT_HERE


@pytest.mark.parametrize("query", COSTLY, ids=[query[:30] for query in COSTLY])
def test_what_takes_long_to_build_is_known_to_do(query):
    estimate = build_seconds(parse_query(query).tree)
    assert estimate > BUILT_HERE
    assert built_in(query) <= BUSY * estimate


@given(st.text("a*?", min_size=1, max_size=9), st.sampled_from(["", "url"]))
def test_whatever_is_built_here_is_built_quickly(form, field):
    tree = Wildcard(field, "ab" + form)
    if build_seconds(tree) > BUILT_HERE:
        return
    begun = time.thread_time()
    to_tantivy(tree, SCHEMA, lambda phrase: [1], lambda ids: [1])
    assert time.thread_time() - begun <= BUSY * BUILT_HERE


@given(st.text("ab*?", min_size=1, max_size=20), st.text("ab*?", max_size=5))
def test_a_longer_pattern_never_takes_less(form, more):
    assert build_seconds(Wildcard("", form + more)) >= build_seconds(Wildcard("", form))
    assert build_seconds(Prefix("", form + more)) >= build_seconds(Prefix("", form))


@pytest.mark.parametrize("seconds", [10.0, 0.0], ids=["with a deadline", "with none"])
def test_a_query_that_takes_long_to_build_is_never_built_in_this_process(tmp_path, monkeypatch, seconds):
    index = TantivyIndex(tmp_path, query_seconds=seconds)
    index.add([story("a", text="abacus")])
    index.refresh()

    def built_here(*arguments):
        raise AssertionError("built in this process")

    monkeypatch.setattr(tantivy_reader, "to_tantivy", built_here)
    assert index.count(parse_query("abacus OR " + "ab" + "*?" * 5)) == 1
    with pytest.raises(
        QueryError, match=r"'ab\*x\?\?\?\?\?\?\?\?\?' could be too many words; use fewer question marks"
    ):
        index.survey(parse_query("ab*x?????????"))
    with pytest.raises(AssertionError):
        index.count(parse_query("abacus"))
    index.close()


@pytest.mark.parametrize("query", ["ab" + "*?" * 49, "ab*" + "?" * 10, "url:" + "*/" * 11, "ab" + "*" * 11])
def test_a_word_with_too_many_wildcards_is_refused_for_every_index(query):
    with pytest.raises(
        QueryError, match="a word or address may have at most 10 stars and question marks; this one has"
    ):
        parse_query(query)


@pytest.mark.parametrize("query", ["url:*" + "x" * 500, "url:" + "x" * 500 + "*", "url:a*" + "xy" * 20_000])
def test_a_long_address_with_a_star_is_refused_for_every_index(query):
    with pytest.raises(QueryError, match="an address with a star may have at most 500 characters; this one has"):
        parse_query(query)
