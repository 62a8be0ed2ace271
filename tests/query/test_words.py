"""What a word is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.query import words
from tearsheet.query.words import MAX_WORD, cut, cut_query, cut_to_text, fold, is_separator


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The quick, brown fox.", ["the", "quick", "brown", "fox"]),
        ("don't e-mail U.S. snake_case", ["don", "t", "e", "mail", "u", "s", "snake", "case"]),
        ("l’homme d´affaires", ["l", "homme", "d", "affaires"]),
        ("Straße ＡＢＣ ﬁne", ["strasse", "abc", "fine"]),
        ("Cafe\u0301 Café", ["café", "café"]),
        ("Kraft\u00adwerk می\u200cخواهم", ["kraftwerk", "میخواهم"]),
        ("हिन्दी", ["हिन्दी"]),
        ("東京都", ["東京", "京都", "都"]),
        ("中", ["中"]),
        ("2024年3月", ["2024", "年", "3", "月"]),
        ("中国news中国", ["中国", "国", "news", "中国", "国"]),
        ("ﾄｳｷｮｳ", ["トウ", "ウキ", "キョ", "ョウ", "ウ"]),
        ("ไทย", ["ไท", "ทย", "ย"]),
        ("한국어 뉴스", ["한국어", "뉴스"]),
        ("C++ 100% 3.14 🎉", ["c", "100", "3", "14"]),
        ("a\x00b\ud800c", ["a", "b", "c"]),
        ("x" * 300, ["x" * MAX_WORD]),
        ("", []),
    ],
)
def test_cut(text, expected):
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("text", "expected", "open_end"),
    [
        ("東京", ("東京",), False),
        ("東京都", ("東京", "京都"), False),
        ("京", ("京",), True),
        ("3月", ("3", "月"), True),
        ("東京 都", ("東京", "京", "都"), True),
        ("東京 news", ("東京", "京", "news"), False),
        ("news", ("news",), False),
    ],
)
def test_a_query_may_end_inside_a_run(text, expected, open_end):
    assert cut_query(text) == (expected, open_end)


def test_tables_fit_the_rule():
    unspaced = words._UNSPACED
    for code in range(0x110000):
        character = chr(code)
        if unspaced.match(character):
            assert not is_separator(character) or unicodedata.category(character) == "Cn", hex(code)
        plain = unicodedata.normalize("NFKC", character) if not 0xD800 <= code < 0xE000 else ""
        if len(plain) > 1 and plain[0] == " " and unicodedata.category(plain[1])[0] == "M":
            assert words._ACCENT.match(character), hex(code)


@given(st.text())
def test_words_hold_no_blank_and_fit_engines(text):
    for word in cut(text):
        assert word and len(word) <= MAX_WORD and not any(character.isspace() for character in word)
        word.encode()


@given(st.text())
def test_engines_that_split_at_blanks_get_the_same_words(text):
    assert cut_to_text(text).split() == cut(text)


@given(st.lists(st.integers(0, 2 * MAX_WORD + 3), max_size=12))
def test_long_words_are_cut_wherever_they_stand(lengths):
    text = ", ".join("x" * length for length in lengths)
    assert cut_to_text(text).split() == ["x" * min(length, MAX_WORD) for length in lengths if length]


@given(st.text(alphabet="ab東京都 ไท-3"))
def test_every_character_of_a_run_begins_a_word(text):
    starts = [word[0] for word in cut(text) if words.is_unspaced(word)]
    assert starts == [character for character in text if words._UNSPACED.match(character)]


@given(st.text(alphabet="東京都知事", min_size=1), st.integers(0, 10), st.integers(1, 5))
def test_any_part_of_a_run_is_found(run, start, length):
    part = run[start : start + length]
    if part:
        looked_for, open_end = cut_query(part)
        there = cut(run)
        assert any(
            all(
                there[place + i] == word
                or (open_end and i == len(looked_for) - 1 and there[place + i].startswith(word))
                for i, word in enumerate(looked_for)
            )
            for place in range(len(there) - len(looked_for) + 1)
        )


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_case_and_width_do_not_count(text):
    assert cut(text) == cut(unicodedata.normalize("NFC", text))
    assert fold(fold(text)) == fold(text) or not unicodedata.is_normalized("NFKC", fold(text))
