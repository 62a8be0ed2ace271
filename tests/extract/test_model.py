import numpy as np

from tearsheet.extract import Document
from tearsheet.extract.block_words import page_words
from tearsheet.extract.features import PageHints
from tearsheet.extract.model import PORTION, read, save, shipped
from tests.support.article_page import SENTENCES, article_page


def test_a_saved_model_is_the_same_again():
    data = save(shipped())
    assert save(read(data)) == data
    blocks, hints = Document(article_page()).blocks, PageHints()
    assert np.array_equal(read(data).probabilities(blocks, hints)[0], shipped().probabilities(blocks, hints)[0])


def test_the_table_is_small():
    assert len(save(shipped())) < 1_000_000


def test_a_portion_is_too_small_for_threads_of_the_numeric_library():
    """OpenBLAS multiplies up to 2 ** 18 numbers in the thread that asks."""
    widths = [weights.size for weights, _ in shipped().layers]
    assert PORTION * max(widths) <= 2**18


def test_portions_change_nothing():
    model = shipped()
    features = np.random.default_rng(1).normal(size=(3 * PORTION + 5, len(model.mean))).astype(np.float32)
    alone = [model.run(features[i : i + 1])[0] for i in range(len(features))]
    assert np.allclose(model.run(features), alone, atol=1e-5)


def test_word_scores_are_sums():
    model = shipped()
    texts = ["Share this article", "Read more", SENTENCES[0], "©", SENTENCES[1] + SENTENCES[2]]
    scores = model.text_scores(page_words(texts, alone=False))
    for text, row in zip(texts, scores, strict=True):
        alone = model.text_scores(page_words([text], alone=False))
        assert np.allclose(alone[0], row, atol=1e-4)
