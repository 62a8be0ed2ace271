from datetime import date
from typing import Any

import pytest

from tearsheet.query import parse_query
from tearsheet.topics.relevance import (
    Parts,
    RawTest,
    calendar_week,
    fingerprint,
    judge,
    leave_out_repeated,
    outside_dates,
    split_sentences,
)


@pytest.mark.parametrize(
    ("query", "page", "possible"),
    [
        ("flood", "<p>The FLOOD came</p>", True),
        ("flood", "<p>nothing here</p>", False),
        ("flood AND dam", "<p>flood</p>", False),
        ("flood OR dam", "<p>dam</p>", True),
        ('"broken dam"', "<p>the <b>broken</b>&nbsp;dam</p>", True),
        ("flood AND NOT dam", "<p>flood dam</p>", True),
        ("flood*", "<p>flooding</p>", True),
        ("fl?od*", "<p>floods</p>", True),
        ("café", "<p>caf&eacute;</p>", True),
        ("flood", "<p>fl&shy;ood</p>", True),
        ("flood", "<p>ＦＬＯＯＤ</p>", True),
        ("язык", "<p>ЯЗЫК</p>", True),
        ("language:en", "<p>anything</p>", True),
    ],
)
def test_the_raw_page_test_errs_only_towards_yes(query, page, possible):
    assert RawTest(parse_query(query))(page) is possible


def parts(**changes) -> Parts:
    values: dict[str, Any] = {
        "title": "A title",
        "description": "",
        "url": "http://a.example/x",
        "sentences": ("Nothing.",),
    }
    return Parts(**(values | changes))


def test_each_part_can_match_and_the_reason_says_which():
    query = parse_query("flood AND dam")
    assert judge(query, parts(title="Flood at the dam")).why == "matched in title"
    assert judge(query, parts(description="flood dam", sentences=("Dam and flood.",))).why == (
        "matched in description, sentences"
    )
    assert judge(query, parts(url="http://flood.example/the-dam-flood_2024.html")).why == "matched in url"
    assert judge(query, parts(url="http://flood-dam.example/story")).relevant is False
    split = judge(query, parts(title="Flood", sentences=("The dam.",)))
    assert (split.relevant, split.why) == (True, "matched in all parts together")
    assert judge(query, parts(repeated=2)).why == (
        "no match in title, description, url or 1 sentences; 2 repeated sentences left out"
    )


def test_an_exclusion_looks_at_all_parts():
    query = parse_query("flood AND NOT dam")
    assert judge(query, parts(title="Flood")).relevant
    assert not judge(query, parts(title="Flood", sentences=("The dam.",))).relevant


def test_repeated_sentences_do_not_count():
    repeated = {fingerprint("Subscribe to FLOOD news.")}
    kept, count = leave_out_repeated(split_sentences("Subscribe to flood  news. A new one."), repeated.__contains__)
    assert (kept, count) == (("A new one.",), 1)


def test_sentences_and_weeks():
    assert split_sentences('He said "yes." Then left.\nA line\n\nAnother。続き。') == [
        'He said "yes.', "Then left.", "A line", "Another。", "続き。",
    ]  # fmt: skip
    assert calendar_week(date(2024, 5, 19)) == "2024-05-13"
    assert calendar_week(None) == "undated"


def test_dates_outside_the_topic():
    start, end = date(2024, 1, 1), date(2024, 1, 31)
    assert outside_dates(date(2024, 1, 31), start, end) is None
    assert outside_dates(None, start, end) is None
    assert outside_dates(date(2024, 2, 1), start, end) == "dated 2024-02-01, outside 2024-01-01 to 2024-01-31"
