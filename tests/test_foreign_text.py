"""Text of strangers: answered as Python answers, always, and in time that grows with the text."""

import contextlib
import html
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.extract.names import clean, normalize_title
from tearsheet.feeds.formats.titles import plain_title
from tearsheet.foreign_text import nfkc, unescape, with_few_marks
from tearsheet.ingest.hops import clean_url
from tearsheet.query.words import cut, fold
from tearsheet.urls import BadURL, host_of, join_url, normalize_url
from tests.support.growth import assert_linear

MARKS = "\u0301\u0316"
"""Two marks that stand in the wrong order."""


@given(st.text(st.sampled_from("a&#x0195;éB "), max_size=30))
def test_character_references_mean_what_they_mean(text):
    assert unescape(text) == html.unescape(text)


@pytest.mark.parametrize("number", ["9" * 5_000, "0" * 5_000 + "65", "x" + "0" * 5_000 + "41"])
def test_a_reference_of_thousands_of_digits_is_a_reference(number):
    assert unescape(f"<&#{number};>") == ("<\ufffd>" if number[0] == "9" else "<A>")
    assert unescape(f"&#{number}") == ("\ufffd" if number[0] == "9" else "A")
    assert plain_title(f"a&#{number};") == clean(f"a&#{number};")


@given(st.text(st.sampled_from("aé\u0301\u0316ｱ\uff9e漢\U0001d165"), max_size=25))
def test_few_marks_stay(text):
    assert with_few_marks(text) == text
    assert nfkc(text) == unicodedata.normalize("NFKC", text)


@pytest.mark.parametrize("mark", ["\u0301", "\u0f73", "\uff9e", "\U0001d165"])
def test_many_marks_on_one_letter_are_thirty(mark):
    assert with_few_marks("a" + mark * 500 + "b" + mark) == "a" + mark * 30 + "b" + mark


def address(text: str) -> None:
    for read in (normalize_url, host_of, clean_url):
        with contextlib.suppress(BadURL):
            read(f"http://{text}.example/")
    join_url(f"http://{text}/", f"//{text}")


@pytest.mark.parametrize("work", [nfkc, fold, lambda text: list(cut(text)), normalize_title, address])
def test_time_grows_with_the_marks(work):
    assert_linear(work, lambda count: "a" + MARKS * count, 1_000)
