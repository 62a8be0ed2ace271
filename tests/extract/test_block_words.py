"""Words of a page and of names in its markup."""

from tearsheet.extract.block_words import SEPARATOR, name_words, page_words


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


def test_words_of_a_name():
    assert name_words("entryContent") == ["entry", "content", "entry-content"]
    assert name_words("post__body--main") == ["post", "body", "main", "post-body", "post-body-main"]
    assert name_words("<p") == ["<p"]
