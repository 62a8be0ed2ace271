"""What a stranger wrote cannot command a terminal, and remains readable."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.terminal import clean, clean_line, safe_json

FORBIDDEN = (
    {chr(n) for n in range(0x20)} | {chr(n) for n in range(0x7F, 0xA0)} | {chr(n) for n in range(0x202A, 0x202F)}
    | {chr(n) for n in range(0x2066, 0x206A)} | {chr(n) for n in range(0xD800, 0xE000)} | set("\u061c\u200e\u200f\u2028\u2029")
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("plain – “text” 新聞 👩\u200d💻", "plain – “text” 新聞 👩\u200d💻"),
        ("\x1b]0;owned\x07x", "�]0;owned�x"),
        ("\x1b[2J\x1b[1;1H", "�[2J�[1;1H"),
        ("\x9b2J", "�2J"),
        ("a\rb", "a b"),
        ("a\u2028b\u2029c\x85d", "a b c d"),
        ("\u202eevil\u202c \u200fعربي\u200e \u2067x\u2069 \u061c", "evil عربي x "),
        ("x\ud800", "x�"),
        ("two\nlines\tand a tab\r\nand more", "two\nlines\tand a tab\nand more"),
    ],
)
def test_controls_do_nothing(text, printed):
    assert clean(text) == printed


@given(st.text(st.characters(), max_size=200) | st.text(st.sampled_from([*sorted(FORBIDDEN), "a", " "]), max_size=50))
def test_nothing_forbidden_is_left_in_any_text(text):
    assert not (FORBIDDEN - {"\n", "\t"}) & set(clean(text))
    assert not FORBIDDEN & set(clean_line(text))
    clean(text).encode()


@given(st.text(st.characters(), max_size=200) | st.text(st.sampled_from([*sorted(FORBIDDEN), "a", " "]), max_size=50))
def test_json_keeps_the_data_and_is_safe_to_show(text):
    shown = safe_json(json.dumps({"text": text}, ensure_ascii=False))
    assert not FORBIDDEN & set(shown)
    assert json.loads(shown)["text"] == "".join("?" if "\ud800" <= char <= "\udfff" else char for char in text)
