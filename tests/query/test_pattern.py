"""A query as a regular expression."""

from __future__ import annotations

import time

import pytest
import re2

from tearsheet.query import QueryError, parse_query
from tearsheet.query.pattern import BETWEEN
from tearsheet.query.words import cut, plain


def finds(query, **story):
    read = parse_query(query)
    return re2.compile(read.pattern()).search(read.pattern_text(**story)) is not None


@pytest.mark.parametrize(
    ("query", "text", "answer"),
    [
        ("climate", "The CLIMATE.", True),
        ("climate", "acclimate climates", False),
        ("clim*", "climates", True),
        ("cl?m*e", "climate", True),
        ("cl?m*e", "clam bake", False),
        ('"new law"', "a new, law", True),
        ('"new law"', "a new good law", False),
        ('"new law"~1', "a new good law", True),
        ('"law new"~2', "a new law", True),
        ('"law new"~1', "a new law", False),
        ('"new law"~3', "new 東京 law", True),
        ('"new law"~1', "new 東京 law", False),
        ("law AND new", "new law", True),
        ("law AND new", "newlaw", False),
        ("(law* OR act) AND new", "new lawyers", True),
        ("東京", "北東京市", True),
        ("3月", "2024年3月号", True),
        ("3月", "13月", False),
        ("strasse", "STRASSE straße", True),
        ("*", "", True),
        ("a OR *", "", True),
    ],
)
def test_finds(query, text, answer):
    assert finds(query, text=text) is answer


def test_no_character_of_a_word_is_taken_for_one_between_words():
    everything = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    between = re2.findall(f"[{BETWEEN}]", everything)
    assert len(between) > 1000
    wrong = [character for character in between if cut(character) and plain(character) == character]
    assert wrong == []


def test_title_and_text_are_two_but_an_and_may_reach_over_both():
    assert not finds('"new law"', title="new", text="law")
    assert finds("new AND law", title="new", text="law")
    assert finds("title:new", title="new") and not finds("title:new", text="new")


@pytest.mark.parametrize(
    "query",
    ["NOT a", "a AND NOT b", "a AND b AND c", "a AND a*b", "law AND law*", '"a b" AND c', "東京 AND 京都", '"a b c"~2',
     "language:en", "publication_date:2024", "title:a AND text:b", "(a OR b) AND (b OR c)", '"a b"~500', '"東京 ab"~2'],
)  # fmt: skip
def test_what_cannot_be_expressed_is_refused(query):
    with pytest.raises(QueryError, match="regular expression"):
        parse_query(query).pattern()


def test_size_and_time_are_linear():
    sizes = [len(parse_query(" OR ".join(f"word{n} OR foo{n}*" for n in range(count))).pattern()) for count in (12, 24)]
    assert sizes[1] < sizes[0] * 2
    with pytest.raises(QueryError, match="too wide"):
        parse_query(" OR ".join(f'"word{n} other"~50' for n in range(100))).pattern()
    many = parse_query(" OR ".join(f'"word{n} other"~3 OR wo{n}a?' for n in range(10)))
    compiled = re2.compile(many.pattern())
    start = time.process_time()
    assert compiled.search("word0 " * 100_000 + "wordx") is None
    assert time.process_time() - start < 5


def test_raw_text_will_do_where_there_are_no_odd_forms():
    assert re2.search(parse_query("straßen OR Été").pattern(), "Un ÉTÉ chaud")
