"""The estimated cost of a query: it grows with the query, and only what is absurd is too high."""

from __future__ import annotations

import dataclasses
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.query import QueryError, parse_query
from tearsheet.query.cost import MAX_COST, cost_of, expensive_part
from tearsheet.query.tree import ANY, All, And, Not, OneOf, Or, Phrase, Prefix, Range, Term, Wildcard
from tests.support.index_stories import near_phrases

fields = st.sampled_from([ANY, "article_title", "text_content"])
word = st.text("abc", min_size=1, max_size=4)
phrases = st.builds(
    lambda field, words, slop, open_end: Phrase(field, tuple(words), 0 if open_end else slop, open_end),
    fields, st.lists(word, min_size=2, max_size=9), st.integers(0, 1000), st.booleans(),
)  # fmt: skip
leaf = st.one_of(
    st.just(All()),
    st.builds(Term, fields, word),
    phrases,
    st.builds(Prefix, st.sampled_from([ANY, "url"]), word),
    st.builds(Wildcard, st.sampled_from([ANY, "url"]), word),
    st.builds(Range, st.just("publication_date"), st.integers(0, 9), st.integers(0, 9)),
    st.builds(lambda values: OneOf("language", tuple(values)), st.lists(word)),
)
tree = st.recursive(
    leaf,
    lambda part: st.one_of(
        st.builds(Not, part),
        *(st.builds(kind, st.lists(part, min_size=1, max_size=4).map(tuple)) for kind in (And, Or)),
    ),
    max_leaves=12,
)


@given(st.lists(tree, min_size=1, max_size=4), tree, st.sampled_from([And, Or]))
def test_a_further_clause_never_lowers_the_cost(parts, more, kind):
    assert cost_of(kind((*parts, more))) >= cost_of(kind(tuple(parts)))
    assert cost_of(kind((*parts, more))) >= cost_of(more)
    assert cost_of(Not(more)) >= cost_of(more)


@given(phrases, word)
def test_a_further_word_or_place_never_lowers_the_cost(phrase, more):
    assert cost_of(dataclasses.replace(phrase, words=(*phrase.words, more))) >= cost_of(phrase)
    if not phrase.open_end:
        assert cost_of(dataclasses.replace(phrase, slop=phrase.slop + 1)) >= cost_of(phrase)


@given(tree)
def test_what_is_expensive_can_always_be_said(tree):
    assert cost_of(tree) >= 0
    assert "; " in expensive_part(tree) and "\n" not in expensive_part(tree)


def names(count):
    return [f"name{number}" for number in range(count)]


ORDINARY = [
    " OR ".join(names(2_000)),
    " AND ".join(names(1_000)),
    " OR ".join(f'"{name} surname"' for name in names(1_000)),
    " OR ".join(f'"{name} minister"~10' for name in names(900)),
    " OR ".join(f'"{name} prime minister"~5' for name in names(80)),
    '"climate change policy law"~50 OR "carbon tax reform"~100',
    " OR ".join(f"{name}*" for name in names(100)),
    " OR ".join(f'"the {name}*"' for name in names(100)),
    " OR ".join(f"url:*/{name}/*" for name in names(5)),
    "publication_date:[2020-01-01 TO 2024-12-31] AND (" + " OR ".join(names(1_500)) + ")",
    near_phrases(35, 1000),
]


@pytest.mark.parametrize("query", ORDINARY, ids=[query[:30] for query in ORDINARY])
def test_what_people_write_is_allowed(query):
    assert cost_of(parse_query(query).tree) <= MAX_COST


@pytest.mark.parametrize(("count", "distance"), [(50, 1000), (40, 1000), (100, 20)])
def test_what_is_absurd_is_refused_and_named(count, distance):
    with pytest.raises(QueryError, match=rf"it has {count} phrases with a distance \(up to {distance:,}\); use fewer"):
        parse_query(near_phrases(count, distance))


def test_one_phrase_cannot_have_more_words_than_a_query():
    for slop in ("", "~5"):
        with pytest.raises(QueryError, match="at most 2,000 words"):
            parse_query('"' + "a " * 20_000 + '"' + slop)


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("climate", "1 word; use fewer"),
        ('climate "the pol*" "the la*"', "2 phrases that end with a star; write out the last word"),
        ("climate pol*", "1 word with a wildcard; write more letters"),
        ("climate url:*election*", "1 address with a star; write out"),
        ('climate "of the"', "1 phrase; use fewer"),
        ('"of the" "a b c"~9 "c d e"~7', "2 phrases with a distance (up to 9); use fewer"),
        ("*", "1 filter; use fewer"),
    ],
)
def test_the_most_expensive_part_is_named(query, part):
    assert expensive_part(parse_query(query).tree).startswith(part)


def test_every_kind_of_leaf_is_cheaper_than_the_limit():
    assert all(cost_of(parse_query(query).tree) < MAX_COST / 2 for query in chain(ORDINARY[:4], ["a*b OR ab*", "*"]))
