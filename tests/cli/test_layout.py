"""Tables and blocks: whatever the width, no address is broken or cut, and other text breaks between words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.cli.layout import rows_as_lines, story_lines
from tearsheet.cli.pieces import Line
from tearsheet.terminal import cells

URL = "https://newspaper.example/2026/11/18/a-rather-long-address-of-a-story-about-the-harbour?id=1234567890"
HEADINGS = ["id", "address", "state"]


def text_of(lines: list[Line]) -> list[str]:
    return ["".join(piece.text for piece in line).rstrip() for line in lines]


def shown(rows: list[list[str]], width: int | None, headings: list[str] = HEADINGS) -> list[str]:
    return text_of(list(rows_as_lines(headings, rows, width)))


def test_what_fits_is_a_table():
    assert shown([["1", "http://a.example/", "fine"], ["20", "–", "bad"]], 80) == [
        "id  address            state",
        "1   http://a.example/  fine",
        "20  –                  bad",
    ]


def test_what_does_not_fit_is_a_block_for_each_row_with_its_address_in_one_line():
    assert shown([["1", URL, "fine"], ["2", URL, "bad"]], 50) == [
        "id       1", f"address  {URL}", "state    fine", "", "id       2", f"address  {URL}", "state    bad",
    ]  # fmt: skip


def test_without_a_terminal_every_row_is_one_line():
    assert len(shown([["1", URL, "word " * 100]], None)) == 2


def test_a_last_column_of_text_is_wrapped_between_words():
    assert shown([["web.port", "8700", "the port of the web pages, on which nobody else listens"]], 50, ["a", "b", "c"]) == [
        "a         b     c",
        "web.port  8700  the port of the web pages, on",
        "                which nobody else listens",
    ]  # fmt: skip


def test_facts_of_one_thing_stay_beside_their_names_with_an_address_whole():
    assert shown([["name", "A paper"], ["homepage", URL]], 50, ["", ""]) == ["name      A paper", f"homepage  {URL}"]


def test_wide_characters_take_two_columns():
    assert shown([["新聞", "x"], ["abc", "y"]], 80, ["name", "v"]) == ["name  v", "新聞  x", "abc   y"]


@given(
    st.lists(
        st.lists(st.sampled_from(["", "a", "two words", "x" * 40, "w " * 60, URL]), min_size=3, max_size=3), max_size=5
    ),
    st.integers(1, 200) | st.none(),
)
def test_no_address_is_ever_broken_and_no_line_of_words_is_too_long(rows, width):
    lines = shown(rows, width)
    found = sum(line.count(URL) for line in lines)
    assert found == sum(row.count(URL) for row in rows)
    if width is not None and width >= 50:
        assert all(cells(line) <= width for line in lines if URL not in line and "x" * 40 not in line)


@pytest.mark.parametrize("width", [20, 50, 80, None])
def test_a_story_is_its_title_what_is_known_and_its_address(width):
    lines = list(story_lines("The harbour wall is rebuilt", ["a.example", "2026-11-18", ""], URL, width))
    assert text_of(lines)[-1] == URL and lines[-1][0].link
    joined = " ".join(text_of(lines)[:-1])
    assert joined == "The harbour wall is rebuilt a.example · 2026-11-18"
    assert text_of(list(story_lines("", [], URL, None)))[0] == "(without a title)"


def test_one_long_value_does_not_fill_the_other_rows_with_blanks_in_a_file():
    lines = shown([["a", "x" * 2000, "fine"], ["b", "short", "bad"]], None)
    assert lines == ["id  address  state", f"a   {'x' * 2000}  fine", "b   short    bad"]
