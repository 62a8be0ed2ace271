"""A run that is killed again and again ends with the same snapshot, byte for byte, as one that was not."""

from __future__ import annotations

import pytest

from tests.support.topic_kills import spider_with_kills


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("kills", "pages"), [pytest.param(4, 60, marks=pytest.mark.proof), pytest.param(20, 300, marks=pytest.mark.slow)]
)
def test_kills_change_nothing(tmp_path, kills, pages):
    make = {"sites": 8, "pages": pages, "seed": kills}
    calm = spider_with_kills(tmp_path / "calm", make, kills=0)
    assert spider_with_kills(tmp_path / "killed", make, kills=kills) == calm
