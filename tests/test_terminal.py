"""What a stranger wrote cannot command a terminal, and remains readable."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.terminal import cells, clean, clean_line, link_target, safe_json, shows_links

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


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("https://example.com/a?b=c&d=%20#e", "https://example.com/a?b=c&d=%20#e"),
        ("HTTP://example.com/", "HTTP://example.com/"),
        ("http://example.com/zeitung/straße", "http://example.com/zeitung/stra%C3%9Fe"),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("example.com", None),
        ("http://", None),
        ("http://example.com/a b", None),
        ("http://example.com/\x1b]8;;evil", None),
        ("http://example.com/\u202e", None),
        ("http://example.com/\n", None),
    ],
)
def test_only_clean_addresses_of_the_web_become_links(text, target):
    assert link_target(text) == target


@given(st.text(st.characters(), max_size=60))
def test_the_target_of_a_link_is_printable_ascii(text):
    target = link_target("https://example.com/" + text)
    assert target is None or all(" " < char < "\x7f" for char in target)


@pytest.mark.parametrize(
    ("environ", "shown"),
    [
        ({}, False),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7200"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "4200"}, False),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "dumb", "VTE_VERSION": "7200"}, False),
        ({"TERM": "linux", "WT_SESSION": "1"}, False),
        ({"TERM": "xterm", "FORCE_HYPERLINK": "1"}, True),
        ({"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"}, False),
    ],
)
def test_links_are_for_terminals_that_are_known_to_show_them(environ, shown):
    assert shows_links(environ) is shown


def test_columns_of_a_line():
    assert [cells(text) for text in ("abc", "新聞", "e\u0301", "")] == [3, 4, 1, 0]
