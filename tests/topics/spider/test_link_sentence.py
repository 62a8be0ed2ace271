"""The sentence around a link: whole, bounded, and right for scripts without spaces."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.topics.spider.link_sentence import MAX_SENTENCE, sentence_around


def around(text: str, link: str) -> str:
    start = text.index(link)
    return sentence_around(text, start, start + len(link))


@pytest.mark.parametrize(
    ("text", "link", "sentence"),
    [
        ("One. The dam broke, says the Post. Three.", "the Post", "The dam broke, says the Post."),
        ("The first says it all. More.", "The first", "The first says it all."),
        ("Before! Is it true? After.", "true", "Is it true?"),
        ("He said “it broke.” Then he left.", "broke", "He said “it broke.”"),
        (
            "Aid came. The U.S. embassy, J. Doe and Dr. Roe agree. End.",
            "Roe",
            "The U.S. embassy, J. Doe and Dr. Roe agree.",
        ),
        (
            "It cost 3.5 million. It grew by 2.1 per cent, etc. and more. End.",
            "2.1",
            "It grew by 2.1 per cent, etc. and more.",
        ),
        ("Read more on example.com. Now.", "more", "Read more on example.com."),
        ("A paragraph\nAnother one with a link\nA third", "a link", "Another one with a link"),
        ("Spaces  are \t one   space  here.", "one", "Spaces are one space here."),
        ("大坝决堤了。据《晨报》报道，三人失踪。搜救继续。", "晨报", "据《晨报》报道，三人失踪。"),
        ("「決壊した。」と新聞は伝えた。続報を待つ。", "新聞", "と新聞は伝えた。"),
        ("बाँध टूट गया। अख़बार ने लिखा है। जाँच जारी है।", "अख़बार", "अख़बार ने लिखा है।"),
        ("هل انهار السد؟ قالت الصحيفة ذلك. انتهى.", "الصحيفة", "قالت الصحيفة ذلك."),
        ("Ends. Inside. a link. With. Stops. in it. After.", "With. Stops", "With. Stops. in it."),
    ],
)
def test_the_sentence_that_holds_the_link(text: str, link: str, sentence: str) -> None:
    assert around(text, link) == sentence


def test_a_long_sentence_is_cut_around_the_link_between_words() -> None:
    words = " ".join(f"word{number}" for number in range(1_000))
    found = around(words, "word500")
    assert 0.9 * MAX_SENTENCE < len(found) <= MAX_SENTENCE
    assert found.startswith("…word")
    assert found.endswith("…")
    assert " word500 " in found
    assert set(found.strip("…").split()) <= set(words.split())


def test_a_long_text_without_spaces_is_cut_between_characters() -> None:
    syllable = "\u0e19\u0e49\u0e33"  # a letter with a mark above it, and a vowel
    text = syllable * 400 + "LINK" + syllable * 400
    found = around(text, "LINK")
    assert 0.9 * MAX_SENTENCE < len(found) <= MAX_SENTENCE
    before, after = found.strip("…").split("LINK")
    assert text.endswith(after + text[text.index("LINK") + 4 + len(after) :])
    assert not unicodedata.category(before[0]).startswith("M")
    rest = text.partition("LINK")[2][len(after) :]
    assert not unicodedata.category(rest[0]).startswith("M")


def test_a_link_that_is_longer_than_a_sentence_may_be_is_cut_itself() -> None:
    found = around("a" * 2_000, "a" * 2_000)
    assert found == "a" * (MAX_SENTENCE - 1) + "…"


@given(st.text(alphabet="aB .!?。\n\u0301中", max_size=60), st.data())
def test_every_text_is_answered_with_one_line_of_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = sentence_around(text, start, end)
    assert len(found) <= MAX_SENTENCE
    assert "\n" not in found
    assert " ".join(text[start:end].split()) in found
    assert "".join(found.split()) in "".join(text.split())
