"""What a page names: srcset by example, and whatever anybody writes into one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.ingest.resources import is_unwanted, srcset_addresses
from tests.support.growth import assert_linear


@given(st.text(alphabet="ab,. ()'\"1xw\n", max_size=60))
def test_any_srcset_ends(text):
    assert all(address and not address.endswith(",") for address in srcset_addresses(text) if address.strip(","))


@pytest.mark.parametrize(
    ("srcset", "addresses"),
    [
        ("a.png", ["a.png"]),
        ("a.png 1x, b.png 2x", ["a.png", "b.png"]),
        ("a.png,b.png 2x", ["a.png,b.png"]),
        ("a.png, b.png", ["a.png", "b.png"]),
        (" a,b.png 100w ,\n c.png 200w", ["a,b.png", "c.png"]),
        ("data:image/gif;base64,R0 1x, b.png", ["data:image/gif;base64,R0", "b.png"]),
        ("a.png calc(1px, 2px), b.png", ["a.png", "b.png"]),
        ("", []),
        (" , ,", []),
    ],
)
def test_srcset(srcset, addresses):
    assert [address for address in srcset_addresses(srcset) if address] == addresses


def test_unwanted_resources():
    assert is_unwanted("https://www.google-analytics.com/analytics.js")
    assert is_unwanted("http://a.example/favicon.ico")
    assert not is_unwanted("http://a.example/google-analytics.com.png")


@pytest.mark.parametrize("part", ["a (", ","])
def test_time_grows_with_the_srcset_and_no_faster(part):
    assert_linear(lambda text: list(srcset_addresses(text)), lambda count: part * count, 2_000)
