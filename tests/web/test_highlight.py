"""What a query asked for is marked, and nothing else changes."""

from __future__ import annotations

import html
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.query import parse_query
from tearsheet.web.highlight import highlighters, mark, merged, passage, words_with_positions

WORDS = ("climate", "Wall", "sea", "élève", "港町", "東京都", "policy", "e-mail", "don’t", "ﬁnal")
TEXTS = st.lists(st.sampled_from((*WORDS, ",", "&", "<b>", "の", "of", "\u00ad", "\n")), max_size=30).map(" ".join)


def marked(query: str, text: str) -> list[str]:
    return [text[start:end] for start, end in highlighters(parse_query(query))["text"].spans(text)]


@given(TEXTS, st.sampled_from(WORDS))
def test_something_is_marked_exactly_when_the_story_matches(text, word):
    assert bool(marked(f'text:"{word}"', text)) == parse_query(f'text:"{word}"').matches(text=text)


@given(st.text(max_size=200))
def test_the_words_are_those_of_the_index_and_lie_in_order(text):
    places = [(start, end) for _, start, end in words_with_positions(text)]
    assert all(0 <= start <= end <= len(text) for start, end in places)
    assert places == sorted(places)


@given(TEXTS, st.sampled_from(WORDS))
def test_marking_loses_nothing_and_escapes_everything(text, word):
    spans = highlighters(parse_query(f'"{word}"'))["text"].spans(text)
    result = str(mark(text, spans))
    assert html.unescape(re.sub("</?mark>", "", result)) == text
    assert not re.search(r"<(?!/?mark>)", result)


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("climate", "A Climate plan, CLIMATE!", ["Climate", "CLIMATE"]),
        ("clim*", "climates and climbing", ["climates", "climbing"]),
        ("cl?mate", "climate clxmate", ["climate", "clxmate"]),
        ('"sea wall"', "the sea wall, a sea, a wall", ["sea wall"]),
        ('"sea wall"~3', "the sea has a wall", ["sea", "wall"]),
        ("climate NOT wall", "climate wall", ["climate"]),
        ("title:climate", "climate", []),
        ("港町", "この港町の議会", ["港町"]),
        ("language:en", "en", []),
        ("*", "anything", []),
    ],
)
def test_what_is_marked(query, text, expected):
    assert marked(query, text) == expected


def test_the_passage_is_the_one_with_most_matches():
    text = "one " + "filler " * 100 + "one two three <i> " + "filler " * 100
    spans = highlighters(parse_query("one OR two OR three"))["text"].spans(text)
    shown = str(passage(text, spans, 120))
    assert "<mark>one</mark> <mark>two</mark> <mark>three</mark> &lt;i&gt;" in shown
    assert shown.startswith("…") and shown.endswith("…")


def test_overlaps_become_one():
    assert merged([(5, 9), (0, 3), (2, 4), (9, 10)]) == [(0, 4), (5, 10)]


HOSTILE = {
    "phrases of one word": " OR ".join('"' + "a " * count + '"' for count in range(2, 45)),
    "phrases that are not there": " OR ".join(f'"a x{number}"' for number in range(1_000)),
    "phrases with a star": " OR ".join(f'"{"a " * count}b*"' for count in range(2, 40)),
    "wildcards": " OR ".join(f"a?{number}*b" for number in range(50)),
}


@pytest.mark.parametrize("query", HOSTILE.values(), ids=HOSTILE)
def test_a_long_query_costs_little_more_than_a_short_one(query):
    """A page shows 20 stories: each of them may cost a part of a second, whatever was asked for."""
    text = "a the b " * 4_000
    start = time.process_time()
    highlighters(parse_query(query))["text"].spans(text)
    assert time.process_time() - start < 1


def test_phrases_are_marked_by_their_words_and_beginnings():
    query = '"sea wall" OR "old har*" OR "old ho*" OR "old town" OR "old town hall"'
    text = "sea wall, seawall, sea walls, old harbour, old town, old town hall, old hat, old"
    assert marked(query, text) == ["sea wall", "old harbour", "old town", "old town hall"]
