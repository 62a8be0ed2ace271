"""What the model is told of a page."""

import numpy as np
import pytest

from tearsheet.extract import Document
from tearsheet.extract.features import complete, layout
from tearsheet.extract.model import shipped
from tests.support.article_page import article_page


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
