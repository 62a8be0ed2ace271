"""The language: what a query means, and what is said about one that cannot be read."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.errors import TearsheetError
from tearsheet.query import QueryError, parse_query
from tearsheet.query.tree import ANY, TEXT, TITLE, All, And, Not, Or, Phrase, Prefix, Range, Term, Wildcard

A, B, C, D = (Term(ANY, word) for word in ("a", "b", "c", "d"))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", A),
        ("A", A),
        ("a b", And((A, B))),
        ("a AND b", And((A, B))),
        ("a && b", And((A, B))),
        ("a OR b", Or((A, B))),
        ("a || b", Or((A, B))),
        ("a or b", And((A, Term(ANY, "or"), B))),
        ("NOT a", Not(A)),
        ("!a", Not(A)),
        ("-a", Not(A)),
        ("NOT NOT a", A),
        ("a -b", And((A, Not(B)))),
        ("+a -b", And((A, Not(B)))),
        ("a NOT b", And((A, Not(B)))),
        ("a OR b AND c", Or((A, And((B, C))))),
        ("a AND b OR c AND d", Or((And((A, B)), And((C, D))))),
        ("a b OR c", Or((And((A, B)), C))),
        ("NOT a AND b", And((Not(A), B))),
        ("NOT (a OR b)", Not(Or((A, B)))),
        ("(a OR b) c", And((Or((A, B)), C))),
        ("((a))", A),
        ("a AND (b AND (c AND d))", And((A, B, C, D))),
        ("a OR a", A),
        ("a OR *", All()),
        ("* AND a", A),
        ("*", All()),
        ("*:*", All()),
        ('"a b"', Phrase(ANY, ("a", "b"))),
        ("“a b”", Phrase(ANY, ("a", "b"))),
        ("„a b“~3", Phrase(ANY, ("a", "b"), 3)),
        ('"a"', A),
        ('"a \\" b"', Phrase(ANY, ("a", "b"))),
        ('"AND"', Term(ANY, "and")),
        ("\\AND", Term(ANY, "and")),
        ("e-mail", Phrase(ANY, ("e", "mail"))),
        ("it’s", Phrase(ANY, ("it", "s"))),
        ("law*", Prefix(ANY, "law")),
        ("LAW*", Prefix(ANY, "law")),
        ("law\\*", Term(ANY, "law")),
        ("wom?n", Wildcard(ANY, "wom?n")),
        ("c*r", Wildcard(ANY, "c*r")),
        ("e-mai*", Phrase(ANY, ("e", "mai"), 0, True)),
        ('"climate chan*"', Phrase(ANY, ("climate", "chan"), 0, True)),
        ("東京*", Term(ANY, "東京")),
        ("title:a", Term(TITLE, "a")),
        ("title: a", Term(TITLE, "a")),
        ("article_title:a", Term(TITLE, "a")),
        ("text:(a OR b)", Or((Term(TEXT, "a"), Term(TEXT, "b")))),
        ("title:(a text:b)", And((Term(TITLE, "a"), Term(TEXT, "b")))),
        ("-title:a", Not(Term(TITLE, "a"))),
        ("language:EN", Term("language", "en")),
        ("canonical_domain:bbc.co.uk", Term("canonical_domain", "bbc.co.uk")),
        ('canonical_domain:"bbc.co.uk"', Term("canonical_domain", "bbc.co.uk")),
        ("url:https://a.example/b?c=(d)", Term("url", "https://a.example/b?c=(d)")),
        ("(url:http\\://a.example/*)", Prefix("url", "http://a.example/")),
        ("url:*news*", Wildcard("url", "*news*")),
        ('url:"a*"', Term("url", "a*")),
        ("url:(http://a.example OR http://b.example)", Or((Term("url", "http://a.example"), Term("url", "http://b.example")))),
        ("media_id:007", Term("source_id", "7")),
        ("publication_date:1970-01-02", Range("publication_date", 1, 1)),
        ("publication_date:1970", Range("publication_date", 0, 364)),
        ("publication_date:[1970-01-02 TO 1970-02]", Range("publication_date", 1, 58)),
        ("publication_date:{1970-01-02 TO 1970-02}", Range("publication_date", 2, 30)),
        ("publication_date:[* TO 1970-01-01}", Range("publication_date", None, -1)),
        ("publication_date:>=1970-01-02", Range("publication_date", 1, None)),
        ("publication_date:>1970-01-02", Range("publication_date", 2, None)),
        ("publication_date:<1970-01-02", Range("publication_date", None, 0)),
        ("publication_date:[1970-01-02T00:00:00Z TO *]", Range("publication_date", 1, None)),
        ("publication_date:*", Range("publication_date", None, None)),
        ("indexed_date:[1970-01-01T00:00:00.000000001 TO 1970-01-01]", Range("indexed_date", 1, 86_399_999_999_999)),
        ("indexed_date:1970-01-01T00:01", Range("indexed_date", 60_000_000_000, 119_999_999_999)),
        ("indexed_date:>1970-01-01T01:00:00+01:00", Range("indexed_date", 1_000_000_000, None)),
        ("10:30", Phrase(ANY, ("10", "30"))),
    ],
)  # fmt: skip
def test_meaning(text, tree):
    assert parse_query(text).tree == tree


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("", 0, "empty"),
        ("   ", 0, "empty"),
        ('climate "change', 8, "never closed"),
        ("(a OR b", 0, "never closed"),
        ("a AND ((b)", 6, "never closed"),
        ("a)", 1, "never opened"),
        ("a AND", 2, "right side"),
        ("a AND OR b", 6, "left side"),
        ("OR a", 0, "left side"),
        ("a (AND b)", 3, "left side"),
        ("a NOT", 2, "right side"),
        ("a ()", 2, "there is nothing here"),
        ("foo:bar", 0, "no field 'foo'"),
        ("http://a.example", 0, "no field 'http'"),
        ("title:", 0, "nothing follows"),
        ("title:(", 6, "never closed"),
        ("a title:)", 8, "something to look for"),
        ("title:-a", 6, "before the field"),
        ("a~2", 1, "similar"),
        ("a^3", 1, "weights"),
        ('"a b"^3', 5, "weights"),
        ('"a b"~', 5, "number"),
        ('"a b"~9999', 0, "distance"),
        ("*a", 0, "begin with a letter"),
        ("a*", 0, "two letters"),
        ("?", 0, "single word"),
        ("title:*", 6, "star"),
        ("fo-o?a", 0, "single word"),
        ('"a* b"', 0, "inside quotes"),
        ("a - b", 2, "no word"),
        ("a & b", 2, "no word"),
        ('"!?"', 0, "inside quotes"),
        ('"..."', 0, "no word"),
        ("+a OR b", 0, "beside OR"),
        ("[a TO b]", 0, "date field"),
        ("publication_date:[2024", 17, "range"),
        ("publication_date:[2024-13-01 TO *]", 18, "date"),
        ("publication_date:[2024-01-01 TO tomorrow]", 32, "date"),
        ("publication_date:2024-01-01T10:00", 17, "date"),
        ("publication_date:>*", 17, "needs a date"),
        ("language:e*", 9, "cannot be used"),
        ("source_id:x", 10, "number"),
        ('url:"a\x00b"', 4, "not a value"),
        ("url:" + " OR url:".join(f"*{n}*" for n in range(9)), None, "star"),
        ("a\\", 1, "backslash"),
        ("(" * 1000, 250, "deep"),
        ("a " * 3000, 4000, "2,000 words"),
        (" ".join(f"wo{n}*" for n in range(120)), None, "100 stars"),
        ("aa" + "?" * 200, 0, "at most 10 stars"),
        ("(a OR " * 200 + "b" + " AND c)" * 200, None, "nested 60 deep"),
        ("a" * 70_000, None, "characters"),
    ],
)
def test_errors_point_at_the_character(text, place, says):
    with pytest.raises(QueryError, match=says) as caught:
        parse_query(text)
    error = caught.value
    assert isinstance(error, TearsheetError) and isinstance(error, ValueError) and "\n" not in str(error)
    if place is not None:
        assert error.position == place
        shown, caret = error.pointer().split("\n")
        assert text == "" or shown[caret.index("^")] == (text[place] if text[place].isprintable() else " ")


def test_the_pointer_shows_the_place_in_a_long_query():
    with pytest.raises(QueryError) as caught:
        parse_query("word " * 50 + "foo:bar" + " word" * 50)
    shown, caret = caught.value.pointer().split("\n")
    assert shown[caret.index("^") :].startswith("foo:bar") and len(shown) < 70


@pytest.mark.parametrize(
    "text",
    [
        "(" * 200 + "a" + ")" * 200,
        "(a OR " * 200 + "b" + " AND c)" * 200,
        "NOT " * 5000 + "a",
        "-" * 20_000 + "a",
        " OR ".join(f"term{n}" for n in range(500)),
        " ".join(f'"phrase {n}"~5' for n in range(500)),
        '"' + "a " * 1500 + '"~1000',
        "a\\" * 20_000 + "a",
        "title:" * 10_000 + "a",
        "[" * 50_000,
        "publication_date:[" + " " * 60_000,
        "publication_date:[a" + " " * 60_000 + "x",
        "~" * 50_000,
        "東京" * 1000,
    ],
)
def test_hostile_queries_are_quick(text):
    start = time.process_time()
    try:
        parse_query(text)
    except QueryError as error:
        assert error.pointer() is not None
    assert time.process_time() - start < 1


@given(st.text(max_size=200))
def test_any_text_is_a_query_or_an_error(text):
    try:
        parse_query(text)
    except QueryError as error:
        assert error.position is None or 0 <= error.position <= max(len(text) - 1, 0)


PIECES = ['"', "“", "(", ")", " ", "a", "b*", "*", "AND", "OR", "NOT", "-", "+", "~2", "\\", "[", "TO", "2024"]
PIECES += ["title:", "url:", "publication_date:"]


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_any_pieces_are_a_query_or_an_error(pieces):
    with contextlib.suppress(QueryError):
        parse_query("".join(pieces))
