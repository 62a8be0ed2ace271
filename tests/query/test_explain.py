"""A query in English."""

from __future__ import annotations

from datetime import date

import pytest

from tearsheet.query import parse_query


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("*", "All stories."),
        ("NOT *", "No stories."),
        ("climate", "Stories with “climate”."),
        ("climate law*", "Stories with “climate” and a word that begins with “law”."),
        ("a OR b c", "Stories with “a” or (with “b” and “c”)."),
        ('-title:"cap and trade" a', "Stories without the phrase “cap and trade” in the title and with “a”."),
        ("NOT (a OR b)", "Stories not (with “a” or “b”)."),
        ('"a b"~5', "Stories with the words “a b” at a distance of at most 5."),
        ("東京都 OR 3月 OR 京", "Stories with the phrase “東京都” or the phrase “3月” or “京”."),
        ("wom?n", "Stories with a word like “wom?n”."),
        ('"climate chan*"', "Stories with the phrase “climate chan*”."),
        ("language:de -canonical_domain:a.example", "Stories in the language “de” and not from a.example."),
        ("url:http://a.example/*", "Stories whose address begins with “http://a.example/”."),
        ("url:*a*", "Stories whose address is like “*a*”."),
        ('url:"http://a.example/"', "Stories whose address is “http://a.example/”."),
        ("source_id:4", "Stories from source 4."),
        ("publication_date:2024-01", "Stories published from 2024-01-01 to 2024-01-31."),
        ("publication_date:2024-01-05", "Stories published on 2024-01-05."),
        ("publication_date:>2024", "Stories published from 2025-01-01 on."),
        ("publication_date:<2024", "Stories published up to 2023-12-31."),
        ("publication_date:*", "Stories published on a known date."),
        ("indexed_date:>=2024-01-05T10:00:00.5", "Stories indexed from 2024-01-05 10:00:00.5 UTC on."),
    ],
)
def test_explain(query, sentence):
    assert parse_query(query).explain() == sentence


def test_filters_are_explained():
    query = parse_query("a").within(start=date(2024, 1, 1), domains=["b.example", "a.example"], sources=range(10))
    assert query.explain() == (
        "Stories with “a” and published from 2024-01-01 on "
        "and (from one of the domains a.example, b.example or from one of 10 sources)."
    )


def test_a_single_choice_is_said_plainly():
    query = parse_query("flood").within(domains=["a.example"], languages=["en"])
    assert query.explain() == "Stories with “flood” and from a.example and in the language “en”."


def test_the_moment_up_to_which_stories_were_indexed_is_shown_as_it_was_asked_for():
    asked = parse_query("flood").within(indexed_until=1_772_323_200_000_000_999)
    assert asked.explain() == "Stories with “flood” and indexed up to 2026-03-01 00:00:00 UTC."
