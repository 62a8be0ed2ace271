"""How texts are scored."""

from bench.extract_data import Page, text_score


def test_scores():
    page = Page("x", b"", "", "x", text="a b c d e f", expected={})
    assert text_score("a b c d e f", page) == (1, 1, 1)
    assert text_score("", page) == (0, 0, 0)
    precision, recall, _ = text_score("a b c d e f g", page)
    assert (precision, recall) == (0.75, 1)
    page.expected = {"optional": ["g h"]}
    assert text_score("a b c d e f g h", page)[2] == 1
