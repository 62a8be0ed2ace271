"""A map of many sources as a browser draws it, with the fonts that it has."""

from __future__ import annotations

from itertools import combinations

import pytest

from tearsheet.topics.snapshot.export import MediaMap
from tearsheet.topics.snapshot.map_svg import to_svg
from tests.support.many_sources import many_sources

pytestmark = pytest.mark.browser

BOXES = """[...document.querySelectorAll('g[text-anchor="middle"] text')].map(text => {
    const box = text.getBBox();
    return [text.textContent, box.x, box.x + box.width, text.y.baseVal[0].value - parseFloat(text.getAttribute('font-size')) * 0.75,
            text.y.baseVal[0].value + parseFloat(text.getAttribute('font-size')) * 0.22];
})"""
"""Each name with its left and right edge, and how far its letters reach above and below the base line."""


@pytest.mark.parametrize("count", [50, 500])
def test_no_name_lies_over_another(browser, count):
    page = browser.new_page()
    page.set_content(to_svg(MediaMap(many_sources(count)), "Many"))
    names = page.evaluate(BOXES)
    page.close()
    assert len(names) == min(60, len(names)) > 40
    assert [
        (one[0], other[0])
        for one, other in combinations(names, 2)
        if one[1] < other[2] and other[1] < one[2] and one[3] < other[4] and other[3] < one[4]
    ] == []
