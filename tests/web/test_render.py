"""What templates call: sizes, addresses, paragraphs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.web import render


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (1_234_567, "1.2 MB"), (10**16, "10000.0 TB")],
)
def test_sizes(count, words):
    assert render.size(count) == words


@given(st.text(max_size=40))
def test_only_web_addresses_become_links(text):
    assert render.web_address("javascript:" + text) == ""
    assert render.web_address("data:text/html," + text) == ""


def test_text_becomes_paragraphs_and_stays_text():
    assert render.paragraphs("a <b>\n\n c & d\n") == "<p>a &lt;b&gt;</p>\n<p>c &amp; d</p>"
