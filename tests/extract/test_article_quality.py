"""How good the extractor is on real pages. The table was learned from these very pages (`make bench-extract` and
`python -m bench.train_extract --check` say how good it is on others), so these bounds only catch what breaks."""

import pytest
from bench.extract_data import data_folder, load, string_score, text_score

from tearsheet.extract import Document
from tearsheet.extract.names import normalize_title

pytestmark = pytest.mark.skipif(not data_folder().exists(), reason=f"no evaluation pages in {data_folder()}")


def documents(folder, step=1):
    return [(page, Document(page.html, page.url)) for page in load(folder)[::step]]


@pytest.fixture(scope="module")
def whole():
    """Pages whose whole text is known; each is read once for all tests."""
    return documents("fulltext", 8)


def share(hits):
    hits = list(hits)
    return sum(hits) / len(hits)


def test_whole_texts(whole):
    scored = [(text_score(document.text, page)[2], document.article.confidence) for page, document in whole]
    real = sum(f1 for f1, _ in scored) / len(scored)
    assert real > 0.955
    assert sum(said for _, said in scored) / len(scored) == pytest.approx(real, abs=0.03)


def test_strings():
    assert string_score((document.text, page) for page, document in documents("extraction", 4))[2] > 0.925


def test_dates():
    found = ((document.publication_date, page.expected["date"]) for page, document in documents("dates"))
    assert share(day is not None and day[0].isoformat() == wanted for day, wanted in found) > 0.88


def test_titles_and_languages(whole):
    pages = [(page, document) for page, document in whole if page.expected.get("title")]
    assert share(normalize_title(d.title or "") == normalize_title(p.expected["title"]) for p, d in pages) > 0.8
    assert share(d.language == p.language for p, d in pages if p.language) > 0.95
