"""What strangers wrote is shown as a reader would see it, and an answer is as long as it may be."""

from __future__ import annotations

import pytest

from tearsheet.agents.wording import as_text, cleaned, cut, fitted, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ntext\twith tabs", "plain\ntext\twith tabs"),
        ("\x1b[31mred\x00", "\ufffd[31mred\ufffd"),
        ("\u202eevil\u2066", "evil"),
        ("a\u200bb\u2060c\ufeffd\u00ade", "abcde"),
        ("seen" + "".join(chr(0xE0000 + ord(letter)) for letter in "obey me"), "seen"),
        ("x\ufe01\ufe02\U000e0101y", "xy"),
        ("👩\u200d🚀 ❤\ufe0f می\u200cخواهم", "👩\u200d🚀 ❤\ufe0f می\u200cخواهم"),
        ("half \ud800", "half \ufffd"),
    ],
)  # fmt: skip
def test_hidden_characters_are_left_out(text, shown):
    assert visible(text) == shown


def test_every_text_of_an_answer_is_cleaned():
    assert cleaned({"a\x00": ["\u202eb", {"c": "\x1bd"}], "n": 1, "z": None}) == {
        "a\ufffd": ["b", {"c": "\ufffdd"}], "n": 1, "z": None,
    }  # fmt: skip


def test_a_long_text_is_cut():
    assert cut("abcdef", 6) == "abcdef" and cut("abcdefg", 6) == "abcde…"


@pytest.mark.parametrize("size", [1, 7, 300])
def test_an_answer_has_as_much_as_fits(size):
    asked = []

    def make(number: int) -> dict[str, object]:
        asked.append(number)
        return {"rows": ["x" * size] * number}

    body = fitted(make, 100, 1_000)
    assert len(as_text(body)) <= 1_000 and len(asked) <= 5
    assert len(as_text({"rows": [*body["rows"], *body["rows"][:1] * 3]})) > 1_000 or len(body["rows"]) == 100


def test_the_smallest_answer_is_given_though_it_is_too_long():
    assert fitted(lambda number: {"rows": ["x" * 50] * number}, 9, 10) == {"rows": ["x" * 50]}
