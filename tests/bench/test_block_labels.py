"""How blocks are labelled from the truth."""

from bench.block_labels import label

from tests.support.article_page import SENTENCES


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
