"""Which words say something about a subject."""

from __future__ import annotations

import pytest

from tearsheet.index.telling_words import common_words, is_telling
from tearsheet.query.words import cut


@pytest.mark.parametrize("word", ["climate", "uk", "klima", "東京", "g20", "климат"])
def test_words_of_a_subject(word):
    assert is_telling(word)


@pytest.mark.parametrize("word", ["the", "und", "から", "x", "で", "2024", "٢٠٢٤"])
def test_words_of_every_subject(word):
    assert not is_telling(word)


def test_common_words_are_as_the_index_cuts_them():
    assert len(common_words()) > 900
    assert {word for word in common_words() if cut(word)[0] != word} == set()
    assert not any(is_telling(word) for word in cut("彼は先生として話した") if word in ("とし", "した"))
