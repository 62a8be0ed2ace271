import html
import unicodedata
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tearsheet.query import parse_query
from tearsheet.query.words import cut
from tearsheet.topics.spider.relevance import (
    Parts,
    RawTest,
    calendar_week,
    fingerprint,
    judge,
    leave_out_repeated,
    outside_dates,
    raw_test,
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
        ("flood", '<p><span class="dropcap">F</span>lood</p>', True),
        ("flood", "<p>floo<wbr>d</p>", True),
        ("flood", "<p>fl&shyood and fl\xadood</p>", True),
        ("flood", "<p>&#102;lood</p>", True),
        ("flood", "<p>&#x0066lood</p>", True),
        ("flood", "<p>&#x0066;lood</p>", True),
        ("flood", "<p>flo\u200dod</p>", True),
        ("office", "<p>o\ufb03ce</p>", True),
        ("straße", "<p>STRASSE</p>", True),
        ("strasse", "<p>stra&szlig;e</p>", True),
        ("stras*", "<p>straße</p>", True),
        ("café", "<p>cafe\u0301</p>", True),
        ("café", '<script type="application/ld+json">{"headline": "Caf\\u00e9"}</script>', True),
        ("café", "<p>cafe</p>", False),
        ("café", "<p>CAF&Eacute;</p>", True),
        ("šaty", "<p>&#154;aty</p>", True),
        ("κόσμος", "<p>ΚΌΣΜΟΣ</p>", True),
        ("flood AND dam", "<p>&#102;lood</p> <p>dam</p>", True),
        ("flood AND dam", "<p>&#102;lood</p> <p>&#102;</p>", False),
        ("language:en", "<p>anything</p>", True),
    ],
)
def test_the_raw_page_test_errs_only_towards_yes(query, page, possible):
    assert RawTest(parse_query(query))(page) is possible


def test_the_address_counts_as_it_does_in_step_two():
    url = "http://a.example/2024/the-flood.html"
    test = raw_test("flood AND dam")
    assert (test("<p>The dam.</p>"), test("<p>The dam.</p>", url), test("<p>The river.</p>", url)) == (
        False,
        True,
        False,
    )


WORDS = ["flood", "straße", "café", "office", "ss", "язык", "東京都", "istanbul", "ｗｉｄｅ", "1st", "한국", "กำลัง"]
DISGUISES = (
    str.upper,
    lambda c: f"&#{ord(c[0])};{c[1:]}",
    lambda c: f"&#x0{ord(c[0]):X};{c[1:]}",
    lambda c: f"<b class='x'>{c}</b>",
    lambda c: c + "\xad",
    lambda c: c + "&shy;",
    lambda c: c + "\u200d",
    lambda c: c + "&zwj;",
    lambda c: unicodedata.normalize("NFD", c),
    lambda c: chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c,
    lambda c: {"ß": "&szlig;", "é": "&eacute;", "i": "\u0130"}.get(c, c),
    lambda c: c,
)


@given(st.data())
def test_no_word_that_a_reader_sees_is_missed_on_the_raw_page(data):
    word = data.draw(st.sampled_from(WORDS))
    hidden = "".join(data.draw(st.sampled_from(DISGUISES))(c) for c in word)
    page = f"<p>so {hidden} it is</p>"
    seen = LexborHTMLParser(page).text()
    if parse_query(word).matches(title="", text=seen):
        assert raw_test(word)(page)


@settings(max_examples=40)  # each makes a test of its own
@given(st.text(max_size=30), st.lists(st.integers(0, 29), max_size=5))
def test_no_word_of_any_text_is_missed_on_the_raw_page(text, referred):
    written = "".join(f"&#{ord(c)};" if i in referred else html.escape(c) for i, c in enumerate(text))
    seen = LexborHTMLParser(f"<p>{written}</p>").text()
    for word in cut(seen)[:1]:
        query = parse_query(f'"{word}"')
        if query.matches(title="", text=seen):
            assert RawTest(query)(f"<p>{written}</p>"), word


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
