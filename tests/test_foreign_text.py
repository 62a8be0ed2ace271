"""Text of strangers: answered as Python answers, always, and in time that grows with the text."""

import contextlib
import html
import json
import math
import re
import unicodedata

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.extract.names import clean, normalize_title
from tearsheet.feeds.formats.titles import plain_title
from tearsheet.foreign_text import is_writable, nfkc, read_json, storable, unescape, with_few_marks, writable
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


@given(st.text(st.sampled_from("aé漢\0\ud83d\ude00"), max_size=20))
def test_what_no_file_or_database_takes_is_replaced(text):
    assert is_writable(text) == (writable(text) == text)
    assert writable(text) == re.sub("[\ud800-\udfff]", "?", text)
    assert storable(text) == writable(text).replace("\0", "")


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


def written(value: object) -> bytes:
    """As messages between stages are: in UTF-8, with numbers of 64 bits."""
    return msgspec.msgpack.encode(value)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r'"cut off \ud83d"', "cut off \ufffd"),
        (r'"\ude00\ud83d\ude00\uD83D"', "\ufffd\U0001f600\ufffd"),
        (r'"\ud83d\ud83d\ude00 \ud83dA"', "\ufffd\U0001f600 \ufffdA"),
        (r'"C:\\ud83d \\\ud83d"', "C:\\ud83d \\\ufffd"),
        (str(2**63 - 1), 2**63 - 1),
        (str(2**63), float(2**63)),
        (f"[-{2**63}, -{2**64}]", [-(2**63), -float(2**64)]),
        ("9" * 5_000, math.inf),
    ],
)
def test_json_of_strangers_can_be_written_again(text, read):
    assert read_json(text) == read
    assert written(read_json(text))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.sampled_from('a\\"/\ud83d\ude00\U0001f600\n')),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(JSON, st.booleans())
def test_any_json_can_be_written_again_and_usual_json_is_as_it_is(value, dense):
    text = json.dumps(value, separators=(",", ":") if dense else None)
    found = read_json(text)
    assert written(found)
    with contextlib.suppress(OverflowError, UnicodeEncodeError):
        written(value)
        if "\ud83d" not in str(value) and "\ude00" not in str(value) and not re.search(r"\d{19}", text):
            assert repr(found) == repr(value)


@pytest.mark.parametrize("nested", ["[" * 100_000, '{"a":' * 100_000])
def test_json_that_is_nested_too_deeply_is_a_value_error(nested):
    with pytest.raises(ValueError, match="deep"):
        read_json(nested)


@pytest.mark.parametrize("part", [r"\ud83d", r"\\", "1", "\\ud83d\\"])
def test_time_grows_with_the_json(part):
    def read(text: str) -> None:
        with contextlib.suppress(ValueError):
            read_json(text)

    assert_linear(read, lambda count: f'["\\ud800{part * count}"]', 5_000)
    assert_linear(read, lambda count: part * count, 5_000)
