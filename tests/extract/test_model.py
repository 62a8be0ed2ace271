import numpy as np
import pytest
from bench.block_labels import label
from bench.extract_data import Page, text_score

from tearsheet.extract import Document
from tearsheet.extract.features import PageHints, complete, layout
from tearsheet.extract.model import PORTION, read, save, shipped
from tearsheet.extract.text import best_cut
from tearsheet.extract.words import SEPARATOR, name_words, page_words
from tests.support.pages import SENTENCES, article_page


def test_a_saved_model_is_the_same_again():
    data = save(shipped())
    assert save(read(data)) == data
    blocks, hints = Document(article_page()).blocks, PageHints()
    assert np.array_equal(read(data).probabilities(blocks, hints)[0], shipped().probabilities(blocks, hints)[0])


def test_the_table_is_small():
    assert len(save(shipped())) < 1_000_000


@pytest.mark.parametrize(
    "html",
    ["<p>x", "<p>漢字" * 50, "<li><a href=x>12</a>" * 30, article_page(), "a<br><br>b", "<h1>\x01</h1><p>\x01 \x01"],
)
def test_features_are_numbers(html):
    document = Document(html)
    page = layout(document.blocks, document.hints)
    features = complete(page, *shipped().scores(document.blocks, page))
    assert features.shape == (len(document.blocks.text), len(shipped().mean))
    assert np.isfinite(features).all()


def test_words_of_a_page():
    words = page_words(["Read more: 2019", "“Über uns”", "", "x " * 40 + "the end"], alone=False)
    beginnings, ends = words.words[: words.ends], words.words[words.ends :]
    uber = "über".encode()
    assert beginnings[:9] == [b"read", b"more", b"0000", SEPARATOR, uber, b"uns", SEPARATOR, SEPARATOR, b"x"]
    assert ends[:4] == [SEPARATOR, SEPARATOR, SEPARATOR, b"x"]
    assert ends[-3:] == [b"the", b"end", SEPARATOR]
    begun, ended = words.lines[:4].tolist(), (words.lines[4:] - words.ends).tolist()
    assert begun == [0, 4, 7, 8]
    assert ended == [0, 1, 2, 3]
    assert words.whole == [b"read more: 0000", "“über uns”".encode(), b"", b""]


def test_words_of_scripts_without_blanks_are_pairs_of_letters():
    assert page_words(["東京都"], alone=True).words == ["東京".encode(), "京都".encode(), SEPARATOR, SEPARATOR]


def test_a_portion_is_too_small_for_threads_of_the_numeric_library():
    """OpenBLAS multiplies up to 2 ** 18 numbers in the thread that asks."""
    widths = [weights.size for weights, _ in shipped().layers]
    assert PORTION * max(widths) <= 2**18


def test_portions_change_nothing():
    model = shipped()
    features = np.random.default_rng(1).normal(size=(3 * PORTION + 5, len(model.mean))).astype(np.float32)
    alone = [model.run(features[i : i + 1])[0] for i in range(len(features))]
    assert np.allclose(model.run(features), alone, atol=1e-5)


def test_words_of_a_name():
    assert name_words("entryContent") == ["entry", "content", "entry-content"]
    assert name_words("post__body--main") == ["post", "body", "main", "post-body", "post-body-main"]
    assert name_words("<p") == ["<p"]


def test_word_scores_are_sums():
    model = shipped()
    texts = ["Share this article", "Read more", SENTENCES[0], "©", SENTENCES[1] + SENTENCES[2]]
    scores = model.text_scores(page_words(texts, alone=False))
    for text, row in zip(texts, scores, strict=True):
        alone = model.text_scores(page_words([text], alone=False))
        assert np.allclose(alone[0], row, atol=1e-4)


def test_the_best_cut():
    keep, expected = best_cut(np.array([0.9, 0.1, 0.8, 0.02], np.float32), np.array([100, 10, 50, 200], np.float32))
    assert keep.tolist() == [True, False, True, False]
    assert 0.8 < expected < 1


def test_labels_follow_the_order_of_the_truth():
    truth = f"{SENTENCES[0]}\n{SENTENCES[1]}\nMore soon"
    blocks = [
        "Home",
        SENTENCES[0][:60],
        SENTENCES[0],
        SENTENCES[1],
        "More soon",
        "Another sentence that is not in the text",
    ]
    shares, words, size = label(blocks, truth, [])
    assert [round(s) for s in shares[2:]] == [1, 1, 1, 0]
    assert shares[0] == 0
    assert size == sum(words[2:5])


def test_scores():
    page = Page("x", b"", "", "x", text="a b c d e f", expected={})
    assert text_score("a b c d e f", page) == (1, 1, 1)
    assert text_score("", page) == (0, 0, 0)
    precision, recall, _ = text_score("a b c d e f g", page)
    assert (precision, recall) == (0.75, 1)
    page.expected = {"optional": ["g h"]}
    assert text_score("a b c d e f g h", page)[2] == 1
