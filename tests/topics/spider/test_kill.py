"""A run that is killed again and again ends with the same snapshot, byte for byte, as one that was not."""

from __future__ import annotations

import pytest

from tests.support.topic_kills import spider_with_kills


@pytest.mark.timeout(300)
def test_a_few_kills(tmp_path):
    make = {"sites": 8, "pages": 40, "seed": 2}
    calm = spider_with_kills(tmp_path / "calm", make, kills=0)
    assert spider_with_kills(tmp_path / "killed", make, kills=3) == calm


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_twenty_kills(tmp_path):
    make = {"sites": 8, "pages": 300, "seed": 3}
    calm = spider_with_kills(tmp_path / "calm", make, kills=0)
    assert spider_with_kills(tmp_path / "killed", make, kills=20) == calm
